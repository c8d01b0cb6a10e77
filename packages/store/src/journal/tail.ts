import { ftruncateSync, openSync, rmSync, writeSync } from 'node:fs'
import type { RecordBatch } from './batch.ts'
import { LINE_FEED } from './line.ts'
import { segmentFile } from './segment.ts'
import type { SyncedFile } from './sync.ts'

/**
 * Function that writes bytes of `buffer` at `offset` and returns their number. A nearly full disk accepts only some of
 * them.
 */
export type Write = (file: number, buffer: Uint8Array, offset: number, length: number) => number

export type LineBytes = Pick<RecordBatch, 'bytes' | 'length'>

/** Newest segment of a journal, to which lines are appended. */
export interface Tail {
  readonly segment: number
  /** Bytes of complete lines. */
  readonly size: number
  /** Start time by the clock of its creator. */
  readonly since: number
  /** Bytes of lines after the first ones. */
  readonly used: number
  /** Writes lines starting at the byte `from`, in one call of `write` if the disk accepts all. */
  append(lines: LineBytes, from: number): AppendResult
  retire(): void
  close(): void
}

export interface AppendResult {
  /** Offset of the first line that is not in the segment. */
  readonly upto: number
  readonly error?: unknown
}

export interface TailOptions {
  readonly folder: string
  readonly segment: number
  readonly head: Buffer
  readonly since: number
  readonly write?: Write | undefined
  readonly synced: (file: number) => SyncedFile
}

/** Starts a segment. @throws the error of the disk; the segment does not exist then */
export function beginTail({ folder, segment, head, since, write = writeSync, synced }: TailOptions): Tail {
  const path = segmentFile(folder, segment)
  const file = openSync(path, 'ax', 0o600)
  const sync = synced(file)
  let size = 0
  /** True if an incomplete line may follow `size`. */
  let isTorn = false

  const cut = () => {
    ftruncateSync(file, size)
    isTorn = false
  }

  const append = ({ bytes, length }: LineBytes, from: number): AppendResult => {
    let done = from
    try {
      if (isTorn) cut()
      while (done < length) {
        const written = write(file, bytes, done, length - done)
        if (!(written > 0)) throw new Error('the disk accepts no more bytes')
        done += written
      }
      size += length - from
      sync.wrote()
      return { upto: length }
    } catch (error) {
      const upto = done === from ? from : Math.max(from, bytes.lastIndexOf(LINE_FEED, done - 1) + 1)
      size += upto - from
      isTorn = true
      try {
        cut()
      } catch {
        // Truncated before the next line instead. Readers detect incomplete lines.
      }
      if (upto > from) sync.wrote()
      return { upto, error }
    }
  }

  const begun = append({ bytes: head, length: head.length }, 0)
  if (begun.upto < head.length) {
    sync.close()
    rmSync(path, { force: true })
    throw begun.error
  }
  return {
    segment,
    since,
    get size() {
      return size
    },
    get used() {
      return size - head.length
    },
    append,
    retire: sync.retire,
    close: sync.close,
  }
}
