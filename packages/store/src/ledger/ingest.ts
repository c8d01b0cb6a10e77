import { join } from 'node:path'
import { setImmediate as turn } from 'node:timers/promises'
import type { CountedRow } from '../budgets/spends.ts'
import type { StoreConnection } from '../database/connection.ts'
import { isRefusal } from '../database/failure.ts'
import { journalFolder } from '../journal/process-run.ts'
import type { JournalRecord } from '../journal/record.ts'
import { readSegment, removeSegment, type SegmentPart, segmentsOf } from '../journal/segment.ts'
import { rowsIn, sizeOf, type Truncation, truncationBefore } from '../journal/truncation.ts'
import type { JournalReceiver } from '../receivers/row-receiver.ts'
import type { LedgerRow } from '../usage/row.ts'
import {
  forgetIngestPositions,
  type IngestPosition,
  ingestPositions,
  spendsOf,
  writeRows,
  writeSpends,
} from '../usage/write.ts'
import type { BegunRequests } from './begun-requests.ts'
import { missingRows } from './missing-rows.ts'
import type { Quarantine, QuarantinedEntry } from './quarantine.ts'

/** Position in a journal. */
export interface JournalPosition {
  readonly segment: number
  readonly offset: number
  /** Usage rows of the segment before this position; absent if unknown. */
  readonly rows?: number
}

export interface IngestParts {
  readonly connection: StoreConnection
  readonly dataDir: string
  /** Time zone of days, such as `Europe/Berlin`. */
  readonly zone: string
  readonly quarantine: Quarantine
  /** Called for each quarantined row or line. */
  onQuarantine(message: string): void
  /** Called with problems that an operator should know. */
  onProblem(message: string): void
  /** Called if a journal was truncated: message, and number of lost usage rows. */
  onTruncation?(message: string, rows: number): void
  /** Receiver of ingested rows; default: none. */
  readonly receiver?: JournalReceiver | undefined
  /** Called when budget alerts are due. */
  onAlert?(): void
}

export interface IngestRange {
  /** Start position; default: the stored ingest position. */
  readonly from?: JournalPosition
  /** End of complete records, if the process still writes; default: end of the journal. */
  readonly upTo?: JournalPosition
  /** Store of begin records, for the journal of a running process; default: they are not stored. */
  readonly begun?: BegunRequests | undefined
  /** Time after which to stop behind the next segment, in monotonic milliseconds; default: no limit. */
  readonly until?: number
}

/** Result of ingesting a journal: the new position. */
export interface IngestResult extends JournalPosition {
  /** True if everything requested was ingested. */
  readonly isAll: boolean
}

/** Rows per transaction. */
const BATCH = 500
const START: JournalPosition = { segment: 0, offset: 0 }

/**
 * Ingests the rows of a process run's journal, stores the position, and deletes ingested segments. Only the owner of
 * the journal may call it. Repeating it changes nothing.
 */
export async function ingestJournal(
  parts: IngestParts,
  run: string,
  { from, upTo, until, begun }: IngestRange = {},
): Promise<IngestResult> {
  const folder = join(journalFolder(parts.dataDir), run)
  const segments = segmentsOf(folder)
  const newest = segments.at(-1)
  let at = from ?? (await lastTaken(parts.connection, run))
  let isRemoved = false
  let isAll = true
  for (const [index, segment] of segments.entries()) {
    if (upTo && segment > upTo.segment) break
    if (index === 0 && segment > at.segment) {
      // The store knows what this thread does not, such as the last step of a thread that was replaced.
      const stored = await lastTaken(parts.connection, run)
      if (stored.segment >= at.segment) at = stored
      if (segment > at.segment) reportTruncation(parts, run, truncationBefore(folder, segment, at))
    }
    if (segment >= at.segment) {
      const limit = segment === upTo?.segment ? upTo.offset : undefined
      const begin = segment === at.segment ? beginOf(parts, run, at, limit) : 0
      const part = readSegment(folder, segment, begin, limit)
      if (part.end > begin) {
        await begun?.add(run, { segment, offset: begin }, part.records)
        await ingestPart(parts, part, { run, segment, upto: part.end })
      }
      const known = begin === 0 ? 0 : at.rows
      const rows = known === undefined ? undefined : known + part.records.filter(({ kind }) => kind === 'e').length
      at = { segment, offset: part.end, ...(rows !== undefined && { rows }) }
      if (limit !== undefined && part.end < limit && upTo?.rows !== undefined)
        reportTruncation(parts, run, { segment, rows: upTo.rows - (rows ?? rowsIn(folder, segment, limit)) })
      const next = segments[index + 1]
      if (next !== undefined) reportTruncation(parts, run, truncationBefore(folder, next, at))
    }
    if (segment === newest || segment >= (upTo?.segment ?? Number.POSITIVE_INFINITY)) continue
    removeSegment(folder, segment)
    isRemoved = true
    await turn()
    isAll = !isOver(until)
    if (!isAll) break
  }
  if (isRemoved) await forgetIngestPositions(parts.connection, run, at.segment)
  return { ...at, isAll }
}

/** Truncations reported so far: a failed call is repeated. */
const reported = new WeakMap<IngestParts, Map<string, number>>()

/**
 * Offset to continue from in a segment. A truncated segment grows from its new end, so it is read again once; rows that
 * are already stored change nothing.
 */
function beginOf(parts: IngestParts, run: string, at: JournalPosition, limit = at.offset): number {
  const size = sizeOf(join(journalFolder(parts.dataDir), run), at.segment)
  return size >= limit ? at.offset : reported.get(parts)?.has(`${run} ${at.segment}`) ? Math.min(at.offset, size) : 0
}

function reportTruncation(parts: IngestParts, run: string, cut: Truncation | undefined): void {
  if (!cut) return
  const own = reported.get(parts) ?? new Map<string, number>()
  reported.set(parts, own)
  const key = `${run} ${cut.segment}`
  const before = own.get(key) ?? 0
  own.set(key, Math.max(before, cut.rows))
  const rows = cut.rows - before
  if (rows <= 0) return
  const message = `The journal ${join(journalFolder(parts.dataDir), run)} was truncated: up to ${rows} usage rows of segment ${cut.segment} are lost. Check the disk.`
  if (parts.onTruncation) parts.onTruncation(message, rows)
  else parts.onProblem(message)
}

/** True if a time limit in monotonic milliseconds has passed. */
export function isOver(until = Number.POSITIVE_INFINITY): boolean {
  return performance.now() >= until
}

async function ingestPart(
  parts: IngestParts,
  { records, damaged }: SegmentPart,
  position: IngestPosition,
): Promise<void> {
  const rows = rowsOf(records, position.run)
  await count(parts, countedOf(records, position.run))
  // Before the position is stored: after a crash, rows are passed on again rather than never.
  parts.receiver?.rows(position.run, rows)
  if (damaged.length === 0) return ingestRows(parts, rows, position)
  // Once the position is stored, these lines are not read again.
  await ingestRows(parts, rows)
  for (const line of damaged) quarantine(parts, { line }, 'it is not a valid record')
  await ingestRows(parts, [], position)
}

/** Ingests records of a journal whose position does not change. Repeating it changes nothing. */
export async function ingestRecords(parts: IngestParts, run: string, records: readonly JournalRecord[]): Promise<void> {
  await count(parts, countedOf(records, run))
  const rows = rowsOf(records, run)
  parts.receiver?.rows(run, rows)
  await ingestRows(parts, rows)
}

/**
 * Ingests the rows of a journal that another process owns. The owner handles rejected rows, deletions and positions.
 */
export async function ingestRunning(parts: IngestParts, run: string): Promise<void> {
  const folder = join(journalFolder(parts.dataDir), run)
  const toOwner: IngestParts = { ...parts, quarantine: { add() {} }, onQuarantine() {} }
  const { segment: first, offset } = await lastTaken(parts.connection, run)
  for (const segment of segmentsOf(folder)) {
    if (segment < first) continue
    try {
      const { records } = readSegment(folder, segment, segment === first ? offset : 0)
      await count(toOwner, countedOf(records, run))
      await ingestRows(toOwner, rowsOf(records, run))
    } catch (error) {
      if (!isGone(error)) throw error
    }
  }
}

/** Number of journal rows that the store does not have. @throws the store's error */
export async function countMissing(
  { connection, dataDir }: Pick<IngestParts, 'connection' | 'dataDir'>,
  run: string,
): Promise<number> {
  const folder = join(journalFolder(dataDir), run)
  const { segment: first, offset } = await lastTaken(connection, run)
  let count = 0
  for (const segment of segmentsOf(folder).filter((one) => one >= first)) {
    const rows = rowsOf(readSegment(folder, segment, segment === first ? offset : 0).records, run)
    for (let start = 0; start < rows.length; start += BATCH)
      count += (await missingRows(connection, rows.slice(start, start + BATCH))).length
  }
  return count
}

function isGone(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT'
}

async function lastTaken(connection: StoreConnection, run: string): Promise<JournalPosition> {
  const position = await ingestPositions(connection, run)
  let last = START
  for (const [segment, offset] of position) if (segment >= last.segment) last = { segment, offset }
  return last
}

function rowsOf(records: readonly JournalRecord[], run: string): LedgerRow[] {
  return records.flatMap((record) => {
    if (record.kind !== 'e') return []
    return [record.spends ? { ...record.row, spends: record.spends, run } : record.row]
  })
}

/** Amounts of requests that another process has settled. */
function countedOf(records: readonly JournalRecord[], run: string): CountedRow[] {
  return records.flatMap((record) => {
    if (record.kind !== 'r' || !record.spends) return []
    return [
      { id: record.id, at: Math.round(record.at ?? 0), principal: record.principal ?? '', run, spends: record.spends },
    ]
  })
}

async function count({ connection, onAlert }: IngestParts, counted: readonly CountedRow[]): Promise<void> {
  if (counted.length > 0 && (await writeSpends(connection, counted)) > 0) onAlert?.()
}

/** Ingests rows in batches; the last one stores the position. Rejected rows are quarantined. */
export async function ingestRows(
  parts: IngestParts,
  rows: readonly LedgerRow[],
  position?: IngestPosition,
): Promise<void> {
  for (let start = 0; start < rows.length || (start === 0 && position); start += BATCH) {
    const isLast = start + BATCH >= rows.length
    await write(parts, rows.slice(start, start + BATCH), isLast ? position : undefined)
    // SQLite answers synchronously: without this pause no other work would run in between.
    if (!isLast) await turn()
  }
}

/**
 * Writes all rows, or else halves of them, until only rejected rows are left to quarantine.
 * @throws the store's error if it cannot accept any row now
 */
async function write(parts: IngestParts, rows: readonly LedgerRow[], position?: IngestPosition): Promise<void> {
  const { connection, zone } = parts
  try {
    const { alerts } = await writeRows(connection, { rows, zone, ...(position && { position }) })
    if (alerts > 0) parts.onAlert?.()
  } catch (error) {
    const [first] = rows
    if (!first || !isRefusal(error)) throw error
    if (rows.length === 1) {
      await count(parts, spendsOf(first))
      quarantine(parts, { row: first }, error instanceof Error ? error.message : String(error))
      if (position) await writeRows(connection, { rows: [], zone, position })
      return
    }
    const half = Math.ceil(rows.length / 2)
    await write(parts, rows.slice(0, half))
    await write(parts, rows.slice(half), position)
  }
}

export function quarantine({ quarantine, onQuarantine }: IngestParts, refused: QuarantinedEntry, reason: string): void {
  quarantine.add(refused, reason)
  const what = 'row' in refused ? `The usage row of request ${refused.row.requestId}` : 'A line of the journal'
  onQuarantine(`${what} cannot be stored and is quarantined: ${reason}`)
}
