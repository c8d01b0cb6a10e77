import { closeSync, existsSync, openSync, readSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { lockRun } from '../journal/lock.ts'
import { removeRun, runsIn } from '../journal/process-run.ts'
import { removeSegment, segmentFile, segmentsOf } from '../journal/segment.ts'
import type { Cursor, Positions } from './cursor.ts'
import { type BacklogLine, readBacklogLine } from './line.ts'
import { forgetLeftOut, leftOutOf, segmentSize } from './outbox.ts'

/** Rows of a backlog, and the position after them. */
export interface BacklogPart {
  readonly lines: readonly BacklogLine[]
  readonly to: Positions
}

/** Bytes that are read in addition to a limit, so that the last line is usually complete. */
const MARGIN = 65_536
const LINE_FEED = 10
/** Length of a row id. */
const ID_BYTES = 36

/**
 * Reads rows after a position, oldest process run first, up to a number of rows and bytes; at least one row if any is
 * complete. With `upTo`, reads exactly up to that position. Damaged lines are left out.
 */
export async function readBacklog(
  folder: string,
  from: Positions,
  limits: { readonly rows: number; readonly bytes: number },
  upTo?: Positions,
): Promise<BacklogPart> {
  const lines: BacklogLine[] = []
  const to: Record<string, readonly [number, number]> = { ...from }
  let { rows, bytes } = upTo ? { rows: Number.POSITIVE_INFINITY, bytes: Number.POSITIVE_INFINITY } : limits
  for (const run of runsIn(folder)) {
    const runFolder = join(folder, run)
    const [first, offset] = from[run] ?? [0, 0]
    const [last, end] = upTo ? (upTo[run] ?? [first, offset]) : [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY]
    for (const segment of segmentsOf(runFolder)) {
      if (segment < first || segment > last) continue
      const begin = segment === first ? offset : 0
      const limit = { rows, bytes, end: segment === last ? end : Number.POSITIVE_INFINITY }
      const part = await readLines(segmentFile(runFolder, segment), begin, limit)
      for (const line of part.lines) lines.push(line)
      rows -= part.count
      bytes -= part.end - begin
      to[run] = [segment, part.end]
      if (part.isLimited) return { lines, to }
    }
  }
  return { lines, to }
}

interface LinesPart {
  readonly lines: BacklogLine[]
  /** Number of lines, with damaged ones. */
  readonly count: number
  /** Offset after the last line. */
  readonly end: number
  /** True if a limit ended it. */
  readonly isLimited: boolean
}

async function readLines(
  path: string,
  from: number,
  { rows, bytes, end }: { readonly rows: number; readonly bytes: number; readonly end: number },
): Promise<LinesPart> {
  const file = await open(path, 'r')
  try {
    const { size } = await file.stat()
    const most = Math.min(size, end) - from
    let wanted = Math.min(most, bytes + MARGIN)
    for (;;) {
      const { buffer, bytesRead } = await file.read(Buffer.alloc(Math.max(0, wanted)), 0, Math.max(0, wanted), from)
      const part = split(buffer.subarray(0, bytesRead), { rows, bytes })
      if (part.count > 0 || wanted >= most) return { ...part, end: from + part.end }
      // A single line is longer than what was read.
      wanted = Math.min(most, wanted * 2)
    }
  } finally {
    await file.close()
  }
}

function split(buffer: Buffer, { rows, bytes }: { readonly rows: number; readonly bytes: number }): LinesPart {
  const lines: BacklogLine[] = []
  let [start, count] = [0, 0]
  for (let at = buffer.indexOf(LINE_FEED); at >= 0; at = buffer.indexOf(LINE_FEED, start)) {
    if (count > 0 && (count >= rows || at + 1 > bytes)) return { lines, count, end: start, isLimited: true }
    const line = readBacklogLine(buffer.toString('utf8', start, at))
    if (line) lines.push(line)
    count++
    start = at + 1
    if (start >= bytes || count >= rows) return { lines, count, end: start, isLimited: true }
  }
  return { lines, count, end: start, isLimited: false }
}

/** Bytes after a position. */
export function waitingBytes(folder: string, positions: Positions): number {
  let bytes = 0
  for (const run of runsIn(folder)) {
    const [first, offset] = positions[run] ?? [0, 0]
    for (const segment of segmentsOf(join(folder, run)))
      if (segment >= first) bytes += segmentSize(join(folder, run), segment) - (segment === first ? offset : 0)
  }
  return bytes
}

/** Rows that all existing process runs left out. */
export function leftOutRows(folder: string): number {
  return runsIn(folder).reduce((sum, run) => sum + leftOutOf(join(folder, run)), 0)
}

/**
 * Deletes delivered segments, and the folders of ended process runs whose rows are all delivered. Returns the cursor
 * without them.
 * @param own run of this process
 */
export function removeDelivered(folder: string, cursor: Cursor, own: string): Cursor {
  const positions = { ...cursor.positions }
  let { leftOut } = cursor
  const runs = runsIn(folder)
  for (const run of runs) {
    const runFolder = join(folder, run)
    const at = positions[run] ?? [0, 0]
    for (const segment of segmentsOf(runFolder)) if (segment < at[0]) removeSegment(runFolder, segment)
    if (run === own || !isDelivered(runFolder, at)) continue
    const lock = lockRun(runFolder)
    if (!lock) continue
    try {
      // Its owner may have added rows before it ended.
      if (!isDelivered(runFolder, at)) continue
      leftOut += leftOutOf(runFolder)
      forgetLeftOut(runFolder)
      removeRun(runFolder)
      delete positions[run]
    } finally {
      lock.release()
    }
  }
  for (const run of Object.keys(positions)) if (!runs.includes(run)) delete positions[run]
  return { ...cursor, positions, leftOut }
}

/** True if no complete line follows a position. An incomplete line of an ended process run is repeated by its journal. */
function isDelivered(runFolder: string, [at, offset]: readonly [number, number]): boolean {
  const segments = segmentsOf(runFolder)
  if (segments.some((segment) => segment > at)) return false
  const rest = segments.includes(at) ? segmentSize(runFolder, at) - offset : 0
  return rest <= 0 || (rest <= MARGIN && !bytesFrom(segmentFile(runFolder, at), offset, rest).includes(LINE_FEED))
}

/** Bytes of a segment from an offset; empty if it is gone. */
function bytesFrom(path: string, offset: number, size: number): Buffer {
  if (!existsSync(path)) return Buffer.alloc(0)
  const file = openSync(path, 'r')
  try {
    const buffer = Buffer.alloc(size)
    return buffer.subarray(0, readSync(file, buffer, 0, size, offset))
  } finally {
    closeSync(file)
  }
}

/** Unix time of the first row after a position, in milliseconds; undefined without one. */
export function oldestRow(folder: string, positions: Positions): number | undefined {
  let oldest: number | undefined
  for (const run of runsIn(folder)) {
    const runFolder = join(folder, run)
    const [first, offset] = positions[run] ?? [0, 0]
    for (const segment of segmentsOf(runFolder)) {
      if (segment < first) continue
      const id = bytesFrom(segmentFile(runFolder, segment), segment === first ? offset : 0, ID_BYTES).toString()
      // The first 48 bits of a UUIDv7.
      const at = Number.parseInt(id.replace('-', '').slice(0, 12), 16)
      if (id.length < ID_BYTES || Number.isNaN(at)) continue
      oldest = Math.min(oldest ?? at, at)
      break
    }
  }
  return oldest
}
