import type { ProviderState } from '@headgate/discovery'
import { enabledEntries } from '@headgate/discovery'
import { createGateway, type Gateway } from '@headgate/gateway'
import { findSecret, openStore, type StoreOptions } from '@headgate/store'
import type { CommandContext } from '../commands/command.ts'
import type { Settings } from '../config/settings.ts'
import { type Inventory, takeInventory } from '../service/inventory.ts'
import { configuredOptions, currentPrices } from '../service/options.ts'
import { taskOptions } from '../service/serving.ts'

export interface GatewayParts {
  readonly settings: Settings
  readonly options: Omit<StoreOptions, 'onProblem'>
  readonly context: CommandContext
  /** What the command asks for by name: models, and providers. */
  readonly names: readonly string[]
}

/** Nobody but this process reaches it. */
const URL = 'http://headgate.local'

/** Whoever asks for a provider of last resort by its name means it, whatever else there is. */
async function inventoryFor({ settings, context, names }: GatewayParts): Promise<Inventory> {
  const inventory = await takeInventory(settings, context)
  const { config } = settings
  const isMeant = ({ adapter, name, entry }: ProviderState): boolean =>
    adapter.description.enable === 'last-resort' && !entry && !config.providers?.[name] && names.includes(name)
  const meant = inventory.providers.filter(isMeant)
  if (meant.length === 0) return inventory
  const providers = { ...config.providers, ...Object.fromEntries(meant.map(({ name }) => [name, {}])) }
  return takeInventory({ ...settings, config: { ...config, providers } }, context)
}

/**
 * A gateway for one command, beside a program that may run: what it makes is in the store, and accounted for as the
 * command line's.
 */
export async function withGateway<T>(parts: GatewayParts, use: (gateway: Gateway) => Promise<T>): Promise<T> {
  const { settings, options, context } = parts
  const note = (message: string): void => context.note(`${message}\n`)
  const inventory = await inventoryFor(parts)
  const providers = enabledEntries(inventory.providers)
  const secret = findSecret(context.environment, settings.dataDir)
  const store = await openStore({ ...options, onProblem: note })
  try {
    await store.prices.update(currentPrices(settings, providers))
    const gateway = createGateway({
      ...configuredOptions(settings, providers),
      authenticate: () => ({ id: 'command-line' }),
      ledger: store.ledger,
      prices: store.prices,
      lists: store.lists,
      tasks: { ...taskOptions(settings, store, secret, () => URL), linking: 'own' },
      onWarning: note,
    })
    try {
      await gateway.ready()
      return await use(gateway)
    } finally {
      await gateway.close()
    }
  } finally {
    await store.close()
  }
}
