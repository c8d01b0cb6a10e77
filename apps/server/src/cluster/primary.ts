import { HeadgateError } from '@headgate/gateway'
import type { MetricExporter } from '@headgate/telemetry'
import { type CommandContext, flagsOf } from '../commands/command.ts'
import { loadSettings, type Settings } from '../config/settings.ts'
import { createLog } from '../service/log.ts'
import { createReadinessChecks } from '../service/readiness-checks.ts'
import { createReload } from '../service/reload.ts'
import { endMessage, handleSignals } from '../service/shutdown.ts'
import { mergedSnapshot } from '../service/snapshot.ts'
import { openMetricExport } from '../telemetry/metric-export.ts'
import { openHub } from './hub.ts'
import type { WorkerNews } from './messages.ts'
import { createReports, type Reports, snapshotOf } from './reports.ts'
import { createWorkers, type Slot, type Workers } from './workers.ts'

/** Time for workers to prepare another configuration, in milliseconds. */
const PREPARING = 60_000
/** Extra time for workers to stop after their own time limit, in milliseconds. */
const GRACE = 10_000
/** Extra time for an immediate exit, in milliseconds. */
const SHORT_GRACE = 2_000

/**
 * Runs the program as several workers of one port. This process holds the port, replaces dead workers, and serves no
 * requests.
 */
export async function serveWithWorkers(first: Settings, context: CommandContext): Promise<void> {
  const { values, note } = context
  let settings = checkCloneable(first)
  const log = createLog(settings.logLevel)
  const { logger } = log

  const onNews = (slot: Slot, news: WorkerNews) => {
    hub.onNews(slot, news)
    if (news.kind === 'report') reports.reported(news.id, news.report)
    if (news.kind === 'refused') logger.error(`worker ${slot.number} cannot start: ${news.message}`)
    if (news.kind !== 'gather') return
    void reports.gather(news.about).then((all) => {
      if (news.about === 'readiness') checks.count(all.flat().length === 0)
      workers.tell(slot, { kind: 'gathered', id: news.id, reports: all })
    })
  }
  const workers = createWorkers(settings.workers, {
    settings: () => settings,
    write: log.lines,
    onNews,
    onDeath: (slot, cause, wait) => {
      reports.forget(slot)
      hub.forget(slot)
      logger.error(`worker ${slot.number} ended (${cause}) and is replaced${wait > 0 ? ` in ${wait} ms` : ''}`)
    },
  })
  const hub = await openHub(workers, settings, logger)
  const reports = createReports(workers, hub.metrics)
  const checks = createReadinessChecks()
  const metricExport = exportOf(settings, reports, (problem) => logger.warn(problem))

  const exit = (code: number) => {
    log.flush()
    if (code === 0) logger.info('stopped')
    log.flush()
    process.exit(code)
  }
  let stopping = false
  let atOnce: number | undefined
  const onEnd = (signal: string, code: number) => {
    if (stopping) {
      atOnce = code
      return void workers.end({ kind: 'stop-now', code }, SHORT_GRACE)
    }
    stopping = true
    close()
    const { drain = checks.defaultDrain(), shutdown = 30_000 } = settings.config.times ?? {}
    const drainMs = signal === 'SIGTERM' ? drain : 0
    logger.info(endMessage(signal, drainMs))
    const limit = drainMs + shutdown + GRACE
    // Workers that have ended do not report.
    void metricExport?.flush()
    void workers
      .end({ kind: 'stop', drainMs }, limit)
      .then(() => metricExport?.close())
      .then(hub.close)
      .then(() => exit(atOnce ?? (workers.failed ? 1 : 0)))
  }
  const { reload, close } = createReload({
    settings,
    logger,
    load: () => loadSettings(flagsOf(values), context),
    apply: async (next) => {
      await change(workers, checkCloneable(next), () => {
        settings = next
      })
      log.setLevel(next.logLevel)
    },
  })
  handleSignals({ onEnd, onReload: () => stopping || reload() })

  try {
    const banner = await startAll(workers)
    note(banner)
  } catch (error) {
    // The error is shown as in a single process.
    await workers.end({ kind: 'stop', drainMs: 0 }, GRACE)
    await hub.close()
    throw error
  }
  const [one] = workers.slots
  const news =
    one && (await workers.ask(one, { kind: 'first-key', print: values['no-print-key'] !== true }, 'first-key'))
  if (news?.text) note(news.text)
}

/** Export of the metrics of all workers; undefined if it is off. */
function exportOf(
  { metricExport: settings }: Settings,
  { gather }: Pick<Reports, 'gather'>,
  onProblem: (problem: string) => void,
): MetricExporter | undefined {
  const read = async () => mergedSnapshot((await gather('metrics')).map(snapshotOf))
  return settings && openMetricExport({ settings, read, onProblem })
}

/** Starts the first worker alone, so that it takes the port, prepares the store, and reports errors for all. */
async function startAll(workers: Workers): Promise<string> {
  const [one, ...others] = workers.slots
  if (!one) throw new TypeError('At least one worker is required.')
  const { banner } = await workers.up(one)
  await Promise.all(others.map((slot) => workers.up(slot)))
  return banner
}

/** Applies other settings to all workers or to none. @throws HeadgateError if a worker cannot use them. */
async function change(workers: Workers, settings: Settings, onChange: () => void): Promise<void> {
  const { promise: late, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(failure('a worker did not prepare it in time')), PREPARING)
  workers.hold(true)
  try {
    const asked = workers.slots.map((slot) => workers.ask(slot, { kind: 'prepare', settings }, 'prepared'))
    const news = await Promise.race([Promise.all(asked), late])
    const problem = news.find((one) => one?.problem !== undefined)?.problem
    if (problem !== undefined) throw failure(problem)
    onChange()
    workers.tellAll({ kind: 'take-over' })
  } catch (error) {
    workers.tellAll({ kind: 'discard' })
    throw error
  } finally {
    clearTimeout(timer)
    workers.hold(false)
  }
}

/**
 * Checks that workers, which are other processes, can receive a copy. @throws HeadgateError if the settings cannot be
 * copied.
 */
function checkCloneable(settings: Settings): Settings {
  try {
    return structuredClone(settings)
  } catch {
    throw failure(
      'The configuration contains a function or a similar value, which cannot be sent to workers. Use one worker, or replace it with data.',
    )
  }
}

function failure(message: string): HeadgateError {
  return new HeadgateError('invalid-request', message)
}
