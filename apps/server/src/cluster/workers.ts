import cluster, { type Worker } from 'node:cluster'
import { once } from 'node:events'
import type { Readable } from 'node:stream'
import { HeadgateError } from '@headgate/gateway'
import type { Settings } from '../config/settings.ts'
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

export interface WorkersParts {
  /** By which those serve that are started from now on. */
  settings(): Settings
  /** What workers write to standard output, in whole lines. */
  write(lines: string): void
  onNews(slot: Slot, news: News): void
  /** Told of a worker that is gone, and in how many milliseconds another one is started. */
  onDeath(slot: Slot, cause: string, replacedIn: number): void
}

type NewsOf<Kind> = Extract<News, { kind: Kind }>

/** The processes of the workers. */
export interface Workers {
  readonly slots: readonly Slot[]
  /**
   * Starts a worker, and resolves with what it says when it serves. From then on one that dies is replaced.
   * @throws HeadgateError when it may not start, or dies of it again and again.
   */
  up(slot: Slot): Promise<NewsOf<'listening'>>
  tell(slot: Slot, order: Order): void
  tellAll(order: Order): void
  /** The next news of a kind after an order, or undefined when the worker dies first. */
  ask<Kind extends News['kind']>(slot: Slot, order: Order, kind: Kind): Promise<NewsOf<Kind> | undefined>
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

/** What the functions below share. */
interface State extends WorkersParts {
  readonly slots: readonly Slot[]
  /** Called with each message of a worker, and with undefined when it has ended. */
  readonly listeners: Set<(slot: Slot, news: News | undefined) => void>
  readonly outputs: Set<Promise<unknown>>
  readonly phase: { ending: boolean; held: boolean; failed: boolean }
  /** The port to ask for, and the one that was assigned. Port 0 is the same for all only while a worker has it. */
  readonly port: { asked: number; assigned: number | undefined }
}

export function createWorkers(size: number, parts: WorkersParts): Workers {
  // All accept from one socket. Node's other way, to accept here and to hand on, leaves a connection open for ever
  // whose worker is killed before it has taken it, and costs half as much again a connection (docs/decisions/0015).
  cluster.schedulingPolicy = cluster.SCHED_NONE
  // Settings may hold more than JSON can say.
  cluster.setupPrimary({ stdio: ['ignore', 'pipe', 'inherit', 'ipc'], serialization: 'advanced' })
  const state: State = {
    ...parts,
    slots: Array.from({ length: size }, (_, index) => ({ number: index + 1, up: false, startedAt: 0, quickDeaths: 0 })),
    listeners: new Set(),
    outputs: new Set(),
    phase: { ending: false, held: false, failed: false },
    port: { asked: parts.settings().port, assigned: undefined },
  }
  const { slots, phase } = state
  return {
    slots,
    up: (slot) => up(state, slot),
    tell,
    tellAll: (order) => {
      for (const slot of slots) tell(slot, order)
    },
    ask: (slot, order, kind) => ask(state, slot, order, kind),
    hold: (isHeld) => {
      phase.held = isHeld
      if (!isHeld) for (const slot of slots) start(state, slot)
    },
    end: (order, limit) => end(state, order, limit),
    get failed() {
      return phase.failed
    },
  }
}

function tell({ worker }: Slot, order: Order): void {
  // The event `exit` reports a worker that is dying.
  if (worker?.isConnected()) worker.send(order, () => {})
}

function announce({ listeners }: State, slot: Slot, news: News | undefined): void {
  for (const listener of [...listeners]) listener(slot, news)
}

function start(state: State, slot: Slot): void {
  const { slots, phase, port, outputs, settings, write } = state
  // Workers that are held start when `hold` ends.
  if (phase.ending || phase.held || slot.worker) return
  if (port.assigned !== undefined && !slots.some(({ up }) => up)) port.asked = port.assigned
  const worker = cluster.fork({ HEADGATE_WORKER: String(slot.number) })
  slot.worker = worker
  slot.startedAt = performance.now()
  if (worker.process.stdout) {
    forwardLines(worker.process.stdout, write)
    const closed = once(worker.process.stdout, 'close').finally(() => outputs.delete(closed))
    outputs.add(closed)
  }
  worker.on('message', (message: unknown) => onMessage(state, slot, worker, message as News))
  worker.on('error', () => {})
  worker.process.once('exit', () => onExit(state, slot, worker))
  tell(slot, { kind: 'begin', settings: settings(), port: port.asked })
}

function onMessage(state: State, slot: Slot, worker: Worker, news: News): void {
  const { port } = state
  // A place that a dead worker asked for would never be given back.
  if (news.kind === 'rates' && slot.worker !== worker) return
  if (news.kind === 'listening') {
    port.assigned ??= news.port
    if (port.assigned !== news.port) return void worker.process.kill('SIGKILL')
    slot.up = true
  }
  state.onNews(slot, news)
  announce(state, slot, news)
}

function onExit(state: State, slot: Slot, { process: { exitCode, signalCode } }: Worker): void {
  const { phase, onDeath } = state
  delete slot.worker
  slot.up = false
  if (exitCode === LOST || (phase.ending && exitCode !== 0)) phase.failed = true
  slot.quickDeaths = performance.now() - slot.startedAt < SOUND_MS ? slot.quickDeaths + 1 : 0
  const wait = slot.quickDeaths === 0 ? 0 : Math.min(LONGEST_BACKOFF, BACKOFF * 2 ** (slot.quickDeaths - 1))
  if (!phase.ending) onDeath(slot, signalCode ?? `exit code ${exitCode}`, wait)
  announce(state, slot, undefined)
  if (!phase.ending) setTimeout(() => start(state, slot), wait).unref()
}

function up(state: State, slot: Slot): Promise<NewsOf<'listening'>> {
  const { promise, resolve, reject } = Promise.withResolvers<NewsOf<'listening'>>()
  const fail = (message: string, param?: string) => reject(new HeadgateError('invalid-request', message, { param }))
  const listener = (from: Slot, news: News | undefined) => {
    if (from !== slot) return
    if (news?.kind === 'listening') resolve(news)
    else if (news?.kind === 'refused') fail(news.message, news.param)
    else if (news === undefined && slot.quickDeaths >= QUICK_DEATHS)
      fail(`Worker ${slot.number} has ended ${QUICK_DEATHS} times at the start: the log says how.`)
  }
  state.listeners.add(listener)
  start(state, slot)
  return promise.finally(() => state.listeners.delete(listener))
}

function ask<Kind extends News['kind']>(
  { listeners }: State,
  slot: Slot,
  order: Order,
  kind: Kind,
): Promise<NewsOf<Kind> | undefined> {
  if (!slot.worker) return Promise.resolve(undefined)
  const { promise, resolve } = Promise.withResolvers<NewsOf<Kind> | undefined>()
  const isAsked = (news: News): news is NewsOf<Kind> => news.kind === kind
  const listener = (from: Slot, news: News | undefined) => {
    if (from !== slot || (news && !isAsked(news))) return
    listeners.delete(listener)
    resolve(news)
  }
  listeners.add(listener)
  tell(slot, order)
  return promise
}

async function end({ slots, outputs, phase }: State, order: Order, limit: number): Promise<void> {
  phase.ending = true
  for (const slot of slots) tell(slot, order)
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

function gone({ process: { exitCode, signalCode }, process: child }: Worker): Promise<unknown> {
  return exitCode === null && signalCode === null ? once(child, 'exit') : Promise.resolve()
}

/**
 * Hands on what a process writes, in whole lines, so that those of several do not mix. Half a line that a killed one
 * leaves is dropped.
 */
function forwardLines(source: Readable, write: (lines: string) => void): void {
  let rest = ''
  source.setEncoding('utf8').on('data', (piece: string) => {
    const end = piece.lastIndexOf('\n') + 1
    if (end > 0) {
      write(rest + piece.slice(0, end))
      rest = ''
    }
    rest += piece.slice(end)
  })
}
