import type { IncomingMessage, ServerResponse } from 'node:http'
import { createGateway, type Gateway, type GatewayOptions } from '@headgate/core'
import type { Store } from '@headgate/store'
import { enabledEntries } from '../adapters/choice.ts'
import type { Inventory } from '../adapters/inventory.ts'
import type { Settings } from '../config/settings.ts'
import { createAuthentication } from './authentication.ts'
import { createOperations, type OperationSources } from './operations.ts'
import { configuredOptions } from './options.ts'
import { shareOf } from './share.ts'
import { estimateTokens } from './token-estimate.ts'

/** What of the program comes from its configuration and adapters alone, and is put together anew when these are read anew. */
export interface Serving {
  readonly gateway: Gateway
  handle(request: IncomingMessage, response: ServerResponse, awaitsContinue?: boolean): void
}

export interface ServingParts
  extends Pick<OperationSources, 'notReady' | 'metrics'>,
    Required<Pick<GatewayOptions, 'onAccess' | 'onWarning'>> {
  readonly settings: Settings
  readonly inventory: Inventory
  readonly store: Store
  /** Of how many servers the program is. */
  readonly size: number
  readonly create?: (options: GatewayOptions) => Gateway
}

export function createServing(parts: ServingParts): Serving {
  const { settings, inventory, store, size, create = createGateway, notReady, metrics, onAccess, onWarning } = parts
  const { config, keys } = settings
  const authenticate = createAuthentication(keys, store.keys)
  const own = { ...settings, config: { ...config, limits: shareOf(config.limits, size) } }
  const gateway = create({
    ...configuredOptions(own, enabledEntries(inventory.providers), inventory.search),
    authenticate,
    ledger: store.ledger,
    prices: store.prices,
    lists: store.lists,
    estimateTokens,
    onAccess,
    onWarning,
  })
  const operate = createOperations({ authenticate, notReady, metrics, origins: config.origins, onWarning })
  return {
    gateway,
    handle: (request, response, awaitsContinue) => {
      if (!operate(request, response)) gateway.node(request, response, awaitsContinue)
    },
  }
}
