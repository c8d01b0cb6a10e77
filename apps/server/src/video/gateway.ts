import type { ProviderState } from '@headgate/discovery'
import { enabledEntries } from '@headgate/discovery'
import { createGateway, type Gateway } from '@headgate/gateway'
import { findSecret, openStore, type StoreOptions } from '@headgate/store'
import type { CommandContext } from '../commands/command.ts'
import { keyPrincipal } from '../commands/key-principal.ts'
import type { Settings } from '../config/settings.ts'
import { type Inventory, takeInventory } from '../service/inventory.ts'
import { configuredOptions, currentPrices } from '../service/options.ts'
import { taskOptions } from '../service/serving.ts'

export interface GatewayParts {
  readonly settings: Settings
  readonly options: Omit<StoreOptions, 'onProblem'>
  readonly context: CommandContext
  /** Models and providers named by the command. */
  readonly names: readonly string[]
  /** Id or name of the key whose rights apply. Default: no restrictions. */
  readonly key?: string | undefined
}

/** Base URL that only this process uses. */
const URL = 'http://headgate.local'

/** Inventory in which a last-resort provider is enabled if the command names it. */
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
 * Runs a gateway for one command. Another gateway can use the store at the same time. Results are stored, and usage
 * counts for the command line.
 */
export async function withGateway<T>(parts: GatewayParts, use: (gateway: Gateway) => Promise<T>): Promise<T> {
  const { settings, options, context, key } = parts
  const note = (message: string): void => context.note(`${message}\n`)
  const inventory = await inventoryFor(parts)
  const providers = enabledEntries(inventory.providers)
  const secret = findSecret(context.environment, settings.dataDir)
  const store = await openStore({ ...options, onProblem: note })
  try {
    await store.prices.update(currentPrices(settings, providers))
    const caller = key === undefined ? { id: 'command-line' } : await keyPrincipal(settings, store, key)
    const gateway = createGateway({
      ...configuredOptions(settings, providers, { secret }),
      authenticate: () => caller,
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
