import { takeInventory } from '../adapters/inventory.ts'
import { enabledProviders } from '../adapters/providers.ts'
import { configJsonSchema } from '../config/schema.ts'
import { loadSettings } from '../config/settings.ts'
import { type Command, configOption, flagsOf } from './command.ts'

export const checkConfiguration: Command = {
  name: 'config check',
  summary: 'checks configuration and environment, as a start would',
  options: { config: configOption },
  async run(context) {
    const settings = await loadSettings(flagsOf(context.values), context)
    const providers = enabledProviders(await takeInventory(settings, context)).map(({ name, provider }) => name ?? provider.name)
    context.print(`${settings.file ?? 'No configuration file'}: nothing is wrong. Providers: ${providers.join(', ') || 'none'}\n`)
  },
}

export const printSchema: Command = {
  name: 'config schema',
  summary: 'prints the JSON Schema of the configuration, for editors',
  options: {},
  run({ print }) {
    print(`${JSON.stringify(configJsonSchema(), null, 2)}\n`)
  },
}
