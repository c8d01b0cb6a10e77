import { ftruncateSync, openSync, rmSync, writeSync } from 'node:fs'
import type { Batch } from './batch.ts'
import { LINE_FEED } from './line.ts'
import { segmentFile } from './segment.ts'
import type { Synced } from './sync.ts'

/** What writes bytes of `buffer` from `offset` on, and says how many: a nearly full disk takes some of them. */
export type Write = (file: number, buffer: Uint8Array, offset: number, length: number) => number

export type Lines = Pick<Batch, 'bytes' | 'length'>

/** The newest segment of a life, which lines are appended to. */
export interface Tail {
  readonly segment: number
  /** Whole lines that lie in it, in bytes. */
  readonly size: number
  /** When it was begun, by the clock of whoever did. */
  readonly since: number
  /** Bytes of lines behind its head. */
  readonly used: number
  /** Writes the lines from the byte `from` on, in one call of `write` where the disk takes all of them. */
  append(lines: Lines, from: number): Appended
  retire(): void
  close(): void
}

export interface Appended {
  /** Where those begin that are not in the segment. */
  readonly upto: number
  readonly error?: unknown
}

export interface Begun {
  readonly folder: string
  readonly segment: number
  readonly head: Buffer
  readonly since: number
  readonly write?: Write | undefined
  readonly synced: (file: number) => Synced
}

/** Begins a segment. @throws what the disk says; then there is no such segment. */
export function beginTail({ folder, segment, head, since, write = writeSync, synced }: Begun): Tail {
  const path = segmentFile(folder, segment)
  const file = openSync(path, 'ax', 0o600)
  const sync = synced(file)
  let size = 0
  /** Whether half a line may lie behind `size`. */
  let isTorn = false

  const cut = () => {
    ftruncateSync(file, size)
    isTorn = false
  }

  const append = ({ bytes, length }: Lines, from: number): Appended => {
    let done = from
    try {
      if (isTorn) cut()
      while (done < length) {
        const written = write(file, bytes, done, length - done)
        if (!(written > 0)) throw new Error('nothing more can be written')
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
        // Before the next line, then; a reader knows half a line when it sees one.
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
