import { insertRows, type OnConflict } from '../database/bulk.ts'
import type { StoreConnection } from '../database/connection.ts'
import { dimension } from '../database/group.ts'
import type { WriteTransaction } from '../database/transaction.ts'
import { hourAt } from '../database/zone.ts'
import { beginningOf, type LedgerRow } from './row.ts'

const ADDED: OnConflict = { set: { requests: 'add', newest: 'greatest' } }

/** Adds new failed rows to their sums by hour and kind of failure. Corrections do not count. */
export async function writeFailureHours(
  connection: StoreConnection,
  trx: WriteTransaction,
  rows: Iterable<LedgerRow>,
): Promise<void> {
  const sums = new Map<string, { values: readonly (string | number)[]; requests: number; newest: string }>()
  for (const row of rows) {
    if (row.failure === undefined || row.corrects !== undefined) continue
    const values = [hourAt(beginningOf(row) ?? 0), row.failure, dimension(row.provider), dimension(row.principal)]
    const key = values.join('\0')
    const sum = sums.get(key) ?? { values, requests: 0, newest: '' }
    sums.set(key, sum)
    sum.requests += 1
    if (row.requestId > sum.newest) sum.newest = row.requestId
  }
  // Sorted by key, so that concurrent writers cannot deadlock.
  const ordered = [...sums].sort(([one], [other]) => (one < other ? -1 : 1))
  await insertRows(
    connection,
    trx,
    'usage_failure_hours',
    ordered.map(([, { values, requests, newest }]) => [...values, requests, newest]),
    ADDED,
  )
}
