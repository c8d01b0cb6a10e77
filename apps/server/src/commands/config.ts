import { pathText } from '../config/problem.ts'
import { configJsonSchema } from '../config/schema.ts'
import { loadSettings } from '../config/settings.ts'
import { type Command, configOption, flagsOf } from './command.ts'

export const checkConfiguration: Command = {
  name: 'config check',
  summary: 'checks configuration and environment, as a start would',
  options: { config: configOption },
  async run(context) {
    const { takeInventory } = await import('../adapters/inventory.ts')
    const settings = await loadSettings(flagsOf(context.values), context)
    const { checkAddresses } = await import('../adapters/own-address.ts')
    const inventory = await takeInventory(settings, context)
    checkAddresses(settings, inventory, context.environment)
    const { providers, backends, search } = inventory
    const lists = [
      ['Providers', namesOf(providers)],
      ['Search', namesOf(backends)],
      ['Engines', Object.keys(search?.engines ?? {})],
    ] as const
    const said = lists.map(([label, names]) => `${label}: ${names.join(', ') || 'none'}`).join('. ')
    context.print(`${settings.file ?? 'No configuration file'}: nothing is wrong. ${said}\n`)
    const { modelDoubts } = await import('../config/doubts.ts')
    const { spendingDoubts } = await import('../config/spending-doubts.ts')
    for (const doubt of [...modelDoubts(settings, inventory), ...spendingDoubts(settings, inventory)]) context.print(`Warning: ${doubt}\n`)
    const { mixedAliases } = await import('@headgate/core')
    const { configuredOptions, originWarnings, pricesToDoubt } = await import('../service/options.ts')
    for (const doubt of [...pricesToDoubt(settings), ...originWarnings(settings)]) context.print(`Warning: ${doubt}\n`)
    const entries = providers.flatMap(({ entry }) => entry ?? [])
    for (const { alias, used, unused } of mixedAliases(configuredOptions(settings, entries)))
      context.print(
        `Warning: ${pathText(['models', alias])} names different embedding models, whose vectors can not be compared. Embeddings use ${used} only, never ${unused.join(', ')}.\n`,
      )
  },
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
