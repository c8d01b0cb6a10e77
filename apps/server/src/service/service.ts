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
import { createMetricsListener } from './metrics-listener.ts'
import { createOperations } from './operations.ts'
import { configuredOptions } from './options.ts'
import { shutDown } from './shutdown.ts'
import { estimateTokens } from './token-estimate.ts'

/** How often at most the log has that there are too many connections, in milliseconds. */
const FULL_MS = 60_000

/** The running program. */
export interface Service {
  /** Where this machine reaches it. */
  readonly url: string
  /** Where metrics are, when they have a port to themselves. */
  readonly metricsUrl?: string
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
  const { putAside, lost } = store.ledger
  const metrics =
    config.metrics === false ? undefined : createMetrics({ inFlight: () => gateway.inFlight(), storeWritable, putAside, lost })

  const notReady = () => [
    ...(phase.loading ? ['the lists of models are loading'] : []),
    ...(storeWritable() ? [] : ['the store can not be written']),
    ...(phase.stopping ? ['the program is stopping'] : []),
  ]
  const apart = metrics && typeof config.metrics === 'object' ? { server: createMetricsListener(metrics), ...config.metrics } : undefined
  const operate = createOperations({
    authenticate,
    notReady,
    metrics: apart ? undefined : metrics,
    origins: config.origins,
    onWarning: (warning) => logger.warn(warning),
  })
  const server = createListener({
    handler: (request, response, awaitsContinue) => {
      // A connection that is kept would hold up the end.
      if (phase.stopping) response.shouldKeepAlive = false
      if (!operate(request, response)) gateway.node(request, response, awaitsContinue)
    },
    clientError: gateway.clientError,
    config,
    onFull: occasionally(FULL_MS, (limit) => logger.warn(`${limit} connections are open, the limit; more are refused`)),
  })

  try {
    await store.ledger.takeIn()
    const metricsAddress = apart && (await listen(apart.server, apart.port, '127.0.0.1', 'metrics.port of the configuration'))
    const address = await listen(server, port, host)
    void gateway.ready().finally(() => {
      phase.loading = false
    })
    const stop = async () => {
      phase.stopping = true
      apart?.server.close()
      apart?.server.closeAllConnections()
      const aborted = await shutDown({ server, gateway, limit: config.times?.shutdown ?? 30_000 })
      if (aborted > 0) logger.warn(`${aborted} requests were aborted, the limit for shutting down was reached`)
      store.close()
    }
    return { url: localUrl(address), ...(metricsAddress && { metricsUrl: `${localUrl(metricsAddress)}/metrics` }), gateway, store, stop }
  } catch (error) {
    apart?.server.close()
    store.close()
    throw error
  }
}

/** Runs at most once in so many milliseconds. */
function occasionally<T>(ms: number, run: (value: T) => void): (value: T) => void {
  let last = Number.NEGATIVE_INFINITY
  return (value) => {
    const now = performance.now()
    if (now - last < ms) return
    last = now
    run(value)
  }
}
