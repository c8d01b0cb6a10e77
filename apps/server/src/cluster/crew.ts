import cluster, { type Worker } from 'node:cluster'
import { once } from 'node:events'
import { HeadgateError } from '@headgate/gateway'
import type { Settings } from '../config/settings.ts'
import { handOnLines } from './lines.ts'
import { LOST, type News, type Order } from './messages.ts'

/** One of the workers by its number; who does its work changes when it dies. */
export interface Slot {
  /** From 1 on: what the log calls it. */
  readonly number: number
  /** Absent between the death of one and the start of the next. */
  worker?: Worker
  /** Whether it serves. */
  up: boolean
  startedAt: number
  /** Deaths in a row of those that had hardly begun. */
  quickDeaths: number
}

export interface CrewParts {
  /** By which those serve that are started from now on. */
  settings(): Settings
  /** What workers write to standard output, in whole lines. */
  write(lines: string): void
  onNews(slot: Slot, news: News): void
  /** Told of a worker that is gone, and in how many milliseconds another one is started. */
  onDeath(slot: Slot, cause: string, replacedIn: number): void
}

type Told<Kind> = Extract<News, { kind: Kind }>

/** The processes of the workers. */
export interface Crew {
  readonly slots: readonly Slot[]
  /**
   * Starts a worker, and resolves with what it says when it serves. From then on one that dies is replaced.
   * @throws HeadgateError when it may not start, or dies of it again and again.
   */
  up(slot: Slot): Promise<Told<'listening'>>
  tell(slot: Slot, order: Order): void
  tellAll(order: Order): void
  /** The next news of a kind after an order, or undefined when the worker dies first. */
  ask<Kind extends News['kind']>(slot: Slot, order: Order, kind: Kind): Promise<Told<Kind> | undefined>
  /** While it is true nobody is replaced. */
  hold(isHeld: boolean): void
  /**
   * Gives all of them this order, kills those that have not ended after so many milliseconds, and resolves when none is
   * left.
   */
  end(order: Order, limit: number): Promise<void>
  /** Whether a worker that is gone has lost usage rows, or has failed to end in order. */
  readonly failed: boolean
}

/** A worker that lives so long has not died of how it was started, in milliseconds. */
const SOUND_MS = 5_000
/** So many quick deaths before all have served once end the program. */
const QUICK_DEATHS = 5
/** The wait before a worker that died quickly is replaced, doubled each time, in milliseconds. */
const BACKOFF = 100
const LONGEST_BACKOFF = 30_000
/** How long the last words of workers that have ended may take, in milliseconds. */
const LAST_WORDS = 1_000

export function createCrew(size: number, { settings, write, onNews, onDeath }: CrewParts): Crew {
  const slots = Array.from(
    { length: size },
    (_, index): Slot => ({ number: index + 1, up: false, startedAt: 0, quickDeaths: 0 }),
  )
  /** Told every news, and undefined of a death. */
  const listeners = new Set<(slot: Slot, news: News | undefined) => void>()
  const outputs = new Set<Promise<unknown>>()
  const phase = { ending: false, held: false, failed: false }
  /** What they ask for, and what they have got. Port 0 is the same one for all only while somebody has it. */
  const port = { asked: settings().port, got: undefined as number | undefined }

  // All accept from one socket. Node's other way, to accept here and to hand on, leaves a connection open for ever
  // whose worker is killed before it has taken it, and costs half as much again a connection (docs/decisions/0015).
  cluster.schedulingPolicy = cluster.SCHED_NONE
  // Settings may hold more than JSON can say.
  cluster.setupPrimary({ stdio: ['ignore', 'pipe', 'inherit', 'ipc'], serialization: 'advanced' })

  const tell = ({ worker }: Slot, order: Order) => {
    // Of a worker that is dying `exit` tells.
    if (worker?.isConnected()) worker.send(order, () => {})
  }
  const announce = (slot: Slot, news: News | undefined) => {
    for (const listener of [...listeners]) listener(slot, news)
  }

  const bury = (slot: Slot, { process: { exitCode, signalCode } }: Worker) => {
    delete slot.worker
    slot.up = false
    if (exitCode === LOST || (phase.ending && exitCode !== 0)) phase.failed = true
    slot.quickDeaths = performance.now() - slot.startedAt < SOUND_MS ? slot.quickDeaths + 1 : 0
    const wait = slot.quickDeaths === 0 ? 0 : Math.min(LONGEST_BACKOFF, BACKOFF * 2 ** (slot.quickDeaths - 1))
    if (!phase.ending) onDeath(slot, signalCode ?? `exit code ${exitCode}`, wait)
    announce(slot, undefined)
    if (!phase.ending) setTimeout(() => start(slot), wait).unref()
  }

  const start = (slot: Slot): void => {
    if (phase.ending || slot.worker) return
    // Whoever holds them starts them later.
    if (phase.held) return
    if (port.got !== undefined && !slots.some(({ up }) => up)) port.asked = port.got
    const worker = cluster.fork({ HEADGATE_WORKER: String(slot.number) })
    slot.worker = worker
    slot.startedAt = performance.now()
    if (worker.process.stdout) {
      handOnLines(worker.process.stdout, write)
      const closed = once(worker.process.stdout, 'close').finally(() => outputs.delete(closed))
      outputs.add(closed)
    }
    worker.on('message', (message: unknown) => {
      const news = message as News
      // What one asked that is gone nobody would give back.
      if (news.kind === 'rates' && slot.worker !== worker) return
      if (news.kind === 'listening') {
        port.got ??= news.port
        if (port.got !== news.port) return void worker.process.kill('SIGKILL')
        slot.up = true
      }
      onNews(slot, news)
      announce(slot, news)
    })
    worker.on('error', () => {})
    worker.process.once('exit', () => bury(slot, worker))
    tell(slot, { kind: 'begin', settings: settings(), port: port.asked })
  }

  const up = (slot: Slot) => {
    const { promise, resolve, reject } = Promise.withResolvers<Told<'listening'>>()
    const listener = (from: Slot, news: News | undefined) => {
      if (from !== slot) return
      if (news?.kind === 'listening') resolve(news)
      else if (news?.kind === 'refused')
        reject(new HeadgateError('invalid-request', news.message, { param: news.param }))
      else if (news === undefined && slot.quickDeaths >= QUICK_DEATHS)
        reject(
          new HeadgateError(
            'invalid-request',
            `Worker ${slot.number} has ended ${QUICK_DEATHS} times at the start: the log says how.`,
          ),
        )
    }
    listeners.add(listener)
    start(slot)
    return promise.finally(() => listeners.delete(listener))
  }

  const ask = <Kind extends News['kind']>(slot: Slot, order: Order, kind: Kind) => {
    const { promise, resolve } = Promise.withResolvers<Told<Kind> | undefined>()
    const isAsked = (news: News): news is Told<Kind> => news.kind === kind
    const listener = (from: Slot, news: News | undefined) => {
      if (from !== slot || (news && !isAsked(news))) return
      listeners.delete(listener)
      resolve(news)
    }
    if (!slot.worker) return Promise.resolve(undefined)
    listeners.add(listener)
    tell(slot, order)
    return promise
  }

  const tellAll = (order: Order) => {
    for (const slot of slots) tell(slot, order)
  }

  const end = async (order: Order, limit: number) => {
    phase.ending = true
    tellAll(order)
    const timer = setTimeout(() => {
      for (const { worker } of slots) worker?.process.kill('SIGKILL')
    }, limit)
    await Promise.all(slots.flatMap(({ worker }) => (worker ? [gone(worker)] : [])))
    clearTimeout(timer)
    const { promise: late, resolve } = Promise.withResolvers<void>()
    const lastWords = setTimeout(resolve, LAST_WORDS)
    await Promise.race([Promise.all(outputs), late])
    clearTimeout(lastWords)
  }

  return {
    slots,
    up,
    tell,
    tellAll,
    ask,
    hold: (isHeld) => {
      phase.held = isHeld
      if (!isHeld) for (const slot of slots) start(slot)
    },
    end,
    get failed() {
      return phase.failed
    },
  }
}

function gone({ process: { exitCode, signalCode }, process: child }: Worker): Promise<unknown> {
  return exitCode === null && signalCode === null ? once(child, 'exit') : Promise.resolve()
}
