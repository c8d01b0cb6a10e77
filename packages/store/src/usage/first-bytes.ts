import { insertRows, type RowValues } from '../database/bulk.ts'
import type { StoreConnection } from '../database/connection.ts'
import { dimension } from '../database/group.ts'
import type { WriteTransaction } from '../database/transaction.ts'
import { hourAt } from '../database/zone.ts'
import { FIRST_BYTE_BOUNDS, FIRST_BYTE_CLASSES } from '../schema/first-bytes.ts'
import { beginningOf, type LedgerRow } from './row.ts'
import { ADD_FIRST_BYTES } from './upsert-clauses.ts'
import { dayInUtc } from './upstream-sums.ts'

interface FirstByteSum {
  readonly start: number
  readonly principal: string
  readonly counts: number[]
}

/** Adds new rows to the first-byte histogram, by hour and day. Only successful streams count. */
export async function writeFirstBytes(
  connection: StoreConnection,
  trx: WriteTransaction,
  rows: Iterable<LedgerRow>,
): Promise<void> {
  const [hours, days] = [new Map<string, FirstByteSum>(), new Map<string, FirstByteSum>()]
  for (const row of rows) {
    const place = firstByteClass(row)
    if (place === undefined) continue
    const [at, principal] = [beginningOf(row) ?? 0, dimension(row.principal)]
    count(hours, hourAt(at), principal, place)
    count(days, dayInUtc(at), principal, place)
  }
  await insertRows(connection, trx, 'usage_first_byte_hours', valuesOf(hours), ADD_FIRST_BYTES)
  await insertRows(connection, trx, 'usage_first_byte_days', valuesOf(days), ADD_FIRST_BYTES)
}

function count(sums: Map<string, FirstByteSum>, start: number, principal: string, place: number): void {
  const key = `${start} ${principal}`
  const sum = sums.get(key) ?? { start, principal, counts: FIRST_BYTE_CLASSES.map(() => 0) }
  sums.set(key, sum)
  sum.counts[place] = (sum.counts[place] ?? 0) + 1
}

/** Sorted by key, so that concurrent writers cannot deadlock. */
function valuesOf(sums: ReadonlyMap<string, FirstByteSum>): RowValues[] {
  const ordered = [...sums].sort(([one], [other]) => (one < other ? -1 : 1))
  return ordered.map(([, { start, principal, counts }]) => [start, principal, ...counts])
}

/** Index of the latency class of a row; undefined if it has no first-byte latency. */
export function firstByteClass({ stream, status, corrects, firstByteMs }: LedgerRow): number | undefined {
  if (!stream || status < 200 || status >= 400 || corrects !== undefined || !Number.isFinite(firstByteMs))
    return undefined
  const time = Math.round(Number(firstByteMs))
  const place = FIRST_BYTE_BOUNDS.findIndex((bound) => time < bound)
  return place < 0 ? FIRST_BYTE_BOUNDS.length : place
}
