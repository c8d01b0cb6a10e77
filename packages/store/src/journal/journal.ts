import { dirname } from 'node:path'
import { HeadgateError } from '@headgate/gateway/ports'
import { type BatchBuilder, createBatchBuilder, headOf, type RecordBatch } from './batch.ts'
import { createOpenBegins } from './begins.ts'
import { linesIn } from './line.ts'
import { createLosses, type Losses } from './losses.ts'
import { beginRun, bootId, journalFolder, removeRun } from './process-run.ts'
import { type Header, type JournalRecord, VERSION } from './record.ts'
import { type Disk, type Fsync, synced, syncFolder } from './sync.ts'
import { beginTail, type Tail, type Write } from './tail.ts'

/** Journal of one process run, in a separate folder. Records are written before anyone relies on them. */
export interface Journal {
  /** Id of the process run, a UUIDv7. */
  readonly run: string
  readonly folder: string
  /**
   * Queues a record. All records of one turn of the event loop share a write. Resolves once the record is written, or
   * waits in memory because the write failed. Never rejects.
   */
  append(record: JournalRecord): Promise<void>
  /** False while the disk accepts no records. */
  writable(): boolean
  /** Number of records in memory that could not be written. */
  waiting(): number
  /** Number of lost usage rows since the start. */
  lost(): number
  /**
   * End of complete records on the disk: earlier segments are complete, this one up to `offset`, with its number of
   * usage rows.
   */
  written(): { readonly segment: number; readonly offset: number; readonly rows: number }
  /** Writes queued records immediately. */
  flush(): void
  /**
   * Writes queued and waiting records, and releases the lock. Records that the disk does not accept are lost and
   * reported.
   */
  close(): void
}

export interface JournalOptions {
  readonly dataDir: string
  /** Called once when the disk stops accepting records, and with losses. */
  readonly onProblem: (message: string) => void
  /** Sync policy; default `interval`. */
  readonly fsync?: Fsync | undefined
  /** Monotonic clock, in milliseconds. */
  readonly now?: () => number
  /** Size in bytes or age in milliseconds after which a new segment begins; default 8 MiB, 10 s. */
  readonly rotate?: { readonly bytes: number; readonly ms: number }
  /** Write function for tests. */
  readonly write?: Write
  /** Sync functions for tests. */
  readonly disk?: Disk
}

/** Maximum number of records that wait in memory. */
const HELD = 10_000
/** Number of waiting records per write, so that retries on a full disk stay cheap. */
const CHUNK = 256
/** Interval of retries after a failed write, in milliseconds. */
const RETRY = 1_000
const ROTATE = { bytes: 8 * 2 ** 20, ms: 10_000 }
const DONE = Promise.resolve()
const SYNCED = { isSynced: true } as const

/** Starts a journal: its folder, its lock and its first segment. @throws HeadgateError if they cannot be created */
export function openJournal(options: JournalOptions): Journal {
  const folder = journalFolder(options.dataDir)
  try {
    return begin(folder, options)
  } catch (error) {
    throw new HeadgateError(
      'invalid-request',
      `The journal in ${folder} cannot be written: ${reasonOf(error)}. Free disk space, or choose another folder with --data-dir or HEADGATE_DATA_DIR.`,
    )
  }
}

function begin(journals: string, options: JournalOptions): Journal {
  const { dataDir, onProblem, fsync = 'interval' } = options
  const { id: run, folder, lock } = beginRun(journals)
  let isSyncing = true
  const onSyncError = (error: unknown) => {
    if (isSyncing)
      onProblem(`The journal ${folder} cannot be synced to the disk, so a power loss can lose rows: ${reasonOf(error)}`)
    isSyncing = false
  }
  let segments: Segments
  try {
    segments = beginSegments(folder, run, options, onSyncError)
  } catch (error) {
    removeRun(folder)
    lock.release()
    throw error
  }
  if (fsync !== 'never') {
    try {
      for (const made of [journals, dirname(journals), dataDir]) syncFolder(made)
    } catch (error) {
      onSyncError(error)
    }
  }
  const queue = createQueue(folder, segments, onProblem)
  const flushNow = () => flush(queue)
  return {
    run,
    folder,
    append: (record) => {
      if (!accepts(queue, record)) return DONE
      add(queue, record)
      queue.turn ??= new Promise((resolve) => {
        queue.endTurn = resolve
        setImmediate(flushNow)
      })
      return queue.turn
    },
    writable: () => queue.isWritable,
    waiting: () => queue.waiting.length,
    lost: queue.losses.rows,
    written: segments.written,
    flush: flushNow,
    close: () => {
      if (!queue.isOpen) return
      end(queue)
      segments.close()
      lock.release()
    },
  }
}

/** Segments of a process run on the disk. */
interface Segments {
  /** Writes a batch, and returns the records that did not fit. If the current file is full, a new one may succeed. */
  store(batch: RecordBatch, onError: (error: unknown) => void): readonly JournalRecord[]
  written: Journal['written']
  close(): void
}

const NONE: readonly JournalRecord[] = []

/** Starts the first segment. @throws the error of the disk */
function beginSegments(
  folder: string,
  run: string,
  { fsync = 'interval', now = performance.now.bind(performance), rotate = ROTATE, write, disk }: JournalOptions,
  onError: (error: unknown) => void,
): Segments {
  const header: Header = { kind: 'h', version: VERSION, run, boot: bootId(), ...(fsync === 'always' && SYNCED) }
  const begins = createOpenBegins()
  const syncedFile = (file: number) => synced(file, { fsync, folder, onError, disk })
  let segment = 0
  /** Number of usage rows in the newest segment. */
  let rows = 0

  const beginSegment = (own: Header): Tail => {
    segment += 1
    return beginTail({ folder, segment, head: headOf(own, begins.again()), since: now(), write, synced: syncedFile })
  }

  /** Starts another segment. Returns false if the disk has no space for it. */
  const turnOver = (): boolean => {
    try {
      const last = tail
      tail = beginSegment({ ...header, before: { segment: last.segment, size: last.size, rows } })
      rows = 0
      last.retire()
      return true
    } catch {
      return false
    }
  }

  /** Appends a batch, beginning at `from`. The next segment repeats its begin records without an end. */
  const put = (batch: RecordBatch, from: number, done: number) => {
    const { upto, error } = tail.append(batch, from)
    const until = error === undefined ? batch.records.length : done + linesIn(batch.bytes, from, upto)
    for (let at = done; at < until; at++) {
      const record = batch.records[at]
      if (record) begins.add(record)
      if (record?.kind === 'e') rows += 1
    }
    return { upto, done: until, error }
  }

  let tail = beginSegment(header)
  return {
    store: (batch, onFull) => {
      if (tail.used > 0 && (tail.used >= rotate.bytes || now() - tail.since >= rotate.ms)) turnOver()
      let result = put(batch, 0, 0)
      if (result.error === undefined) return NONE
      if (tail.used > 0 && turnOver()) result = put(batch, result.upto, result.done)
      if (result.error !== undefined) onFull(result.error)
      return batch.records.slice(result.done)
    },
    written: () => ({ segment: tail.segment, offset: tail.size, rows }),
    close: () => tail.close(),
  }
}

/** Records that are to be written. */
interface Queue {
  readonly folder: string
  readonly segments: Segments
  readonly losses: Losses
  readonly batching: BatchBuilder
  onProblem(message: string): void
  onFull(error: unknown): void
  /** Records that could not be written. */
  waiting: JournalRecord[]
  isWritable: boolean
  isOpen: boolean
  /** Reason of the last failed write. */
  reason: string
  retrying: NodeJS.Timeout | undefined
  /** Resolves when the records of this turn of the event loop are written. */
  turn: Promise<void> | undefined
  endTurn: (() => void) | undefined
}

function createQueue(folder: string, segments: Segments, onProblem: (message: string) => void): Queue {
  const queue: Queue = {
    folder,
    segments,
    losses: createLosses(onProblem),
    batching: createBatchBuilder(),
    onProblem,
    onFull: (error) => fail(queue, error),
    waiting: [],
    isWritable: true,
    isOpen: true,
    reason: '',
    retrying: undefined,
    turn: undefined,
    endTurn: undefined,
  }
  return queue
}

/** Returns true if a record can be added to the batch. Otherwise it waits or is lost. */
function accepts(queue: Queue, record: JournalRecord): boolean {
  if (queue.isOpen && queue.isWritable) return true
  if (queue.isOpen) hold(queue, [record])
  else {
    queue.losses.add([record], 'the journal is closed')
    queue.losses.tell()
  }
  return false
}

function add({ batching, losses }: Queue, record: JournalRecord): void {
  try {
    batching.add(record)
  } catch (error) {
    losses.add([record], reasonOf(error))
    losses.tell()
  }
}

function flush(queue: Queue): void {
  const { endTurn, batching, segments } = queue
  queue.turn = undefined
  queue.endTurn = undefined
  if (!batching.isEmpty) hold(queue, segments.store(batching.take(), queue.onFull))
  endTurn?.()
}

function fail(queue: Queue, error: unknown): void {
  const { folder, onProblem } = queue
  queue.reason = reasonOf(error)
  if (queue.isWritable) {
    const what = `requests continue, and up to ${HELD} records wait in memory`
    onProblem(`The journal ${folder} cannot be written (${queue.reason}): ${what}. Free disk space.`)
  }
  queue.isWritable = false
  if (queue.isOpen) queue.retrying ??= setTimeout(retry, RETRY, queue).unref()
}

function hold({ waiting, losses, reason }: Queue, records: readonly JournalRecord[]): void {
  if (records.length === 0) return
  const room = HELD - waiting.length
  waiting.push(...records.slice(0, room))
  losses.add(records.slice(room), reason)
}

/** Writes the waiting records. Returns true if all are written. */
function drain(queue: Queue): boolean {
  const { waiting: records, batching, segments } = queue
  queue.waiting = []
  for (let start = 0; start < records.length; start += CHUNK) {
    for (const record of records.slice(start, start + CHUNK)) add(queue, record)
    const left = segments.store(batching.take(), queue.onFull)
    if (left.length === 0) continue
    queue.waiting = [...left, ...records.slice(start + CHUNK)]
    return false
  }
  return true
}

function retry(queue: Queue): void {
  queue.retrying = undefined
  queue.isWritable = drain(queue)
  queue.losses.tell()
}

/** Writes all records that the disk accepts. The others are lost. */
function end(queue: Queue): void {
  const { losses, retrying } = queue
  queue.isOpen = false
  clearTimeout(retrying)
  flush(queue)
  if (queue.waiting.length > 0 && !drain(queue)) losses.add(queue.waiting, queue.reason)
  queue.waiting = []
  losses.tell()
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
