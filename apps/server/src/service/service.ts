import { EventEmitter } from 'node:events'
import { hostname } from 'node:os'
import { basename } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import type { Dashboard, DashboardFile } from '@headgate/dashboard'
import { checkAddresses, enabledEntries } from '@headgate/discovery'
import type { RoutingRecords } from '@headgate/fleet'
import type { AccessRecord, Gateway, GatewayOptions } from '@headgate/gateway'
import { memoryCounters } from '@headgate/gateway/operate'
import {
  configuredPrincipals,
  createRefusalBook,
  createTraceBook,
  DEFAULT_ORGANIZATION,
  findSecret,
  openStore,
  type RefusalBook,
  type Secret,
  type Store,
  secretWarnings,
  type TraceBook,
} from '@headgate/store'
import { type Alerts, type AlertTarget, alertTarget, createAlerts } from '@headgate/store/alerts'
import { type MetricExporter, type SpanCounts, sharedSpanCounts, spanCountMemory } from '@headgate/telemetry'
import { type AlertOutbox, createAlertOutbox } from '../alerts/outbox.ts'
import { type Settings, type Surroundings, storeOptions } from '../config/settings.ts'
import { createStoredCredentials, type StoredCredentials } from '../credentials/stored.ts'
import { type Fleet, openFleet } from '../fleet/fleet.ts'
import { drainRouting, mergeRouting, ROUTING_MS } from '../fleet/routing-records.ts'
import { type Management, openManagement } from '../management/management.ts'
import { OPERATOR } from '../management/people.ts'
import { createSinkStates, type SinkStates } from '../sinks/states.ts'
import { openMetricExport } from '../telemetry/metric-export.ts'
import { traceReceivers } from '../telemetry/traces.ts'
import { isReached } from './banner.ts'
import { configuredBudgets } from './budgets.ts'
import { type DataWatch, watchData } from './data-watch.ts'
import type { Inventory } from './inventory.ts'
import { type Listeners, limitListener, openListeners } from './listener.ts'
import type { Log } from './log.ts'
import type { Metrics } from './metrics.ts'
import { currentPrices, originWarnings, priceWarnings } from './options.ts'
import { createReadinessChecks, type ReadinessChecks } from './readiness-checks.ts'
import { basePathOf, createEntrance, createRouter } from './router.ts'
import { forgetAddress, noteAddress } from './running-address.ts'
import { auditShared, createServing, type Peers, processLimits, type Serving } from './serving.ts'
import { createHandover, createOpenResponses, type Handover, type OpenResponses, shutDown } from './shutdown.ts'

/** Default of `times.shutdown`, in milliseconds. */
const SHUTDOWN_MS = 30_000

/** Running program. */
export interface Service {
  /** Address on this machine. */
  readonly url: string
  /** Address of the metrics, if they have a separate port. */
  readonly metricsUrl?: string | undefined
  /** Address of the health port, if there is one. */
  readonly healthUrl?: string | undefined
  /** Address of the dashboard, if there is one and browsers can reach it. */
  readonly dashboardUrl?: string | undefined
  /** Gateway that serves the next request. */
  readonly gateway: Gateway
  /** Adapters of this gateway, with credentials that owners have entered. */
  readonly inventory: Inventory
  readonly store: Store
  readonly secret: Secret
  /** Undefined if the configuration has no accounts. */
  readonly management?: Management | undefined
  /** Metrics of this process; undefined if the configuration has none. */
  readonly metrics?: Metrics | undefined
  /** Reasons not to send requests to this process now; empty = ready. */
  notReady(): readonly string[]
  /** Prepares other settings and loads their model lists. */
  prepare(settings: Settings, inventory: Inventory): Promise<Successor>
  /** Time to drain after SIGTERM in milliseconds: `times.drain`, or its default. */
  drainMs(): number
  /**
   * Stops the program within the configured time limit. With `drainMs`, connections are accepted for this time first,
   * while `/readyz` is 503. Default: 0.
   */
  stop(drainMs?: number): Promise<void>
}

/** Part of the program that is ready to serve. Exactly one of its functions must be called, once. */
export interface Successor {
  /** Serves from the next request on; open requests continue. */
  takeOver(): void
  discard(): Promise<void>
}

export interface ServiceParts extends Pick<Surroundings, 'environment'> {
  readonly settings: Settings
  readonly inventory: Inventory
  readonly log: Log
  /** Default: a single process. */
  readonly peers?: Peers | undefined
  /** Creates the gateway. Default: `createGateway`. */
  readonly create?: ((options: GatewayOptions) => Gateway) | undefined
  /** Files of the dashboard. Default: the files of its package. */
  readonly site?: (() => readonly DashboardFile[]) | undefined
  /** Takes the inventory of other settings. Without it, credentials that owners enter are not used. */
  readonly take?: ((settings: Settings) => Promise<Inventory>) | undefined
}

/** Opens store, listener, accounts and gateway, in this order. Earlier requests wait for the gateway. */
export async function startService(parts: ServiceParts): Promise<Service> {
  const { settings, environment } = parts
  checkAddresses(settings, parts.inventory, environment)
  const opened: Closers = []
  try {
    const base = await openBase(parts)
    opened.push(base.close)
    // Rows that the store does not accept now are ingested later.
    await base.store.ledger.ingest().catch(() => {})
    const inventory = await base.credentials.join(settings, parts.inventory)
    await configureStore(base.store, { ...parts, inventory })

    const entrance = createEntrance()
    const listeners = await openListeners(parts, base, entrance)
    opened.push(listeners.close)
    const metricExport = metricExportOf(parts, listeners)
    if (metricExport) opened.push(metricExport.close)

    const { management, dashboard } = await openPages(parts, base, listeners)
    if (management) opened.push(management.end)

    const serve = servingFactory(parts, base, listeners, management)
    base.handover.takeOver(serve(settings, inventory))
    if (base.fleet) opened.push(joinFleet(base.fleet, base))
    openEntrance(entrance, { settings, base, management, dashboard })
    base.alerts.wake()
    void loadModels(base)
    const running = { parts, base, listeners, management, dashboard, serve, metricExport }
    opened.push(followCredentials(running))
    noteAddress(settings.dataDir, listeners.url)
    return serviceOf(running)
  } catch (error) {
    for (const close of opened.reverse()) await close()
    throw error
  }
}

type Closers = (() => void | Promise<void>)[]
type Serve = (settings: Settings, inventory: Inventory, after?: Gateway) => Serving

/** Parts of the program below its listeners. */
interface Base {
  readonly secret: Secret
  readonly store: Store
  readonly alerts: Alerts
  readonly outbox: AlertOutbox
  readonly data: DataWatch
  readonly traces: TraceBook
  readonly refusals: RefusalBook
  readonly credentials: StoredCredentials
  readonly events: EventEmitter
  readonly handover: Handover
  /** Connection to other nodes; undefined if another process of the program has it, or without other nodes. */
  readonly fleet: Fleet | undefined
  /** Reports that this process has changed the store. */
  changed(): void
  readonly responses: OpenResponses
  readonly checks: ReadinessChecks
  readonly sinks: SinkStates
  /** Numbers of exported spans; undefined if spans are not exported. */
  readonly spans: Readonly<SpanCounts> | undefined
  readonly phase: Phase
  notReady(): readonly string[]
  close(): Promise<void>
}

/** Changing state of the program, and its configured times in milliseconds. */
interface Phase {
  isLoading: boolean
  isStopping: boolean
  times: Settings['config']['times']
}

async function openBase(parts: ServiceParts): Promise<Base> {
  const { settings, environment, peers } = parts
  const { logger } = parts.log
  const { config, dataDir } = settings
  const secret = findSecret(environment, dataDir)
  for (const warning of secretWarnings(environment, dataDir)) logger.warn(warning)
  const events = new EventEmitter()
  const onProblem = (problem: string) => logger.error(problem)
  const changed = () => (peers ?? fleet)?.changed()
  const sinks = createSinkStates()
  const spans = settings.traceExport && spanCountMemory()
  const store = await openStore({
    ...storeOptions(settings),
    receivers: traceReceivers(settings, parts.inventory, spans),
    sinks: parts.inventory.sinks,
    onSink: sinks.update,
    onProblem,
    onAlert: () => events.emit('alert'),
    onChange: () => events.emit('change'),
    onCredentials: () => events.emit('credentials'),
  })
  const outbox = createAlertOutbox({ store, secret, settings, onProblem })
  const alerts = createAlerts({
    store: store.alerts,
    target: alertTargetOf(settings, secret),
    deliver: outbox.budget,
    onAlert: ({ budget: { id }, percent, window }, sentence) => logger.warn({ budget: id, percent, window }, sentence),
    onProblem,
  })
  events.on('alert', alerts.wake)
  const fleet = peers ? undefined : await openFleet({ settings, logger, rates: store.rates })
  events.on('change', changed)
  const data = watchData(settings, () => {
    logger.error(
      `${dataDir} was removed or replaced while in use. New keys and usage are lost when the program ends. Restart it now.`,
    )
  })
  const traces = createTraceBook({ store, secret, onWarning: (warning) => logger.warn(warning) })
  const refusals = createRefusalBook({ store, secret, onWarning: (warning) => logger.warn(warning) })
  const phase: Phase = { isLoading: true, isStopping: false, times: config.times }
  const credentials = createStoredCredentials({
    environment,
    secret,
    onProblem,
    store: store.credentials,
    take: parts.take ?? (async () => parts.inventory),
  })
  return {
    secret,
    credentials,
    events,
    store,
    alerts,
    outbox,
    data,
    traces,
    refusals,
    handover: createHandover(),
    fleet,
    changed,
    responses: createOpenResponses(),
    checks: createReadinessChecks(),
    sinks,
    spans: spans && sharedSpanCounts(spans),
    phase,
    notReady: () => [
      ...(phase.isLoading ? ['the model lists are loading'] : []),
      ...(data.isGone() ? ['the data directory was removed or replaced'] : []),
      ...(store.ledger.writable() ? [] : ['the journal cannot be written']),
      ...(phase.isStopping ? ['the program is stopping'] : []),
    ],
    close: async () => {
      data.close()
      await fleet?.close()
      outbox.end()
      await alerts.end()
      await store.close()
    },
  }
}

function alertTargetOf({ config: { budgets = {} } }: Settings, secret: Secret): AlertTarget | undefined {
  return budgets.alerts && alertTarget(budgets.alerts, () => secret)
}

/** Writes configured prices, budgets and keys to the store, before any request uses them. */
async function configureStore(store: Store, { settings, inventory, log }: ServiceParts): Promise<void> {
  await updatePrices(store, { settings, inventory, log })
  await configureBudgets(store, settings)
  await store.keys.configure(configuredPrincipals(settings.keys))
}

/** Updates prices. A request keeps the prices from its beginning. */
async function updatePrices(
  store: Store,
  { settings, inventory, log }: Pick<ServiceParts, 'settings' | 'inventory' | 'log'>,
): Promise<void> {
  for (const warning of [...priceWarnings(settings), ...originWarnings(settings)]) log.logger.warn(warning)
  await store.prices.update(currentPrices(settings, enabledEntries(inventory.providers)))
}

async function configureBudgets({ budgets }: Store, settings: Settings): Promise<void> {
  budgets.limitHeld(settings.config.budgets?.held)
  await budgets.configure(configuredBudgets(settings))
}

/** Export of metrics. Workers leave it to their primary process. */
function metricExportOf(
  { settings: { metricExport: settings }, peers, log: { logger } }: ServiceParts,
  { metrics }: Listeners,
): MetricExporter | undefined {
  if (!settings || !metrics || peers) return undefined
  return openMetricExport({ settings, read: metrics.snapshot, onProblem: (problem) => logger.warn(problem) })
}

interface ManagementPages {
  readonly management: Management | undefined
  readonly dashboard: Dashboard | undefined
}

/** Opens the accounts, their API and the dashboard, unless they are disabled. */
async function openPages(
  { settings, environment, log, peers, site }: ServiceParts,
  { store, traces, refusals, outbox, changed, handover: { current } }: Base,
  { port }: Listeners,
): Promise<ManagementPages> {
  if (settings.config.accounts === false) return { management: undefined, dashboard: undefined }
  const dashboard =
    settings.config.dashboard === false
      ? undefined
      : (await import('@headgate/dashboard')).createDashboard(site?.(), basePathOf(settings.publicUrl))
  const management = await openManagement({
    settings,
    environment,
    store,
    traces,
    refusals,
    outbox,
    port,
    serving: current,
    health: async () => peers?.health() ?? current().gateway.health(),
    onAccess: (record) => {
      log.access(record)
      if (!isStoreChange(record)) return
      store.wake()
      changed()
    },
    onWarning: (warning) => log.logger.warn(warning),
    onProblem: (problem) => log.logger.error(problem),
  })
  return { management, dashboard }
}

/** True if a request of the management API may have changed keys, budgets or prices. */
function isStoreChange({ method, path, status }: Pick<AccessRecord, 'method' | 'path' | 'status'>): boolean {
  return method !== 'GET' && method !== 'HEAD' && status < 400 && !path.includes('/playground')
}

/** Exchanges changes of the store and knowledge about upstreams with other nodes. Returns its end. */
function joinFleet(fleet: Fleet, { store, handover }: Pick<Base, 'store' | 'handover'>): () => void {
  const merge = (records: RoutingRecords): void => mergeRouting(handover.current().gateway, records)
  fleet.join({ onChange: store.wake, onRouting: merge })
  void fleet.stored().then(merge)
  const timer = setInterval(() => {
    const records = drainRouting(handover.current().gateway)
    if (records) fleet.share(records)
  }, ROUTING_MS).unref()
  return () => clearInterval(timer)
}

/** Creates the part of the program that a reload replaces. */
function servingFactory(
  { log, peers, create }: ServiceParts,
  { store, secret, traces, refusals, notReady, checks, sinks, fleet }: Base,
  { url, metrics, shownMetrics }: Listeners,
  management: Management | undefined,
): Serve {
  const counters = peers?.counters ?? fleet?.counters ?? memoryCounters()
  const checked = (): readonly string[] => {
    const reasons = notReady()
    checks.count(reasons.length === 0)
    return reasons
  }
  return (settings, inventory, after) =>
    createServing({
      settings,
      inventory,
      store,
      // Only signed-in users can request and read traces.
      traces: management && traces,
      refusals,
      secret,
      audit: management && auditShared(management.accounts),
      url,
      counters,
      size: peers?.size ?? 1,
      after,
      create,
      notReady: peers?.notReady ?? checked,
      notes: () => [...((peers ?? fleet)?.notes() ?? []), ...sinks.notes()],
      metrics: shownMetrics,
      openapi: () => management?.openapi() ?? { paths: {}, components: {} },
      onAccess: (record) => {
        metrics?.observe(record)
        log.access(record)
      },
      onWarning: (warning) => log.logger.warn(warning),
      onBudgetRefusal: (refusal) => metrics?.budgetRefused(refusal),
      onRateRefusal: (refusal) => metrics?.rateRefused(refusal),
    })
}

function openEntrance(
  entrance: ReturnType<typeof createEntrance>,
  {
    settings,
    base: { responses, handover },
    management,
    dashboard,
  }: ManagementPages & { readonly settings: Settings; readonly base: Base },
): void {
  const route = createRouter({
    basePath: basePathOf(settings.publicUrl),
    management: management?.handler,
    dashboard,
    serving: handover.current,
  })
  entrance.open({
    handle: (request, response, awaitsContinue) => {
      responses.add(response)
      route(request, response, awaitsContinue)
    },
    clientError: (error, socket) => handover.current().gateway.clientError(error, socket),
  })
}

async function loadModels({ handover, phase }: Base): Promise<void> {
  await handover
    .current()
    .gateway.ready()
    .finally(() => {
      phase.isLoading = false
    })
}

interface RunningService extends ManagementPages {
  readonly parts: ServiceParts
  readonly base: Base
  readonly listeners: Listeners
  readonly serve: Serve
  readonly metricExport: MetricExporter | undefined
}

function serviceOf(running: RunningService): Service {
  const { parts, base, listeners, management, dashboard } = running
  const { store, secret, handover, notReady } = base
  const { url, metricsUrl, healthUrl, metrics } = listeners
  const isOpen = management && dashboard && isReached(parts.settings, management.address)
  return {
    url,
    metricsUrl,
    healthUrl,
    dashboardUrl: isOpen ? `${management.address.url}/` : undefined,
    get gateway() {
      return handover.current().gateway
    },
    get inventory() {
      return handover.current().inventory
    },
    store,
    secret,
    management,
    metrics,
    notReady,
    prepare: (settings, inventory) => prepare(running, settings, inventory),
    drainMs: () => base.phase.times?.drain ?? base.checks.defaultDrain(),
    stop: (drainMs = 0) => stop(running, drainMs),
  }
}

/** Time after which unread credentials are read again, in milliseconds. */
const CREDENTIALS_RETRY = 10_000

/**
 * Serves with the credentials that the store has, at each change of them and after each reload. Returns its end.
 */
function followCredentials(running: RunningService): () => void {
  const { base, parts } = running
  const { handover, credentials, phase, events } = base
  let isRunning = false
  let isWanted = false
  const follow = async (): Promise<void> => {
    while (isWanted && !phase.isStopping) {
      isWanted = false
      const { settings, inventory } = handover.current()
      if (!(await credentials.isStale(inventory))) continue
      const successor = await prepare(running, settings, await (parts.take?.(settings) ?? parts.inventory))
      // A reload in between has other settings.
      if (handover.current().settings === settings) successor.takeOver()
      else await successor.discard()
      isWanted = true
    }
  }
  const run = async (): Promise<void> => {
    isRunning = true
    try {
      await follow()
    } catch (error) {
      parts.log.logger.error(`Changed credentials of providers are not used yet: ${String(error)}`)
      setTimeout(wake, CREDENTIALS_RETRY).unref()
    }
    isRunning = false
  }
  const wake = (): void => {
    isWanted = true
    if (!isRunning) void run()
  }
  if (parts.take) {
    events.on('credentials', wake)
    // They may have changed since the first inventory.
    wake()
  }
  return () => void events.off('credentials', wake)
}

async function prepare(running: RunningService, settings: Settings, found: Inventory): Promise<Successor> {
  const { parts, base, serve } = running
  const { store, handover } = base
  const { logger } = parts.log
  checkAddresses(settings, found, parts.environment)
  const inventory = await base.credentials.join(settings, found)
  await updatePrices(store, { settings, inventory, log: parts.log })
  const successor = serve(settings, inventory, handover.current().gateway)
  // Limits must be in force before the successor serves requests.
  await configureBudgets(store, settings)
  await store.keys.configure(configuredPrincipals(settings.keys))
  await successor.gateway.ready()
  return {
    takeOver: () => takeOver(running, successor),
    discard: async () => {
      await successor.gateway.close()
      await configureBudgets(store, handover.current().settings).catch((error: unknown) => {
        logger.error(`The budgets of the previous configuration could not be restored: ${String(error)}`)
      })
    },
  }
}

/** Records a reload of the configuration in the audit log, once for each process. */
function recordReload({ management, parts: { log } }: RunningService, { file }: Settings): void {
  const act = {
    action: 'config.reload',
    organization: DEFAULT_ORGANIZATION,
    after: { node: hostname(), ...(file !== undefined && { file: basename(file) }) },
  }
  management?.accounts.recordAct(OPERATOR, act).catch((error: unknown) => {
    log.logger.warn(`The reload of the configuration is missing in the audit log: ${String(error)}`)
  })
}

function takeOver(running: RunningService, successor: Serving): void {
  const {
    parts: { log, peers },
    base,
    listeners: { server },
  } = running
  const { settings, gateway } = successor
  const { config, logLevel } = settings
  if (base.phase.isStopping) return void gateway.close()
  const isReload = base.handover.current().settings !== settings
  base.handover.takeOver(successor)
  if (isReload) recordReload(running, settings)
  limitListener(server, { ...config, limits: processLimits(config.limits, peers?.size ?? 1) })
  base.phase.times = config.times
  base.alerts.retarget(alertTargetOf(settings, base.secret))
  log.setLevel(logLevel)
  // The store may have changed since the successor was prepared.
  base.events.emit('credentials')
}

async function stop(
  { parts, base, listeners, management, metricExport }: RunningService,
  drainMs: number,
): Promise<void> {
  base.phase.isStopping = true
  base.responses.closeConnections()
  if (drainMs > 0) await wait(drainMs)
  listeners.closeMetrics()
  forgetAddress(parts.settings.dataDir, listeners.url)
  const aborted = await shutDown({
    server: listeners.server,
    open: [base.handover, ...(management ? [management.handler] : [])],
    limit: base.phase.times?.shutdown ?? SHUTDOWN_MS,
  })
  await management?.end()
  await metricExport?.close()
  if (aborted > 0) parts.log.logger.warn(`${aborted} requests were aborted because the shutdown time limit was reached`)
  await base.close()
}
