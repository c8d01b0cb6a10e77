import { setTimeout as delay } from 'node:timers/promises'
import type { SinkBatch, SinkInstance } from '@headgate/gateway/operate'
import { HeadgateError } from '@headgate/gateway/ports'
import { type Lock, lockRun } from '../journal/lock.ts'
import { type RowOwner, UNKNOWN_OWNER } from '../usage/owners.ts'
import { leftOutRows, oldestRow, readBacklog, removeDelivered, waitingBytes } from './backlog.ts'
import { type Cursor, readCursor, writeCursor } from './cursor.ts'
import { deliver, type SinkLine } from './delivery.ts'
import { type BacklogLine, ownedJson } from './line.ts'

/** Clock of an exporter. */
export interface SinkClock {
  /** Unix milliseconds. */
  now(): number
  /** Rejects if the signal aborts. */
  wait(ms: number, signal: AbortSignal): Promise<unknown>
}

/** Progress of a sink, for metrics. */
export interface SinkState {
  readonly name: string
  /** Rows since the sink was configured: accepted by the sink, rejected by it, and left out by a full backlog. */
  readonly sent: number
  readonly refused: number
  readonly leftOut: number
  /** Bytes of waiting rows. */
  readonly waitingBytes: number
  /** Age of the oldest waiting row in milliseconds; 0 without one. */
  readonly lagMs: number
  /** Reason why rows are not delivered now. */
  readonly problem?: string | undefined
}

export interface ExporterOptions {
  readonly name: string
  /** Folder of the sink. */
  readonly folder: string
  /** Run of this process in the folder. */
  readonly run: string
  readonly sink: SinkInstance
  /** Delivers a batch once. */
  write(batch: SinkBatch, signal: AbortSignal): Promise<void>
  ownersOf(principals: Iterable<string>): Promise<ReadonlyMap<string, RowOwner>>
  onProblem(message: string): void
  onState(state: SinkState): void
  /** Called when delivered rows were deleted. */
  onRemoved(): void
  readonly clock?: SinkClock | undefined
}

/** Delivery of a sink's backlog. One process of a data directory delivers; another one continues when it ends. */
export interface SinkExporter {
  /** Called when rows were added. */
  wake(): void
  /** Delivers for a short time without waiting for full batches, and ends. The rest stays on disk. */
  close(): Promise<void>
}

/** Interval of searches for rows of other processes, in milliseconds. */
const POLL_MS = 1_000
const FIRST_PAUSE_MS = 1_000
const LONGEST_PAUSE_MS = 60_000
/** Longest time that a destination can ask for, in milliseconds. */
const LONGEST_REQUESTED_MS = 3_600_000
/** Time limit of one attempt, in milliseconds. */
const ATTEMPT_MS = 120_000
/** Time for the last batches at the end, in milliseconds: less than a thread has to end. */
const LAST_MS = 400
/** Batches that are read together for a sink with partitions. */
const PARTITIONED = 4

const SYSTEM: SinkClock = {
  now: Date.now,
  wait: (ms, signal) => delay(ms, undefined, { signal, ref: false }),
}

interface SinkExporterState {
  readonly options: ExporterOptions
  readonly clock: SinkClock
  readonly ended: AbortController
  cursor: Cursor
  lock: Lock | undefined
  /** Ends the present wait for rows. */
  waking: AbortController
  /** Time when waiting rows were first seen; undefined without any. */
  since: number | undefined
  isLast: boolean
  problem: string | undefined
}

export function createExporter(options: ExporterOptions): SinkExporter {
  const state: SinkExporterState = {
    options,
    clock: options.clock ?? SYSTEM,
    ended: new AbortController(),
    cursor: { positions: {}, sent: 0, refused: 0, leftOut: 0 },
    lock: undefined,
    waking: new AbortController(),
    since: undefined,
    isLast: false,
    problem: undefined,
  }
  const running = run(state)
  return {
    wake: () => {
      // Before the first row, the wait would otherwise begin at the next search.
      if (state.lock && state.since === undefined) state.waking.abort()
    },
    async close() {
      state.isLast = true
      state.waking.abort()
      const last = setTimeout(() => state.ended.abort(), LAST_MS)
      await running
      clearTimeout(last)
      state.ended.abort()
      state.lock?.release()
    },
  }
}

async function run(state: SinkExporterState): Promise<void> {
  const { ended } = state
  while (!ended.signal.aborted) {
    try {
      const isMore = hasLock(state) && (await exportSome(state))
      if (isMore) continue
      if (state.isLast) return
      await pause(state, POLL_MS)
    } catch (error) {
      if (ended.signal.aborted) return
      fail(state, `its backlog cannot be read: ${error instanceof Error ? error.message : String(error)}`)
      await state.clock.wait(POLL_MS, AbortSignal.any([ended.signal, state.waking.signal])).catch(() => {})
      if (state.isLast) return
    }
  }
}

/** Waits until rows are added, for a time at most. */
async function pause(state: SinkExporterState, ms: number): Promise<void> {
  await state.clock.wait(ms, AbortSignal.any([state.ended.signal, state.waking.signal])).catch(() => {})
  if (!state.isLast && state.waking.signal.aborted) state.waking = new AbortController()
}

/** True if this process delivers. */
function hasLock(state: SinkExporterState): boolean {
  if (state.lock) return true
  state.lock = lockRun(state.options.folder)
  if (state.lock) state.cursor = readCursor(state.options.folder)
  return state.lock !== undefined
}

/** Delivers a batch if one is due. Resolves with true if more may be due. */
async function exportSome(state: SinkExporterState): Promise<boolean> {
  const { options, cursor, clock } = state
  const { folder, sink } = options
  const { limits, partition = 'none' } = sink
  const waiting = waitingBytes(folder, cursor.positions)
  report(state, waiting)
  if (waiting === 0) {
    state.since = undefined
    await clean(state)
    return false
  }
  state.since ??= clock.now()
  const isAged = clock.now() - state.since >= limits.waitMs
  if (!cursor.pending && waiting < limits.bytes && !isAged && !state.isLast) return false

  const size = { rows: limits.rows, bytes: limits.bytes * (partition === 'none' ? 1 : PARTITIONED) }
  const { lines, to } = await readBacklog(folder, cursor.positions, size, cursor.pending)
  if (lines.length === 0 && !cursor.pending) return false
  if (!cursor.pending) await advance(state, { ...cursor, pending: to })
  const { sent, refused } = await deliverLines(state, lines)
  const { pending: _, ...rest } = state.cursor
  await advance(state, { ...rest, positions: to, sent: cursor.sent + sent, refused: cursor.refused + refused })
  state.since = undefined
  await clean(state)
  return true
}

async function advance(state: SinkExporterState, cursor: Cursor): Promise<void> {
  await writeCursor(state.options.folder, cursor)
  state.cursor = cursor
}

async function clean(state: SinkExporterState): Promise<void> {
  const { folder, run, onRemoved } = state.options
  const cursor = removeDelivered(folder, state.cursor, run)
  onRemoved()
  if (JSON.stringify(cursor) !== JSON.stringify(state.cursor)) await advance(state, cursor)
}

async function deliverLines(
  state: SinkExporterState,
  lines: readonly BacklogLine[],
): Promise<{ readonly sent: number; readonly refused: number }> {
  const { options, ended } = state
  const owned = await withOwners(state, lines)
  return deliver(
    {
      sink: options.sink,
      folder: options.folder,
      write: (batch) => options.write(batch, AbortSignal.any([ended.signal, AbortSignal.timeout(ATTEMPT_MS)])),
      pause: (failure, attempt) => pauseAfter(state, failure, attempt),
      onSent: () => recover(state),
      onProblem: (message) => options.onProblem(`${options.name}: ${message}`),
    },
    owned,
  )
}

/** Rows with the owners of their keys. Waits until the store answers. */
async function withOwners(state: SinkExporterState, lines: readonly BacklogLine[]): Promise<SinkLine[]> {
  for (let attempt = 1; ; attempt++) {
    try {
      const owners = await state.options.ownersOf(new Set(lines.map(({ principal }) => principal)))
      return lines.map(({ id, hour, principal, json }) => {
        const owner = owners.get(principal) ?? UNKNOWN_OWNER
        return { id, hour, project: owner.project, json: ownedJson(json, owner) }
      })
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error)
      await pauseAfter(state, new HeadgateError('unavailable', `the store does not answer (${reason})`), attempt)
    }
  }
}

/** Waits as long as the destination asks for, or with doubled pauses. Rejects at the end of the exporter. */
async function pauseAfter(state: SinkExporterState, failure: HeadgateError, attempt: number): Promise<void> {
  const { ended, clock, options } = state
  ended.signal.throwIfAborted()
  fail(state, failure.message.replace(/\.$/, ''))
  report(state, waitingBytes(options.folder, state.cursor.positions))
  const pause = Math.min(FIRST_PAUSE_MS * 2 ** (attempt - 1), LONGEST_PAUSE_MS)
  const ms = Math.min(failure.retryAfterMs ?? pause * (0.5 + Math.random() / 2), LONGEST_REQUESTED_MS)
  await clock.wait(ms, ended.signal)
}

function fail(state: SinkExporterState, reason: string): void {
  const { name, onProblem } = state.options
  if (state.problem === undefined)
    onProblem(`Usage rows cannot be sent to the sink ${name} and wait on disk: ${reason}. Requests are not affected.`)
  state.problem = reason
}

function recover(state: SinkExporterState): void {
  const { name, onProblem } = state.options
  if (state.problem !== undefined) onProblem(`Usage rows are sent to the sink ${name} again.`)
  state.problem = undefined
}

function report({ options, cursor, clock, problem }: SinkExporterState, waiting: number): void {
  const { name, folder, onState } = options
  const oldest = waiting > 0 ? oldestRow(folder, cursor.positions) : undefined
  onState({
    name,
    sent: cursor.sent,
    refused: cursor.refused,
    leftOut: cursor.leftOut + leftOutRows(folder),
    waitingBytes: waiting,
    lagMs: oldest === undefined ? 0 : Math.max(0, clock.now() - oldest),
    problem,
  })
}
