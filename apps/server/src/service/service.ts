import type { Dashboard, DashboardFile } from '@headgate/dashboard'
import { checkAddresses, enabledEntries } from '@headgate/discovery'
import type { Gateway, GatewayOptions } from '@headgate/gateway'
import { memoryCounters } from '@headgate/gateway/operate'
import {
  configuredPrincipals,
  createTraceBook,
  findSecret,
  openStore,
  type Secret,
  type Store,
  secretWarnings,
} from '@headgate/store'
import { alertTarget, createAlerts } from '@headgate/store/alerts'
import { type Settings, type Surroundings, storeOptions } from '../config/settings.ts'
import { type Management, openManagement } from '../management/management.ts'
import { auditShared } from './answers.ts'
import { isReached, localUrl } from './banner.ts'
import { basePathOf, withoutBasePath } from './base-path.ts'
import { configuredBudgets } from './budgets.ts'
import type { Company } from './company.ts'
import { watchData } from './data-watch.ts'
import type { Inventory } from './inventory.ts'
import { createListener, limitListener, listen } from './listener.ts'
import type { Log } from './log.ts'
import { createMetrics, type Metrics } from './metrics.ts'
import { createMetricsListener } from './metrics-listener.ts'
import { currentPrices, originWarnings, pricesToDoubt } from './options.ts'
import { createServing } from './serving.ts'
import { shareOf } from './share.ts'
import { shutDown } from './shutdown.ts'
import { createSuccession } from './succession.ts'

/** How often at most the log has that there are too many connections, in milliseconds. */
const FULL_MS = 60_000

/** The running program. */
export interface Service {
  /** Where this machine reaches it. */
  readonly url: string
  /** Where metrics are, when they have a port to themselves. */
  readonly metricsUrl?: string
  /** Where people open the dashboard, if there is one and they reach it. */
  readonly dashboardUrl?: string
  /** The one that serves now. */
  readonly gateway: Gateway
  readonly store: Store
  readonly secret: Secret
  /** Absent where the configuration has no accounts. */
  readonly management?: Management
  /** Of this server alone; absent where the configuration has none. */
  readonly metrics?: Metrics
  /** Why no request should be sent here now, as far as this server knows; empty = ready. */
  notReady(): readonly string[]
  /** Puts together what would serve by a configuration that was read anew, and loads its lists of models. */
  prepare(settings: Settings, inventory: Inventory): Promise<Successor>
  /** Ends it in order, within the configured limit. */
  stop(): Promise<void>
}

/** What stands ready to serve instead of what serves now. Either of the two has to be called, once. */
export interface Successor {
  /** Serves from the next request on; what is being served goes on. */
  takeOver(): void
  discard(): Promise<void>
}

export interface ServiceParts extends Pick<Surroundings, 'environment'> {
  readonly settings: Settings
  readonly inventory: Inventory
  readonly log: Log
  /** Absent = the program is this one process. */
  readonly company?: Company
  /** Makes the gateway: by default one that serves core's families. */
  readonly create?: (options: GatewayOptions) => Gateway
  /** Where the files of the dashboard come from: by default its package. */
  readonly site?: () => readonly DashboardFile[]
}

/** Puts store, adapters, gateway and HTTP server together, and listens. */
export async function startService({
  settings,
  inventory,
  log,
  environment,
  company,
  create,
  site: files,
}: ServiceParts): Promise<Service> {
  const { config, dataDir, port, host } = settings
  const { logger } = log
  checkAddresses(settings, inventory, environment)
  const size = company?.size ?? 1
  const counters = company?.counters ?? memoryCounters()
  const phase = { loading: true, stopping: false, shutdown: config.times?.shutdown }

  const secret = findSecret(environment, dataDir)
  for (const warning of secretWarnings(environment, dataDir)) logger.warn(warning)
  let wake = () => {}
  const store = await openStore({
    ...storeOptions(settings),
    onProblem: (problem) => logger.error(problem),
    onAlert: () => wake(),
  })
  const targetOf = ({ config: { budgets = {} } }: Settings) =>
    budgets.alerts && alertTarget(budgets.alerts, () => secret)
  const alerts = createAlerts({
    store: store.alerts,
    target: targetOf(settings),
    onAlert: ({ budget: { id }, percent, window }, sentence) => logger.warn({ budget: id, percent, window }, sentence),
    onProblem: (problem) => logger.error(problem),
  })
  wake = alerts.wake
  const { writable, stored, waiting, lost } = store.ledger
  const data = watchData(settings, () => {
    logger.error(
      `${dataDir} was removed or replaced while it was in use: keys and usage of this program are lost when it ends. Restart it.`,
    )
  })
  const metrics =
    config.metrics === false
      ? undefined
      : createMetrics({
          inFlight: () => succession.inFlight(),
          stored,
          waiting,
          putAside: store.putAside,
          lost,
          missed: () => store.budgets.missed().requests,
        })
  const shown = metrics && (company ? { contentType: metrics.contentType, text: () => company.metrics() } : metrics)

  const traces = createTraceBook({ store, secret, onWarning: (warning) => logger.warn(warning) })
  const notReady = () => [
    ...(phase.loading ? ['the lists of models are loading'] : []),
    ...(data.isGone() ? ['the data directory was removed or replaced'] : []),
    ...(writable() ? [] : ['the journal can not be written']),
    ...(phase.stopping ? ['the program is stopping'] : []),
  ]
  const apart =
    shown && typeof config.metrics === 'object'
      ? { server: createMetricsListener(shown), ...config.metrics }
      : undefined
  const serve = (settings: Settings, inventory: Inventory, after?: Gateway) =>
    createServing({
      settings,
      inventory,
      store,
      // Who could have it be kept, or read it, there is nobody without accounts.
      traces: config.accounts === false ? undefined : traces,
      secret,
      audit: config.accounts === false ? undefined : auditShared(() => management?.accounts),
      localUrl: () => url,
      counters,
      size,
      after,
      ...(create && { create }),
      notReady: company?.notReady ?? notReady,
      metrics: apart ? undefined : shown,
      openapi: () => management?.openapi() ?? { paths: {}, components: {} },
      onAccess: (record) => {
        metrics?.observe(record)
        log.access(record)
      },
      onWarning: (warning) => logger.warn(warning),
      onBudgetRefusal: (refusal) => metrics?.budgetRefused(refusal),
      onRateRefusal: (refusal) => metrics?.rateRefused(refusal),
    })
  /** Before what serves by these settings: a request is priced by what held when it began. */
  const priced = async (settings: Settings, { providers }: Inventory): Promise<void> => {
    for (const warning of [...pricesToDoubt(settings), ...originWarnings(settings)]) logger.warn(warning)
    await store.prices.update(currentPrices(settings, enabledEntries(providers)))
  }
  /** Nothing is linked to before somebody has asked. */
  let url = `http://localhost:${port}`
  let serving = serve(settings, inventory)
  let management: Management | undefined
  let dashboard: Dashboard | undefined
  const succession = createSuccession(serving.gateway)
  const basePath = basePathOf(settings.publicUrl)
  const server = createListener({
    handler: (request, response, awaitsContinue) => {
      if (basePath !== '') request.url = withoutBasePath(request.url ?? '/', basePath)
      // A connection that is kept would hold up the end.
      if (phase.stopping) response.shouldKeepAlive = false
      if (management?.handler.handle(request, response, awaitsContinue)) return
      if (dashboard?.(request, response)) return
      serving.handle(request, response, awaitsContinue)
    },
    clientError: (error, socket) => serving.gateway.clientError(error, socket),
    config: { ...config, limits: shareOf(config.limits, size) },
    onFull: occasionally(FULL_MS, (limit) => logger.warn(`${limit} connections are open, the limit; more are refused`)),
  })

  const prepare = async (next: Settings, inventory: Inventory): Promise<Successor> => {
    checkAddresses(next, inventory, environment)
    await priced(next, inventory)
    const successor = serve(next, inventory, serving.gateway)
    // Before what serves by them: nobody spends what is bounded no more or not yet.
    await store.budgets.configure(configuredBudgets(next))
    store.budgets.limitHeld(next.config.budgets?.held)
    await store.keys.configure(configuredPrincipals(next.keys))
    await successor.gateway.ready()
    const discard = async () => {
      await successor.gateway.close()
      store.budgets.limitHeld(serving.settings.config.budgets?.held)
      await store.budgets.configure(configuredBudgets(serving.settings)).catch((error: unknown) => {
        logger.error(`The budgets of the configuration before could not be restored: ${String(error)}`)
      })
    }
    return {
      takeOver: () => {
        if (phase.stopping) return void successor.gateway.close()
        serving = successor
        succession.takeOver(successor.gateway)
        limitListener(server, { ...next.config, limits: shareOf(next.config.limits, size) })
        phase.shutdown = next.config.times?.shutdown
        alerts.retarget(targetOf(next))
        log.setLevel(next.logLevel)
      },
      discard,
    }
  }

  try {
    // What it does not take now it takes later.
    await store.ledger.takeIn().catch(() => {})
    await priced(settings, inventory)
    await store.budgets.configure(configuredBudgets(settings))
    store.budgets.limitHeld(settings.config.budgets?.held)
    await store.keys.configure(configuredPrincipals(settings.keys))
    const metricsAddress =
      apart && (await listen(apart.server, apart.port, '127.0.0.1', 'metrics.port of the configuration'))
    const address = await listen(server, port, host)
    url = localUrl(address)
    if (config.accounts !== false)
      management = await openManagement({
        settings,
        environment,
        store,
        traces,
        port: address.port,
        serving: () => serving,
        health: async () => company?.health() ?? serving.gateway.health(),
        onAccess: log.access,
        onWarning: (warning) => logger.warn(warning),
        onProblem: (problem) => logger.error(problem),
      })
    if (management && config.dashboard !== false)
      dashboard = (await import('@headgate/dashboard')).createDashboard(files?.(), basePath)
    wake()
    void serving.gateway.ready().finally(() => {
      phase.loading = false
    })
    const stop = async () => {
      phase.stopping = true
      apart?.server.close()
      apart?.server.closeAllConnections()
      const aborted = await shutDown({
        server,
        open: [succession, ...(management ? [management.handler] : [])],
        limit: phase.shutdown ?? 30_000,
      })
      data.close()
      await alerts.end()
      await management?.end()
      if (aborted > 0) logger.warn(`${aborted} requests were aborted, the limit for shutting down was reached`)
      await store.close()
    }
    return {
      url,
      ...(metricsAddress && { metricsUrl: `${localUrl(metricsAddress)}/metrics` }),
      ...(dashboard &&
        management &&
        isReached(settings, management.address) && { dashboardUrl: `${management.address.url}/` }),
      get gateway() {
        return serving.gateway
      },
      store,
      secret,
      ...(management && { management }),
      ...(metrics && { metrics }),
      notReady,
      prepare,
      stop,
    }
  } catch (error) {
    apart?.server.close()
    server.close()
    server.closeAllConnections()
    data.close()
    await alerts.end()
    await store.close()
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
