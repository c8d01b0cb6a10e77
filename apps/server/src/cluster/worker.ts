import cluster from 'node:cluster'
import { HeadgateError } from '@headgate/gateway'
import type { CommandContext } from '../commands/command.ts'
import type { Settings } from '../config/settings.ts'
import { version } from '../program.ts'
import { banner } from '../service/banner.ts'
import { createEnding, type Ending } from '../service/ending.ts'
import { firstKey } from '../service/first-key.ts'
import { type Inventory, takeInventory } from '../service/inventory.ts'
import { createLog, type Log } from '../service/log.ts'
import { type Service, type Successor, startService } from '../service/service.ts'
import { createCompany, type WorkerCompany } from './company.ts'
import { type About, LOST, type News, type Order, type Report } from './messages.ts'

/** What a worker has once it was told to begin. */
interface Begun {
  readonly settings: Settings
  readonly inventory: Inventory
  readonly log: Log
  readonly service: Service
  readonly ending: Ending
}

/** Serves as one of several workers: begins, changes and ends as the primary process says. */
export function serveAsWorker(context: CommandContext): void {
  const number = Number(context.environment['HEADGATE_WORKER'])
  const worker = cluster.worker
  if (!worker) throw new TypeError('A worker is started by its primary process.')
  const tell = (news: News, then?: () => void) => {
    if (!process.connected) return then?.()
    // A channel that breaks on the way is told of as `disconnect`.
    process.send?.(news, undefined, undefined, () => then?.())
  }
  let company: WorkerCompany | undefined
  let begun: Begun | undefined
  let successor: Successor | undefined
  let order = Promise.resolve()
  let stopping = false

  const begin = async (settings: Settings, port: number): Promise<void> => {
    const { environment } = context
    const inventory = await takeInventory(settings, context)
    const log = createLog(settings.logLevel, { worker: number })
    if (number === 1) for (const one of inventory.skipped) log.logger.warn(one)
    company = createCompany(settings.workers, tell, (warning) => log.logger.warn(warning))
    const service = await startService({ settings: { ...settings, port }, inventory, log, environment, company })
    begun = { settings, inventory, log, service, ending: createEnding(service, log, LOST) }
    const { url, metricsUrl, dashboardUrl } = service
    log.logger.info({ pid: process.pid }, 'serving')
    tell({
      kind: 'listening',
      url,
      port: Number(new URL(url).port) || 80,
      banner: banner({ version, url, metricsUrl, dashboardUrl, settings, inventory, dotenv: context.dotenv }),
    })
  }
  const prepare = async (settings: Settings): Promise<void> => {
    try {
      const inventory = await takeInventory(settings, context)
      successor = await begun?.service.prepare(settings, inventory)
      if (number === 1) for (const one of inventory.outdated) begun?.log.logger.warn(one)
      tell({ kind: 'prepared' })
    } catch (error) {
      tell({ kind: 'prepared', problem: error instanceof Error ? error.message : String(error) })
    }
  }
  const makeFirstKey = async ({ settings, inventory, service }: Begun, print: boolean): Promise<void> => {
    const { gateway, url, store, management } = service
    tell({
      kind: 'first-key',
      text: await firstKey({ settings, keys: store.keys, gateway, inventory, url, management, print }),
    })
  }
  const found: Record<About, (service: Service) => Report | Promise<Report | undefined>> = {
    readiness: (service) => service.notReady(),
    metrics: async ({ metrics }) => metrics?.snapshot(),
    health: ({ gateway }) => gateway.health().map((one) => JSON.stringify(one)),
  }
  const report = async (id: number, about: About): Promise<void> => {
    tell({ kind: 'report', id, report: (begun && (await found[about](begun.service))) ?? [] })
  }
  const stop = () => {
    if (stopping) return
    stopping = true
    if (begun) begun.ending.end(0)
    else process.exit(0)
  }
  const refuse = (error: unknown) => {
    if (!HeadgateError.is(error)) throw error
    tell({ kind: 'refused', message: error.message, param: error.param }, () => process.exit(1))
  }
  /** What takes a while is done in the order in which it was told. */
  const inTurn = (work: () => Promise<void>) => {
    order = order.then(work)
  }

  const obey = (told: Order): unknown => {
    switch (told.kind) {
      case 'begin':
        return inTurn(() => begin(told.settings, told.port).catch(refuse))
      case 'first-key':
        return inTurn(async () => begun && makeFirstKey(begun, told.print))
      case 'prepare':
        return inTurn(() => prepare(told.settings))
      case 'take-over':
        return inTurn(async () => {
          successor?.takeOver()
          successor = undefined
        })
      case 'discard':
        return inTurn(async () => {
          void successor?.discard()
          successor = undefined
        })
      case 'stop':
        return stop()
      case 'stop-now':
        return begun ? begun.ending.endNow(told.code) : process.exit(told.code)
      case 'report':
        return report(told.id, told.about)
      case 'gathered':
        return company?.gathered(told.id, told.reports)
      case 'rated':
        return company?.counters.answered(told.replies)
    }
  }

  process.on('message', (message) => obey(message as Order))
  // Signals reach all processes of a terminal or of a service at once. They mean the program, and its primary process
  // says what they do.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => {})
  worker.on('disconnect', () => {
    // Left alone, Node ends at once a worker whose primary process is gone.
    worker.exitedAfterDisconnect = true
    begun?.log.logger.warn('the primary process is gone: finishing what is open')
    stop()
  })
}
