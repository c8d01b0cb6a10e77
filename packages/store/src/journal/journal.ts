import { dirname } from 'node:path'
import { HeadgateError } from '@headgate/gateway/ports'
import { type Batch, createBatching, headOf } from './batch.ts'
import { createOpenBegins } from './begins.ts'
import { beginLife, bootId, journalFolder, removeLife } from './life.ts'
import { linesIn } from './line.ts'
import { createLosses } from './losses.ts'
import { type Header, type JournalRecord, VERSION } from './record.ts'
import { type Disk, type Fsync, synced, syncFolder } from './sync.ts'
import { beginTail, type Tail, type Write } from './tail.ts'

/** What a process writes down before anybody is told, in a folder of its own. */
export interface Journal {
  /** UUIDv7. */
  readonly life: string
  readonly folder: string
  /**
   * Queues a record; one write for all of this turn of the event loop. Resolves once it is written, or waits in memory
   * since it could not be. Never rejects.
   */
  append(record: JournalRecord): Promise<void>
  /** False while the disk takes nothing. */
  writable(): boolean
  /** Records in memory that no disk took. */
  waiting(): number
  /** Usage rows that were given up, since the start. */
  lost(): number
  /**
   * How far whole records lie on the disk: earlier segments to their end, this one up to `offset`, with its number of
   * usage rows.
   */
  written(): { readonly segment: number; readonly offset: number; readonly rows: number }
  /** Writes what is queued, now. */
  flush(): void
  /**
   * Writes what is queued and what waits; what finds no room is lost, and said. Then the life is over: whoever asks
   * gets its lock.
   */
  close(): void
}

export interface JournalOptions {
  readonly dataDir: string
  /** Told once when the disk stops taking records, and of what is lost. */
  readonly onProblem: (message: string) => void
  /** `interval` by default. */
  readonly fsync?: Fsync | undefined
  /** A clock in milliseconds that never goes back. */
  readonly now?: () => number
  /** A segment that has taken so many bytes, or is so many milliseconds old, is followed by another one: 8 MB, 10 s. */
  readonly rotate?: { readonly bytes: number; readonly ms: number }
  /** For tests. */
  readonly write?: Write
  /** For tests. */
  readonly disk?: Disk
}

/** Most records that wait in memory. */
const HELD = 10_000
/** Of those, so many are written at a time: a disk that is still full shall not cost much. */
const CHUNK = 256
/** How often a disk that took nothing is tried again, in milliseconds. */
const RETRY = 1_000
const ROTATE = { bytes: 8 * 2 ** 20, ms: 10_000 }
const DONE = Promise.resolve()

/** Begins a life: its folder, its lock, its first segment. @throws {HeadgateError} when they can not be made. */
export function openJournal(options: JournalOptions): Journal {
  const folder = journalFolder(options.dataDir)
  try {
    return begin(folder, options)
  } catch (error) {
    throw new HeadgateError(
      'invalid-request',
      `The journal in ${folder} can not be written: ${reasonOf(error)}. Make room on its disk, or choose another folder with --data-dir or HEADGATE_DATA_DIR.`,
    )
  }
}

function begin(journals: string, options: JournalOptions): Journal {
  const {
    dataDir,
    onProblem,
    fsync = 'interval',
    now = performance.now.bind(performance),
    rotate = ROTATE,
    write,
    disk,
  } = options
  const { id: life, folder, lock } = beginLife(journals)
  const header: Header = {
    kind: 'h',
    version: VERSION,
    life,
    boot: bootId(),
    ...(fsync === 'always' && { isSynced: true }),
  }
  const batching = createBatching()
  const begins = createOpenBegins()
  const losses = createLosses(onProblem)
  let segment = 0
  /** Usage rows in the newest segment. */
  let rows = 0
  let waiting: JournalRecord[] = []
  let isWritable = true
  let isOpen = true
  let isSyncing = true
  let reason = ''
  let retrying: NodeJS.Timeout | undefined
  let turn: Promise<void> | undefined
  let endTurn: (() => void) | undefined

  const onSyncError = (error: unknown) => {
    if (isSyncing)
      onProblem(`What the journal ${folder} holds can not be made safe from a loss of power: ${reasonOf(error)}`)
    isSyncing = false
  }

  const beginSegment = (last?: Tail): Tail => {
    segment += 1
    const own: Header = last ? { ...header, before: { segment: last.segment, size: last.size, rows } } : header
    return beginTail({
      folder,
      segment,
      head: headOf(own, begins.again()),
      since: now(),
      write,
      synced: (file) => synced(file, { fsync, folder, onError: onSyncError, disk }),
    })
  }

  /** Whether there is another segment: the disk may have no room for one. */
  const turnOver = (): boolean => {
    try {
      const last = tail
      tail = beginSegment(last)
      rows = 0
      last.retire()
      return true
    } catch {
      return false
    }
  }

  /**
   * Appends what lies in a batch from `from` on. What is in the segment by then is what the next one has to carry on.
   */
  const put = (batch: Batch, from: number, done: number) => {
    const { upto, error } = tail.append(batch, from)
    const until = error === undefined ? batch.records.length : done + linesIn(batch.bytes, from, upto)
    for (let at = done; at < until; at++) {
      const record = batch.records[at]
      if (record) begins.add(record)
      if (record?.kind === 'e') rows += 1
    }
    return { upto, done: until, error }
  }

  /** Writes a batch, and returns the records that found no room. Where this file takes no more, another one may. */
  const store = (batch: Batch): readonly JournalRecord[] => {
    if (tail.used > 0 && (tail.used >= rotate.bytes || now() - tail.since >= rotate.ms)) turnOver()
    let result = put(batch, 0, 0)
    if (result.error === undefined) return []
    if (tail.used > 0 && turnOver()) result = put(batch, result.upto, result.done)
    if (result.error !== undefined) fail(result.error)
    return batch.records.slice(result.done)
  }

  const fail = (error: unknown) => {
    reason = reasonOf(error)
    if (isWritable) {
      const what = `answers go on, and up to ${HELD} records wait in memory`
      onProblem(`The journal ${folder} can not be written (${reason}): ${what}. Make room on its disk.`)
    }
    isWritable = false
    if (isOpen) retrying ??= setTimeout(retry, RETRY).unref()
  }

  const hold = (records: readonly JournalRecord[]) => {
    if (records.length === 0) return
    const room = HELD - waiting.length
    waiting.push(...records.slice(0, room))
    losses.add(records.slice(room), reason)
  }

  const queue = (record: JournalRecord) => {
    try {
      batching.add(record)
    } catch (error) {
      losses.add([record], reasonOf(error))
      losses.tell()
    }
  }

  const flush = () => {
    const ended = endTurn
    turn = undefined
    endTurn = undefined
    if (!batching.isEmpty) hold(store(batching.take()))
    ended?.()
  }

  /** Whether all that waited is written. */
  const drain = (): boolean => {
    const records = waiting
    waiting = []
    for (let start = 0; start < records.length; start += CHUNK) {
      for (const record of records.slice(start, start + CHUNK)) queue(record)
      const left = store(batching.take())
      if (left.length === 0) continue
      waiting = [...left, ...records.slice(start + CHUNK)]
      return false
    }
    return true
  }

  const retry = () => {
    retrying = undefined
    isWritable = drain()
    losses.tell()
  }

  const beginFirst = (): Tail => {
    try {
      return beginSegment()
    } catch (error) {
      removeLife(folder)
      lock.release()
      throw error
    }
  }

  let tail = beginFirst()
  if (fsync !== 'never') {
    try {
      for (const made of [journals, dirname(journals), dataDir]) syncFolder(made)
    } catch (error) {
      onSyncError(error)
    }
  }

  return {
    life,
    folder,
    append: (record) => {
      if (!isOpen) {
        losses.add([record], 'the journal is closed')
        losses.tell()
        return DONE
      }
      if (!isWritable) {
        hold([record])
        return DONE
      }
      queue(record)
      turn ??= new Promise((resolve) => {
        endTurn = resolve
        setImmediate(flush)
      })
      return turn
    },
    writable: () => isWritable,
    waiting: () => waiting.length,
    lost: losses.rows,
    written: () => ({ segment: tail.segment, offset: tail.size, rows }),
    flush,
    close: () => {
      if (!isOpen) return
      isOpen = false
      clearTimeout(retrying)
      flush()
      if (waiting.length > 0 && !drain()) losses.add(waiting, reason)
      waiting = []
      losses.tell()
      tail.close()
      lock.release()
    },
  }
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
