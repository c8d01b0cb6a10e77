import { takeInventory } from '../adapters/inventory.ts'
import { loadSettings } from '../config/settings.ts'
import { type Command, configOption, flagsOf, table } from './command.ts'

export const listAdapters: Command = {
  name: 'adapters',
  summary: 'lists the adapters that are found, and why each is used or not',
  options: { config: configOption },
  async run(context) {
    const settings = await loadSettings(flagsOf(context.values), context)
    const states = await takeInventory(settings, context)
    const rows = states.map(({ adapter, name, entry, why }) => [
      name,
      adapter.id,
      adapter.package.version,
      entry ? 'enabled' : 'off',
      why,
      adapter.package.path,
    ])
    context.print(table(['NAME', 'ADAPTER', 'VERSION', 'STATE', 'WHY', 'PATH'], rows))
  },
}
