import { type ConfigProblem, configError, pathText, problemsIn } from '@headgate/discovery/config'
import { HeadgateError } from '@headgate/gateway/ports'
import { configJsonSchema } from '../config/schema.ts'
import { loadSettings, type Settings } from '../config/settings.ts'
import type { Inventory } from '../service/inventory.ts'
import { type Command, type CommandContext, configOption, flagsOf } from './command.ts'

export const checkConfiguration: Command = {
  name: 'config check',
  summary: 'checks configuration and environment without starting the gateway',
  options: { config: configOption },
  async run(context) {
    const unset: ConfigProblem[] = []
    const settings = await loadSettings(flagsOf(context.values), context, unset)
    const inventory = await inventoryOf(settings, context, unset)
    const { providers, backends, search } = inventory
    const lists = [
      ['Providers', namesOf(providers)],
      ['Search', namesOf(backends)],
      ['Engines', Object.keys(search?.engines ?? {})],
    ] as const
    const said = lists.map(([label, names]) => `${label}: ${names.join(', ') || 'none'}`).join('. ')
    context.print(`${settings.file ?? 'No configuration file'}: no problems found. ${said}\n`)
    const { modelWarnings } = await import('../config/warnings.ts')
    const { routingWarnings } = await import('../config/routing-warnings.ts')
    const { spendingWarnings } = await import('../config/spending-warnings.ts')
    for (const warningsOf of [modelWarnings, routingWarnings, spendingWarnings])
      for (const warning of warningsOf(settings, inventory)) context.print(`Warning: ${warning}\n`)
    const { journalWarnings } = await import('../config/journal-warnings.ts')
    const { listenerWarnings } = await import('../config/listener-warnings.ts')
    for (const warning of [...journalWarnings(settings), ...listenerWarnings(settings)])
      context.print(`Warning: ${warning}\n`)
    const { mixedAliases } = await import('@headgate/gateway/operate')
    const { configuredOptions, originWarnings, priceWarnings } = await import('../service/options.ts')
    for (const warning of [...priceWarnings(settings), ...originWarnings(settings)])
      context.print(`Warning: ${warning}\n`)
    const entries = providers.flatMap(({ entry }) => entry ?? [])
    for (const { alias, used, unused } of mixedAliases(configuredOptions(settings, entries)))
      context.print(
        `Warning: ${pathText(['models', alias])} names different embedding models, whose vectors cannot be compared. Embeddings use ${used} only, never ${unused.join(', ')}.\n`,
      )
  },
}

/**
 * Inventory that a start would use. @throws HeadgateError that lists every problem, beginning with `unset` variables.
 */
async function inventoryOf(
  settings: Settings,
  context: CommandContext,
  unset: readonly ConfigProblem[],
): Promise<Inventory> {
  const { takeInventory } = await import('../service/inventory.ts')
  const { checkAddresses } = await import('@headgate/discovery')
  const file = settings.file ?? 'The configuration'
  try {
    const inventory = await takeInventory(settings, context)
    checkAddresses(settings, inventory, context.environment)
    if (unset.length === 0) return inventory
  } catch (error) {
    if (unset.length === 0 || !HeadgateError.is(error)) throw error
    const others = problemsIn(error).filter(({ path }) => !unset.some((one) => one.path === path))
    throw configError(file, [...unset, ...others])
  }
  throw configError(file, unset)
}

function namesOf(states: readonly { readonly name: string; readonly entry?: unknown }[]): string[] {
  return states.flatMap(({ name, entry }) => (entry ? [name] : []))
}

export const printSchema: Command = {
  name: 'config schema',
  summary: 'prints the JSON Schema of the configuration, for editors',
  options: {},
  run({ print }) {
    print(`${JSON.stringify(configJsonSchema(), null, 2)}\n`)
  },
}
