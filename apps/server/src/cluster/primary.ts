import { HeadgateError } from '@headgate/gateway'
import { type CommandContext, flagsOf } from '../commands/command.ts'
import { loadSettings, type Settings } from '../config/settings.ts'
import { createLog } from '../service/log.ts'
import { createReload } from '../service/reload.ts'
import { handleSignals } from '../service/shutdown.ts'
import type { News } from './messages.ts'
import { createRateServer } from './rate-server.ts'
import { createReports } from './reports.ts'
import { createWorkers, type Slot, type Workers } from './workers.ts'

/** How long workers may take to make ready for another configuration, in milliseconds. */
const PREPARING = 60_000
/** How much longer than they may take workers are waited for when the program ends, in milliseconds. */
const GRACE = 10_000
/** The same when it ends at once. */
const SHORT_GRACE = 2_000

/**
 * The program as several workers of one port. This process holds the port, replaces workers that die, and serves
 * nothing itself.
 */
export async function serveWithWorkers(first: Settings, context: CommandContext): Promise<void> {
  const { values, note } = context
  let settings = checkHandable(first)
  const log = createLog(settings.logLevel)
  const { logger } = log

  const onNews = (slot: Slot, news: News) => {
    if (news.kind === 'rates') return rates.asked(slot, news.questions, news.leaves)
    if (news.kind === 'report') reports.reported(news.id, news.report)
    if (news.kind === 'refused') logger.error(`worker ${slot.number} can not start: ${news.message}`)
    if (news.kind !== 'gather') return
    void reports.gather(news.about).then((all) => workers.tell(slot, { kind: 'gathered', id: news.id, reports: all }))
  }
  const workers = createWorkers(settings.workers, {
    settings: () => settings,
    write: log.lines,
    onNews,
    onDeath: (slot, cause, wait) => {
      reports.forget(slot)
      rates.forget(slot)
      logger.error(
        `worker ${slot.number} has ended (${cause}), another one takes its place${wait > 0 ? ` in ${wait} ms` : ''}`,
      )
    },
  })
  const reports = createReports(workers)
  const rates = createRateServer(workers)

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
    logger.info(`${signal}: finishing what is open`)
    const limit = (settings.config.times?.shutdown ?? 30_000) + GRACE
    void workers.end({ kind: 'stop' }, limit).then(() => exit(atOnce ?? (workers.failed ? 1 : 0)))
  }
  const onReload = createReload({
    settings,
    logger,
    load: () => loadSettings(flagsOf(values), context),
    apply: async (next) => {
      await change(workers, checkHandable(next), () => {
        settings = next
      })
      log.setLevel(next.logLevel)
    },
  })
  handleSignals({ onEnd, onReload: () => stopping || onReload() })

  try {
    const banner = await startAll(workers)
    note(banner)
  } catch (error) {
    // It says what is wrong as a program of one process does.
    await workers.end({ kind: 'stop' }, GRACE)
    throw error
  }
  const [one] = workers.slots
  const news =
    one && (await workers.ask(one, { kind: 'first-key', print: values['no-print-key'] !== true }, 'first-key'))
  if (news?.text) note(news.text)
}

/** The first alone, so that it takes the port, makes what is missing in the store, and says what is wrong for all. */
async function startAll(workers: Workers): Promise<string> {
  const [one, ...others] = workers.slots
  if (!one) throw new TypeError('There is at least one worker.')
  const { banner } = await workers.up(one)
  await Promise.all(others.map((slot) => workers.up(slot)))
  return banner
}

/** All serve by other settings, or none. @throws HeadgateError when one can not. */
async function change(workers: Workers, settings: Settings, onChange: () => void): Promise<void> {
  const { promise: late, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(failure('a worker is not ready for it in time')), PREPARING)
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

/** Workers are other processes: they get a copy. @throws HeadgateError for settings that can not be copied. */
function checkHandable(settings: Settings): Settings {
  try {
    return structuredClone(settings)
  } catch {
    throw failure(
      'The configuration holds a function or the like, which can not be handed to workers: use one worker, or write it as data.',
    )
  }
}

function failure(message: string): HeadgateError {
  return new HeadgateError('invalid-request', message)
}
