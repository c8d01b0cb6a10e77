import type { UsageRow } from '@headgate/gateway/ports'
import type { StoreConnection } from '../database/connection.ts'

type RowIdentity = Pick<UsageRow, 'requestId' | 'startedAt'>

/** Rows that the store does not have, compared by request and time, since row ids may differ. */
export async function missingRows<Row extends RowIdentity>(
  { db }: StoreConnection,
  rows: readonly Row[],
): Promise<Row[]> {
  const times = [...new Set(rows.map(({ startedAt }) => Math.round(startedAt)).filter(Number.isSafeInteger))].map(
    BigInt,
  )
  if (times.length === 0) return [...rows]
  const known = await db.selectFrom('usage').select(['at', 'request_id']).where('at', 'in', times).execute()
  const stored = new Set(known.map(({ at, request_id }) => `${request_id} ${at}`))
  return rows.filter(({ requestId, startedAt }) => !stored.has(`${requestId} ${Math.round(startedAt)}`))
}
