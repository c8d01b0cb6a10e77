import { join } from 'node:path'
import { setImmediate as turn } from 'node:timers/promises'
import type { Counted } from '../budgets/spends.ts'
import type { Connection } from '../database/connection.ts'
import { isRefusal } from '../database/failure.ts'
import { type Cut, cutBefore, rowsIn, sizeOf } from '../journal/cut.ts'
import { journalFolder } from '../journal/life.ts'
import type { JournalRecord } from '../journal/record.ts'
import { readSegment, removeSegment, type SegmentPart, segmentsOf } from '../journal/segment.ts'
import type { LedgerRow } from '../usage/row.ts'
import { forgetTaken, spendsOf, type Taken, takenUpTo, writeRows, writeSpends } from '../usage/write.ts'
import { notStored } from './not-stored.ts'
import type { PutAside, Refused } from './put-aside.ts'

/** Where a journal has been read to. */
export interface Position {
  readonly segment: number
  readonly offset: number
  /** Usage rows of the segment up to there; absent if that is not known. */
  readonly rows?: number
}

export interface TakeParts {
  readonly connection: Connection
  readonly dataDir: string
  /** Time zone in which days begin: `Europe/Berlin`. */
  readonly zone: string
  readonly aside: PutAside
  /** Told of each row and line that is put aside. */
  onPutAside(message: string): void
  /** Told of what can not be taken in as it is. */
  onProblem(message: string): void
  /** Told of usage rows that are lost because a journal was cut: a message, and their number. */
  onCut?(message: string, rows: number): void
  /** Told when there are alerts of budgets to deliver. */
  onAlert?(): void
}

export interface Reach {
  /** Where to begin; by default where the store says that it was left. */
  readonly from?: Position
  /** How far whole records lie, where the life goes on; default: to the end. */
  readonly upTo?: Position
  /** When to stop behind the next segment, by the clock that never goes back; default: never. */
  readonly until?: number
}

/** How far a journal is taken. */
export interface Reached extends Position {
  /** Whether that is all that was to be taken. */
  readonly isAll: boolean
}

/** Rows of one transaction. */
const BATCH = 500
const START: Position = { segment: 0, offset: 0 }

/**
 * Takes the rows that a life has journalled into the store, says there how far, and removes the segments that are over:
 * for whom the life belongs to. Doing it twice changes nothing.
 */
export async function takeLife(parts: TakeParts, life: string, { from, upTo, until }: Reach = {}): Promise<Reached> {
  const folder = join(journalFolder(parts.dataDir), life)
  const segments = segmentsOf(folder)
  const newest = segments.at(-1)
  let at = from ?? (await lastTaken(parts.connection, life))
  let isRemoved = false
  let isAll = true
  for (const [index, segment] of segments.entries()) {
    if (upTo && segment > upTo.segment) break
    if (segment >= at.segment) {
      const isGap = index === 0 && segment > at.segment
      const limit = segment === upTo?.segment ? upTo.offset : undefined
      const begin = segment === at.segment ? beginOf(parts, life, at, limit) : 0
      const part = readSegment(folder, segment, begin, limit)
      if (part.end > begin) await takePart(parts, part, { life, segment, upto: part.end })
      const known = begin === 0 ? 0 : at.rows
      const rows = known === undefined ? undefined : known + part.records.filter(({ kind }) => kind === 'e').length
      at = { segment, offset: part.end, ...(rows !== undefined && { rows }) }
      if (isGap) noteCut(parts, life, cutBefore(folder, segment))
      if (limit !== undefined && part.end < limit && upTo?.rows !== undefined)
        noteCut(parts, life, { segment, rows: upTo.rows - (rows ?? rowsIn(folder, segment, limit)) })
      const next = segments[index + 1]
      if (next !== undefined) noteCut(parts, life, cutBefore(folder, next, at))
    }
    if (segment === newest || segment >= (upTo?.segment ?? Number.POSITIVE_INFINITY)) continue
    removeSegment(folder, segment)
    isRemoved = true
    await turn()
    isAll = !isOver(until)
    if (!isAll) break
  }
  if (isRemoved) await forgetTaken(parts.connection, life, at.segment)
  return { ...at, isAll }
}

/** What was noted of cut segments: a take that failed is tried again. */
const noted = new WeakMap<TakeParts, Map<string, number>>()

/**
 * Where to read on in a segment. One that was cut is appended to from its new end: it is read again, once, since what
 * is taken stays.
 */
function beginOf(parts: TakeParts, life: string, at: Position, limit = at.offset): number {
  const size = sizeOf(join(journalFolder(parts.dataDir), life), at.segment)
  return size >= limit ? at.offset : noted.get(parts)?.has(`${life} ${at.segment}`) ? Math.min(at.offset, size) : 0
}

function noteCut(parts: TakeParts, life: string, cut: Cut | undefined): void {
  if (!cut) return
  const own = noted.get(parts) ?? new Map<string, number>()
  noted.set(parts, own)
  const key = `${life} ${cut.segment}`
  const before = own.get(key) ?? 0
  own.set(key, Math.max(before, cut.rows))
  const rows = cut.rows - before
  if (rows <= 0) return
  const message = `The journal ${join(journalFolder(parts.dataDir), life)} was cut: up to ${rows} usage rows of its segment ${cut.segment} are lost. Check its disk.`
  if (parts.onCut) parts.onCut(message, rows)
  else parts.onProblem(message)
}

/** Whether an instant of the clock that never goes back has come. */
export function isOver(until = Number.POSITIVE_INFINITY): boolean {
  return performance.now() >= until
}

async function takePart(parts: TakeParts, { records, damaged }: SegmentPart, taken: Taken): Promise<void> {
  const rows = rowsOf(records, taken.life)
  await count(parts, countedOf(records, taken.life))
  if (damaged.length === 0) return takeRows(parts, rows, taken)
  // Once it is said that they are taken, nobody reads these lines again.
  await takeRows(parts, rows)
  for (const line of damaged) putAside(parts, { line }, 'it holds no record')
  await takeRows(parts, [], taken)
}

/**
 * Takes the rows of a life that somebody else owns, and leaves all else to its owner: what is refused too, and what is
 * removed meanwhile.
 */
export async function takeRunning(parts: TakeParts, life: string): Promise<void> {
  const folder = join(journalFolder(parts.dataDir), life)
  const toOwner: TakeParts = { ...parts, aside: { add() {} }, onPutAside() {} }
  const { segment: first, offset } = await lastTaken(parts.connection, life)
  for (const segment of segmentsOf(folder)) {
    if (segment < first) continue
    try {
      const { records } = readSegment(folder, segment, segment === first ? offset : 0)
      await count(toOwner, countedOf(records, life))
      await takeRows(toOwner, rowsOf(records, life))
    } catch (error) {
      if (!isGone(error)) throw error
    }
  }
}

/** How many rows the store lacks of those that a life has journalled. @throws what the store says. */
export async function countLacking(
  { connection, dataDir }: Pick<TakeParts, 'connection' | 'dataDir'>,
  life: string,
): Promise<number> {
  const folder = join(journalFolder(dataDir), life)
  const { segment: first, offset } = await lastTaken(connection, life)
  let count = 0
  for (const segment of segmentsOf(folder).filter((one) => one >= first)) {
    const rows = rowsOf(readSegment(folder, segment, segment === first ? offset : 0).records, life)
    for (let start = 0; start < rows.length; start += BATCH)
      count += (await notStored(connection, rows.slice(start, start + BATCH))).length
  }
  return count
}

function isGone(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT'
}

async function lastTaken(connection: Connection, life: string): Promise<Position> {
  const taken = await takenUpTo(connection, life)
  let last = START
  for (const [segment, offset] of taken) if (segment >= last.segment) last = { segment, offset }
  return last
}

function rowsOf(records: readonly JournalRecord[], life: string): LedgerRow[] {
  return records.flatMap((record) => {
    if (record.kind !== 'e') return []
    return [record.spends ? { ...record.row, spends: record.spends, life } : record.row]
  })
}

/** What is counted here of requests that another process has settled. */
function countedOf(records: readonly JournalRecord[], life: string): Counted[] {
  return records.flatMap((record) => {
    if (record.kind !== 'r' || !record.spends) return []
    return [
      { id: record.id, at: Math.round(record.at ?? 0), principal: record.principal ?? '', life, spends: record.spends },
    ]
  })
}

async function count({ connection, onAlert }: TakeParts, counted: readonly Counted[]): Promise<void> {
  if (counted.length > 0 && (await writeSpends(connection, counted)) > 0) onAlert?.()
}

/** In batches; the last one says how far the journal is taken. Rows that the store refuses are put aside. */
export async function takeRows(parts: TakeParts, rows: readonly LedgerRow[], taken?: Taken): Promise<void> {
  for (let start = 0; start < rows.length || (start === 0 && taken); start += BATCH) {
    const isLast = start + BATCH >= rows.length
    await write(parts, rows.slice(start, start + BATCH), isLast ? taken : undefined)
    // SQLite answers at once: without a turn of the event loop nothing else would go between.
    if (!isLast) await turn()
  }
}

/** All at once, or else by halves: those that the store refuses are put aside. @throws when it can take none now. */
async function write(parts: TakeParts, rows: readonly LedgerRow[], taken?: Taken): Promise<void> {
  const { connection, zone } = parts
  try {
    const { alerts } = await writeRows(connection, { rows, zone, ...(taken && { taken }) })
    if (alerts > 0) parts.onAlert?.()
  } catch (error) {
    const [first] = rows
    if (!first || !isRefusal(error)) throw error
    if (rows.length === 1) {
      await count(parts, spendsOf(first))
      putAside(parts, { row: first }, error instanceof Error ? error.message : String(error))
      if (taken) await writeRows(connection, { rows: [], zone, taken })
      return
    }
    const half = Math.ceil(rows.length / 2)
    await write(parts, rows.slice(0, half))
    await write(parts, rows.slice(half), taken)
  }
}

export function putAside({ aside, onPutAside }: TakeParts, refused: Refused, reason: string): void {
  aside.add(refused, reason)
  const what = 'row' in refused ? `The usage row of request ${refused.row.requestId}` : 'A line of the journal'
  onPutAside(`${what} can not be stored and is put aside: ${reason}`)
}
