import type { AdapterState, FoundAdapter, ProviderState } from '@headgate/discovery'
import { loadSettings } from '../config/settings.ts'
import type { Inventory } from '../service/inventory.ts'
import { type Command, configOption, flagsOf, table } from './command.ts'

export const listAdapters: Command = {
  name: 'adapters',
  summary: 'lists the installed adapters, why each is enabled or not, and the endpoints of providers',
  options: { config: configOption },
  async run(context) {
    const { takeInventory } = await import('../service/inventory.ts')
    const settings = await loadSettings(flagsOf(context.values), context)
    const { providers, backends, search, sinks, sinkAdapters, skipped, installable } = await takeInventory(
      settings,
      context,
    )
    const ofEngines = new Set(
      Object.values(search?.engines ?? {}).map(({ backend }) => typeof backend !== 'string' && backend.name),
    )
    const rows = [
      ...providers.map((state) => cells(state, 'off')),
      ...backends.map((state) => cells(state, ofEngines.has(state.name) ? 'engines' : 'off')),
      ...sinkAdapters.flatMap((adapter) => sinkCells(adapter, sinks)),
    ]
    context.print(table(['KIND', 'NAME', 'ADAPTER', 'VERSION', 'STATE', 'WHY', 'PATH'], rows))
    const endpoints = providers.flatMap(endpointCells)
    if (endpoints.length > 0)
      context.print(
        `\n${table(['PROVIDER', 'ENDPOINT', 'REGION', 'LABELS', 'PRIORITY', 'WEIGHT', 'GROUP'], endpoints)}`,
      )
    for (const one of skipped) context.note(`${one}\n`)
    if (installable !== undefined) context.note(`Not installed: ${installable}\n`)
  },
}

/** Table row of an adapter. `unused` is the state shown if the gateway does not use the adapter directly. */
function cells({ adapter, name, entry, why }: AdapterState<unknown, unknown>, unused: 'engines' | 'off'): string[] {
  const { kind, version, path } = adapter.package
  return [kind, name, adapter.id, version, entry ? 'enabled' : unused, why, path]
}

/** Table rows of an adapter of sinks: one for each sink, or one if no sink uses it. */
function sinkCells({ id, package: { kind, version, path } }: FoundAdapter, sinks: Inventory['sinks']): string[][] {
  const names = sinks.filter((sink) => sink.id === id).map(({ name }) => name)
  if (names.length === 0) return [[kind, id, id, version, 'off', 'the configuration does not name it', path]]
  return names.map((name) => [kind, name, id, version, 'enabled', 'named by the configuration', path])
}

/** Table rows of a provider's endpoints. */
function endpointCells({ name, entry }: ProviderState): string[][] {
  return (entry?.endpoints ?? []).map(({ name: endpoint, labels = {}, priority = 0, weight = 1, group = '' }) => {
    const { region = '', ...others } = labels
    const texts = Object.entries(others).map(([label, value]) => `${label}=${value}`)
    return [name, endpoint, region, texts.join(','), String(priority), String(weight), group]
  })
}
