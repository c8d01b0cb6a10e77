import cluster, { type Worker } from 'node:cluster'
import { once } from 'node:events'
import type { Readable } from 'node:stream'
import { HeadgateError } from '@headgate/gateway'
import type { Settings } from '../config/settings.ts'
import { LOST, type WorkerNews, type WorkerOrder } from './messages.ts'

/** Numbered place of a worker. A dead worker is replaced in its slot. */
export interface Slot {
  /** Number in the log, from 1. */
  readonly number: number
  /** Absent between the death of a worker and the start of the next. */
  worker?: Worker
  /** True while the worker serves. */
  up: boolean
  startedAt: number
  /** Consecutive deaths shortly after the start. */
  quickDeaths: number
}

export interface WorkersParts {
  /** Settings for workers that start from now on. */
  settings(): Settings
  /** Receives complete lines of the workers' standard output. */
  write(lines: string): void
  onNews(slot: Slot, news: WorkerNews): void
  /** Called when a worker ended. @param replacedIn milliseconds until its replacement starts */
  onDeath(slot: Slot, cause: string, replacedIn: number): void
}

type NewsOf<Kind> = Extract<WorkerNews, { kind: Kind }>

/** Worker processes. */
export interface Workers {
  readonly slots: readonly Slot[]
  /**
   * Starts a worker, and resolves with its message when it serves. From then on it is replaced when it dies.
   * @throws HeadgateError if the worker cannot start, or dies repeatedly at the start.
   */
  up(slot: Slot): Promise<NewsOf<'listening'>>
  tell(slot: Slot, order: WorkerOrder): void
  tellAll(order: WorkerOrder): void
  /** Sends an order and resolves with the next message of a kind; undefined if the worker dies first. */
  ask<Kind extends WorkerNews['kind']>(slot: Slot, order: WorkerOrder, kind: Kind): Promise<NewsOf<Kind> | undefined>
  /** While true, dead workers are not replaced. */
  hold(isHeld: boolean): void
  /**
   * Sends an order to all workers, kills those still running after `limit` milliseconds, and resolves when all have
   * ended.
   */
  end(order: WorkerOrder, limit: number): Promise<void>
  /** True if a dead worker lost usage rows or did not end in order. */
  readonly failed: boolean
}

/** Minimum uptime in milliseconds after which a death is not a failed start. */
const SOUND_MS = 5_000
/** Consecutive quick deaths that end the program before all workers have served. */
const QUICK_DEATHS = 5
/** First wait before a worker that died quickly is replaced, in milliseconds; doubles each time. */
const BACKOFF = 100
const LONGEST_BACKOFF = 30_000
/** Time limit for the last output of ended workers, in milliseconds. */
const LAST_WORDS = 1_000

/** Shared state of the functions below. */
interface WorkersState extends WorkersParts {
  readonly slots: readonly Slot[]
  /** Called with each message of a worker, and with undefined when it has ended. */
  readonly listeners: Set<(slot: Slot, news: WorkerNews | undefined) => void>
  readonly outputs: Set<Promise<unknown>>
  readonly phase: { ending: boolean; held: boolean; failed: boolean }
  /** Requested and assigned port. Port 0 means the same port for all workers only while a worker has it. */
  readonly port: { asked: number; assigned: number | undefined }
}

export function createWorkers(size: number, parts: WorkersParts): Workers {
  // All workers accept from one socket. Node's other policy accepts in the primary process: a connection stays open
  // permanently if its worker is killed before it takes over, and each connection costs half as much again
  // (docs/decisions/0015).
  cluster.schedulingPolicy = cluster.SCHED_NONE
  // Settings may contain values that JSON cannot express.
  cluster.setupPrimary({ stdio: ['ignore', 'pipe', 'inherit', 'ipc'], serialization: 'advanced' })
  const state: WorkersState = {
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

function tell({ worker }: Slot, order: WorkerOrder): void {
  // The event `exit` reports a dying worker.
  if (worker?.isConnected()) worker.send(order, () => {})
}

function announce({ listeners }: WorkersState, slot: Slot, news: WorkerNews | undefined): void {
  for (const listener of [...listeners]) listener(slot, news)
}

function start(state: WorkersState, slot: Slot): void {
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
  worker.on('message', (message: unknown) => onMessage(state, slot, worker, message as WorkerNews))
  worker.on('error', () => {})
  worker.process.once('exit', () => onExit(state, slot, worker))
  tell(slot, { kind: 'begin', settings: settings(), port: port.asked })
}

function onMessage(state: WorkersState, slot: Slot, worker: Worker, news: WorkerNews): void {
  const { port } = state
  // A place requested by a dead worker would never be returned.
  if (news.kind === 'rates' && slot.worker !== worker) return
  if (news.kind === 'listening') {
    port.assigned ??= news.port
    if (port.assigned !== news.port) return void worker.process.kill('SIGKILL')
    slot.up = true
  }
  state.onNews(slot, news)
  announce(state, slot, news)
}

function onExit(state: WorkersState, slot: Slot, { process: { exitCode, signalCode } }: Worker): void {
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

function up(state: WorkersState, slot: Slot): Promise<NewsOf<'listening'>> {
  const { promise, resolve, reject } = Promise.withResolvers<NewsOf<'listening'>>()
  const fail = (message: string, param?: string) => reject(new HeadgateError('invalid-request', message, { param }))
  const listener = (from: Slot, news: WorkerNews | undefined) => {
    if (from !== slot) return
    if (news?.kind === 'listening') resolve(news)
    else if (news?.kind === 'refused') fail(news.message, news.param)
    else if (news === undefined && slot.quickDeaths >= QUICK_DEATHS)
      fail(`Worker ${slot.number} ended ${QUICK_DEATHS} times at the start. The log shows the causes.`)
  }
  state.listeners.add(listener)
  start(state, slot)
  return promise.finally(() => state.listeners.delete(listener))
}

function ask<Kind extends WorkerNews['kind']>(
  { listeners }: WorkersState,
  slot: Slot,
  order: WorkerOrder,
  kind: Kind,
): Promise<NewsOf<Kind> | undefined> {
  if (!slot.worker) return Promise.resolve(undefined)
  const { promise, resolve } = Promise.withResolvers<NewsOf<Kind> | undefined>()
  const isAsked = (news: WorkerNews): news is NewsOf<Kind> => news.kind === kind
  const listener = (from: Slot, news: WorkerNews | undefined) => {
    if (from !== slot || (news && !isAsked(news))) return
    listeners.delete(listener)
    resolve(news)
  }
  listeners.add(listener)
  tell(slot, order)
  return promise
}

async function end({ slots, outputs, phase }: WorkersState, order: WorkerOrder, limit: number): Promise<void> {
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
 * Forwards the output of a process in complete lines, so that lines of several processes do not mix. An incomplete last
 * line is dropped.
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
