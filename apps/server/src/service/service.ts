import { createGateway, type Gateway } from '@headgate/core'
import { enabledEntries } from '../adapters/choice.ts'
import type { Inventory } from '../adapters/inventory.ts'
import type { Settings } from '../config/settings.ts'
import { openStore, type Store } from '../store/store.ts'
import { createAuthentication } from './authentication.ts'
import { localUrl } from './banner.ts'
import { createListener, listen } from './listener.ts'
import type { Log } from './log.ts'
import { createMetrics } from './metrics.ts'
import { createOperations } from './operations.ts'
import { configuredOptions } from './options.ts'
import { shutDown } from './shutdown.ts'
import { estimateTokens } from './token-estimate.ts'

/** The running program. */
export interface Service {
  /** Where this machine reaches it. */
  readonly url: string
  readonly gateway: Gateway
  readonly store: Store
  /** Ends it in order, within the configured limit. */
  stop(): Promise<void>
}

/** Puts store, adapters, gateway and HTTP server together, and listens. */
export async function startService(settings: Settings, { providers, search }: Inventory, log: Log): Promise<Service> {
  const { config, dataDir, keys, port, host } = settings
  const { logger } = log
  const phase = { loading: true, stopping: false }

  const store = openStore(dataDir, (problem) => logger.error(problem))
  const authenticate = createAuthentication(keys, store.keys)
  const gateway = createGateway({
    ...configuredOptions(settings, enabledEntries(providers), search),
    authenticate,
    ledger: store.ledger,
    lists: store.lists,
    estimateTokens,
    onAccess: (record) => {
      metrics?.observe(record)
      log.access(record)
    },
    onWarning: (warning) => logger.warn(warning),
  })
  const storeWritable = () => store.ledger.writable()
  const metrics = config.metrics === false ? undefined : createMetrics({ inFlight: () => gateway.inFlight(), storeWritable })

  const notReady = () => [
    ...(phase.loading ? ['the lists of models are loading'] : []),
    ...(storeWritable() ? [] : ['the store can not be written']),
    ...(phase.stopping ? ['the program is stopping'] : []),
  ]
  const operate = createOperations({ authenticate, notReady, metrics })
  const server = createListener((request, response) => {
    // A connection that is kept would hold up the end.
    if (phase.stopping) response.shouldKeepAlive = false
    if (!operate(request, response)) gateway.node(request, response)
  })

  try {
    await store.ledger.takeIn()
    const address = await listen(server, port, host)
    void gateway.ready().finally(() => {
      phase.loading = false
    })
    const stop = async () => {
      phase.stopping = true
      const aborted = await shutDown({ server, gateway, limit: config.times?.shutdown ?? 30_000 })
      if (aborted > 0) logger.warn(`${aborted} requests were aborted, the limit for shutting down was reached`)
      store.close()
    }
    return { url: localUrl(address), gateway, store, stop }
  } catch (error) {
    store.close()
    throw error
  }
}
