import type { ManagementFacts, ManagementModel, ManagementProvider } from '@headgate/accounts'
import type { ModelFacts, ProviderEntry } from '@headgate/core'
import type { Store } from '@headgate/store'
import type { AdapterState } from '../adapters/choice.ts'
import { variableNames } from '../adapters/environment.ts'
import type { Inventory } from '../adapters/inventory.ts'
import type { Settings, Surroundings } from '../config/settings.ts'

type Server = ManagementModel['providers'][number]

export interface FactsSources extends Pick<Surroundings, 'environment'> {
  /** By what is served now. */
  serving(): { readonly settings: Settings; readonly inventory: Inventory }
  readonly store: Pick<Store, 'lists' | 'prices'>
}

/** What the management API tells of models and providers. */
export function createFacts({ serving, store, environment }: FactsSources): ManagementFacts {
  return {
    async models() {
      const { settings, inventory } = serving()
      const servers = new Map<string, Server[]>()
      for (const { entry } of inventory.providers) {
        if (!entry) continue
        for (const [id, server] of await modelsOf(entry, store)) servers.set(id, [...(servers.get(id) ?? []), server])
      }
      const own = [...servers].map(([id, providers]): ManagementModel => ({ id, providers }))
      const aliases = Object.entries(settings.config.models ?? {}).map(([id, names]): ManagementModel => {
        const aliasOf = [names].flat()
        return { id, aliasOf, providers: aliasOf.flatMap((name) => servedBy(servers, name)) }
      })
      const limits = settings.config.limits?.models ?? {}
      return [...aliases, ...own].map((model) => {
        const bound = limits[model.id]
        return bound ? { ...model, limits: bound } : model
      })
    },
    providers() {
      const { providers, backends, families } = serving().inventory
      const chat = (entry: ProviderEntry) =>
        families.filter(({ kind, has }) => kind === 'provider' && has?.(entry.provider)).map(({ id }) => id)
      const searches = families.filter(({ kind }) => kind === 'backend').map(({ id }) => id)
      return [
        ...providers.map((state) => providerOf(state, 'provider', state.entry ? chat(state.entry) : [], environment)),
        ...backends.map((state) => providerOf(state, 'search', state.entry ? searches : [], environment)),
      ]
    },
    limits() {
      const { models = {}, projects = {} } = serving().settings.config.limits ?? {}
      const bounds = (all: typeof models) => Object.entries(all).map(([id, limits]) => ({ id, limits }))
      return { projects: bounds(projects), models: bounds(models) }
    },
  }
}

/** Who serves what an alias names: a model, or `<provider>/<model>`. */
function servedBy(servers: ReadonlyMap<string, readonly Server[]>, name: string): readonly Server[] {
  const whole = servers.get(name)
  if (whole) return whole
  const slash = name.indexOf('/')
  return servers.get(name.slice(slash + 1))?.filter(({ provider }) => provider === name.slice(0, slash)) ?? []
}

/** The models of a provider by the names that callers send: those that are configured, else those of its live list, else what it knows. */
async function modelsOf({ provider, name = provider.name, models }: ProviderEntry, { lists, prices }: FactsSources['store']) {
  const listed = models ? undefined : await lists.read(name).catch(() => undefined)
  const known = new Map([...(provider.known ?? []), ...(listed ?? [])].map((facts) => [facts.id, facts]))
  const now = Date.now()
  const server = (id: string, upstream: string, facts: ModelFacts | undefined): readonly [string, Server] => {
    const price = prices.priceOf(name, upstream, now)
    return [id, { provider: name, model: upstream, ...(facts && toldOf(facts)), ...(price && { price }) }]
  }
  if (!models) return [...known.values()].map((facts) => server(facts.id, facts.upstream ?? facts.id, facts))
  if (Array.isArray(models)) return models.map((id: string) => server(id, known.get(id)?.upstream ?? id, known.get(id)))
  return Object.entries(models).map(([id, given]) => {
    const { upstream = id, is = upstream } = typeof given === 'string' ? { upstream: given } : given
    return server(id, upstream, known.get(is))
  })
}

function toldOf({ families, context, output, inputs, tools, reasoning }: ModelFacts) {
  return {
    ...(families && { families: [...families] }),
    ...(context !== undefined && { context }),
    ...(output !== undefined && { output }),
    ...(inputs && { inputs: [...inputs] }),
    ...(tools !== undefined && { tools }),
    ...(reasoning !== undefined && { reasoning }),
  }
}

function providerOf(
  { name, adapter, entry }: AdapterState<unknown, unknown>,
  kind: ManagementProvider['kind'],
  families: string[],
  environment: Surroundings['environment'],
): ManagementProvider {
  const variables = variableNames(adapter.factory).map((variable) => ({ name: variable, isSet: Boolean(environment[variable]) }))
  const lacks = variables.some(({ name, isSet }) => !isSet && name.endsWith('_API_KEY'))
  const state = entry ? 'up' : lacks ? 'no-credential' : 'off'
  return { name, adapter: adapter.id, kind, families, state, variables }
}
