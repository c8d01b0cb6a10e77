import { recordable } from '@headgate/gateway/ports'
import { addTotals, type CountedRow, countSpends, insertSpends } from '../budgets/spends.ts'
import { insertAll, insertRows, type OnConflict, type TableInsert } from '../database/bulk.ts'
import type { StoreConnection } from '../database/connection.ts'
import { lockDays, readDayZones } from '../database/day-zones.ts'
import { beginLocking, transact, type WriteTransaction } from '../database/transaction.ts'
import { recordUses } from '../keys/used.ts'
import { ROLL_UPS } from '../schema/tables.ts'
import { correctionsOf, withSettledAmounts } from './correction.ts'
import { failureSums } from './failure-hours.ts'
import { firstByteSums } from './first-bytes.ts'
import { minuteSums } from './minutes.ts'
import { createSums, groupValues, type RollUpSum, rollUpValues } from './roll-up.ts'
import { beginningOf, type LedgerRow } from './row.ts'
import { prepareTagSums, tagSumsOf } from './tag-sums.ts'
import { addingTo } from './upsert-clauses.ts'
import { upstreamSums } from './upstream-sums.ts'
import { addMeasures, attemptValues, usageValues } from './values.ts'

/** Ingested part of a journal segment: the offset after its last whole line. */
export interface IngestPosition {
  readonly run: string
  readonly segment: number
  readonly upto: number
}

export interface RowBatch {
  readonly rows: readonly LedgerRow[]
  /** Time zone of daily sums if the store has none. */
  readonly zone: string
  readonly position?: IngestPosition
}

export interface WriteResult {
  /** Number of new rows. */
  readonly written: number
  /** Number of alerts that the rows trigger. */
  readonly alerts: number
}

const LATEST: OnConflict = { set: { last_at: 'greatest' } }
const FURTHEST: OnConflict = { set: { upto: 'greatest' } }

/**
 * Writes rows, their attempts, roll-ups of new rows, and the ingest position, in one transaction that is durable when
 * it resolves. Rows that are already stored change nothing.
 *
 * @throws the store's error. If `isRefusal` is true for it, one of the rows is invalid: write them one by one
 */
export async function writeRows(connection: StoreConnection, batch: RowBatch): Promise<WriteResult> {
  if (connection.kind === 'sqlite') return transact(connection, (trx) => writeWithin(connection, trx, batch))
  await prepareTagSums(connection, batch.rows, batch.zone)
  const { fresh, alerts } = await transact(connection, (trx) => writeBatch(connection, trx, batch))
  // Outside of the transaction: other writers would wait for the keys until its end.
  await recordUses(connection, connection.db, usesOf(fresh))
  return { written: fresh.size, alerts }
}

/** Writes a batch within a transaction. */
export async function writeWithin(
  connection: StoreConnection,
  trx: WriteTransaction,
  batch: RowBatch,
): Promise<WriteResult> {
  const { fresh, alerts } = await writeBatch(connection, trx, batch)
  await recordUses(connection, trx, usesOf(fresh))
  return { written: fresh.size, alerts }
}

interface WrittenBatch {
  readonly fresh: ReadonlySet<LedgerRow>
  readonly alerts: number
}

/**
 * Writes a batch without the uses of keys. Sums and then budget windows come last: other writers wait for them until the
 * transaction ends.
 */
async function writeBatch(
  connection: StoreConnection,
  trx: WriteTransaction,
  { rows, zone, position }: RowBatch,
): Promise<WrittenBatch> {
  await beginLocking(connection, trx)
  const batch = unique(rows).map(counted)
  const { fresh, sums } = await insertNew(connection, trx, batch, zone)
  const known = batch.filter((row) => !fresh.has(row))
  const corrections = known.length > 0 ? await correctionsOf(trx, known) : []
  const corrected = await insertNew(connection, trx, corrections, zone)
  if (position)
    await insertRows(connection, trx, 'ingest_positions', [[position.run, position.segment, position.upto]], FURTHEST)
  const counting = [
    ...batch.filter((row) => fresh.has(row)),
    ...(await withSettledAmounts(trx, known)),
    ...corrections,
  ].flatMap(spendsOf)
  const totals = await insertSpends(connection, trx, counting)
  for (const some of [sums, corrected.sums]) await insertAll(connection, trx, some)
  return { fresh, alerts: await addTotals(connection, trx, totals) }
}

/**
 * Counts the spending of rows that are not written here: from other processes, or rejected by the store. Resolves with
 * the number of alerts.
 */
export function writeSpends(connection: StoreConnection, counted: readonly CountedRow[]): Promise<number> {
  return transact(connection, async (trx) => {
    await beginLocking(connection, trx)
    return countSpends(connection, trx, counted)
  })
}

/** Budget amounts of a row. */
export function spendsOf(row: LedgerRow): CountedRow[] {
  const { id, principal, run = '', spends } = row
  return spends && spends.length > 0 ? [{ id, at: beginningOf(row) ?? 0, principal, run, spends }] : []
}

/** Last use of principals, Unix milliseconds. */
function usesOf(rows: Iterable<LedgerRow>): Map<string, number> {
  const uses = new Map<string, number>()
  for (const row of rows) {
    const at = beginningOf(row) ?? 0
    if (at > (uses.get(row.principal) ?? 0)) uses.set(row.principal, at)
  }
  return uses
}

interface NewRows {
  readonly fresh: ReadonlySet<LedgerRow>
  /** Sums to add for these rows. */
  readonly sums: readonly TableInsert[]
}

/** Writes rows that are new, and their attempts. */
async function insertNew(
  connection: StoreConnection,
  trx: WriteTransaction,
  batch: readonly LedgerRow[],
  zone: string,
): Promise<NewRows> {
  if (batch.length === 0) return { fresh: new Set(), sums: [] }
  await lockDays(connection, trx, 'sums')
  const zones = (await readDayZones(connection, trx)) ?? { zone }
  const sumOf = createSums(zones)
  const tagSums = await tagSumsOf(connection, trx, batch, zones)
  const own = batch.map(sumOf)
  const values = batch.map((row, index) => usageValues(row, own[index]?.group ?? 0n))
  const fresh = await insertRows(connection, trx, 'usage', values)
  const rows = batch.filter((_, index) => fresh[index])
  if (rows.length === 0) return { fresh: new Set(), sums: [] }
  await insertRows(connection, trx, 'usage_attempts', rows.flatMap(attemptValues))
  const sums = new Set<RollUpSum>()
  for (const [index, sum] of own.entries()) {
    const row = batch[index]
    if (!fresh[index] || !row) continue
    addMeasures(sum.measures, row)
    sums.add(sum)
  }
  const rollUps = ROLL_UPS.map((table) => ({ table, rows: rollUpValues(sums, table), onConflict: addingTo(table) }))
  return {
    fresh: new Set(rows),
    sums: [
      ...rollUps,
      { table: 'usage_groups', rows: groupValues(sums), onConflict: LATEST },
      upstreamSums(rows),
      ...firstByteSums(rows),
      failureSums(rows),
      ...minuteSums(rows),
      ...(tagSums?.of(rows) ?? []),
    ],
  }
}

/** Rows without repeated ids: the first row of an id is kept. */
function unique(rows: readonly LedgerRow[]): readonly LedgerRow[] {
  const ids = new Map(rows.toReversed().map((row) => [row.id, row]))
  return ids.size === rows.length ? rows : [...ids.values()].reverse()
}

/** Numbers out of range are removed and declared. */
function counted(row: LedgerRow): LedgerRow {
  const known = recordable(row)
  const charged = Number.isSafeInteger(row.charged) && Number(row.charged) >= 0 ? row.charged : null
  return known === row && charged === row.charged ? row : { ...row, ...known, charged, attempts: row.attempts }
}

/**
 * Deletes ingest positions of a process run's journal: of segments before `segment`, else of all. For deleted segments.
 */
export async function forgetIngestPositions({ db }: StoreConnection, run: string, segment?: number): Promise<void> {
  const rows = db.deleteFrom('ingest_positions').where('run', '=', run)
  await (segment === undefined ? rows : rows.where('segment', '<', BigInt(segment))).execute()
}

/** Ingest positions of a process run's journal: segment → offset. */
export async function ingestPositions({ db }: StoreConnection, run: string): Promise<Map<number, number>> {
  const rows = await db.selectFrom('ingest_positions').select(['segment', 'upto']).where('run', '=', run).execute()
  return new Map(rows.map(({ segment, upto }) => [Number(segment), Number(upto)]))
}
