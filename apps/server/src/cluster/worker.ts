import cluster from 'node:cluster'
import { HeadgateError } from '@headgate/gateway'
import type { RateExchange } from '@headgate/gateway/ports'
import type { CommandContext } from '../commands/command.ts'
import type { Settings } from '../config/settings.ts'
import { drainRouting, mergeRouting, ROUTING_MS } from '../fleet/routing-records.ts'
import { version } from '../program.ts'
import { banner } from '../service/banner.ts'
import { firstKey } from '../service/first-key.ts'
import { type Inventory, takeInventory } from '../service/inventory.ts'
import { createLog, type Log } from '../service/log.ts'
import { type Service, type Successor, startService } from '../service/service.ts'
import { createProcessExit, type ProcessExit } from '../service/shutdown.ts'
import { type About, LOST, type Report, type WorkerNews, type WorkerOrder } from './messages.ts'
import { openOwnCounters } from './own-counters.ts'
import { createPeers, type WorkerPeers } from './peers.ts'

/** Worker with its state after the `begin` message. */
interface WorkerState {
  readonly context: CommandContext
  readonly number: number
  peers?: WorkerPeers
  running?: RunningWorker
  successor?: Successor | undefined
  /** Resolves when slow orders are done. */
  queue: Promise<void>
  stopping: boolean
}

interface RunningWorker {
  readonly settings: Settings
  readonly inventory: Inventory
  readonly log: Log
  readonly service: Service
  readonly ending: ProcessExit
}

/** Runs a worker. It starts, changes and stops on messages from the primary process. */
export function serveAsWorker(context: CommandContext): void {
  const worker = cluster.worker
  if (!worker) throw new TypeError('A worker must be started by its primary process.')
  const number = Number(context.environment['HEADGATE_WORKER'])
  const state: WorkerState = { context, number, queue: Promise.resolve(), stopping: false }
  process.on('message', (message) => obey(state, message as WorkerOrder))
  // Terminals and service managers send signals to all processes of the program. The primary process handles them for
  // its workers.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => {})
  worker.on('disconnect', () => {
    // Otherwise Node would end the worker immediately when the primary process is gone.
    worker.exitedAfterDisconnect = true
    state.running?.log.logger.warn('the primary process is gone: finishing open requests')
    state.peers?.counters.orphaned()
    stop(state, 0)
  })
}

function obey(state: WorkerState, order: WorkerOrder): unknown {
  switch (order.kind) {
    case 'begin':
      return inTurn(state, () => begin(state, order.settings, order.port).catch(refuse))
    case 'first-key':
      return inTurn(state, async () => state.running && makeFirstKey(state.running, order.print))
    case 'prepare':
      return inTurn(state, () => prepare(state, order.settings))
    case 'take-over':
      return inTurn(state, async () => takeSuccessor(state)?.takeOver())
    case 'discard':
      return inTurn(state, async () => void takeSuccessor(state)?.discard())
    case 'stop':
      return stop(state, order.drainMs)
    case 'stop-now':
      return state.running ? state.running.ending.endNow(order.code) : process.exit(order.code)
    case 'report':
      return report(state, order.id, order.about)
    case 'gathered':
      return state.peers?.gathered(order.id, order.reports)
    case 'rated':
      return state.peers?.counters.answered(order.replies)
    case 'routing':
      return state.running && mergeRouting(state.running.service.gateway, order.records)
    case 'wake':
      return state.running?.service.store.wake()
    case 'notes':
      return state.peers?.noted(order.notes)
    case 'exchange':
      return exchange(state, order.id, order.exchange)
  }
}

/** Runs slow orders one after the other. */
function inTurn(state: WorkerState, work: () => Promise<void>): void {
  state.queue = state.queue.then(work)
}

function tell(news: WorkerNews, then?: () => void): void {
  // The event `disconnect` reports a broken channel.
  if (process.connected) process.send?.(news, undefined, undefined, () => then?.())
  else then?.()
}

async function begin(state: WorkerState, settings: Settings, port: number): Promise<void> {
  const { context, number } = state
  const { environment, dotenv } = context
  const inventory = await takeInventory(settings, context)
  const log = createLog(settings.logLevel, { worker: number })
  if (number === 1) for (const one of inventory.skipped) log.logger.warn(one)
  const { logger } = log
  const peers = createPeers({
    size: settings.workers,
    tell,
    openOwn: () => openOwnCounters({ settings, logger, rates: state.running?.service.store.rates }, settings.workers),
    warn: (warning) => logger.warn(warning),
  })
  state.peers = peers
  const take = (next: Settings) => takeInventory(next, context)
  const service = await startService({ settings: { ...settings, port }, inventory, log, environment, peers, take })
  state.running = { settings, inventory, log, service, ending: createProcessExit(service, log, LOST) }
  setInterval(() => shareRouting(service), ROUTING_MS).unref()
  const { url, metricsUrl, healthUrl, dashboardUrl } = service
  log.logger.info({ pid: process.pid }, 'serving')
  tell({
    kind: 'listening',
    url,
    port: Number(new URL(url).port) || 80,
    banner: banner({
      version,
      url,
      metricsUrl,
      healthUrl,
      dashboardUrl,
      settings,
      inventory: service.inventory,
      dotenv,
    }),
  })
}

function shareRouting({ gateway }: Service): void {
  const records = drainRouting(gateway)
  if (records) tell({ kind: 'routing', records })
}

/** Exchanges shared rate limits with the store of this worker, for the primary process. */
async function exchange({ running }: WorkerState, id: number, rates: RateExchange): Promise<void> {
  const reply = await running?.service.store.rates?.exchange(rates).catch(() => undefined)
  tell({ kind: 'exchanged', id, reply })
}

function refuse(error: unknown): void {
  if (!HeadgateError.is(error)) throw error
  tell({ kind: 'refused', message: error.message, param: error.param }, () => process.exit(1))
}

async function makeFirstKey({ settings, inventory, service }: RunningWorker, print: boolean): Promise<void> {
  const { gateway, url, store, management } = service
  const text = await firstKey({ settings, keys: store.keys, gateway, inventory, url, management, print })
  tell({ kind: 'first-key', text })
}

async function prepare(state: WorkerState, settings: Settings): Promise<void> {
  const { context, number, running } = state
  try {
    const inventory = await takeInventory(settings, context)
    state.successor = await running?.service.prepare(settings, inventory)
    if (number === 1) for (const one of inventory.outdated) running?.log.logger.warn(one)
    tell({ kind: 'prepared' })
  } catch (error) {
    tell({ kind: 'prepared', problem: error instanceof Error ? error.message : String(error) })
  }
}

function takeSuccessor(state: WorkerState): Successor | undefined {
  const { successor } = state
  state.successor = undefined
  return successor
}

const REPORTS: Record<About, (service: Service) => Report | Promise<Report | undefined>> = {
  readiness: (service) => service.notReady(),
  metrics: async ({ metrics }) => metrics?.snapshot(),
  health: ({ gateway }) => gateway.health().map((one) => JSON.stringify(one)),
}

async function report({ running }: WorkerState, id: number, about: About): Promise<void> {
  tell({ kind: 'report', id, report: (running && (await REPORTS[about](running.service))) ?? [] })
}

function stop(state: WorkerState, drainMs: number): void {
  if (state.stopping) return
  state.stopping = true
  if (state.running) state.running.ending.end(0, drainMs)
  else process.exit(0)
}
