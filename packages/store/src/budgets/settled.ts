import type { UsageRow } from '@headgate/gateway/ports'
import type { StoreConnection } from '../database/connection.ts'

/** Identifies a request with a reservation. */
export interface ReservedRequest {
  /** Id of its usage row. */
  readonly id: string
  /** Start of the request, Unix milliseconds. */
  readonly startedAt: number
}

/** Cost of a request whose row is in the store. */
export interface SettledRow extends Pick<UsageRow, 'id' | 'cost' | 'charged'> {
  /** Windows that count it already, with the amounts. */
  readonly counted: readonly { readonly budget: string; readonly win: string; readonly amount: bigint }[]
}

/** Rows of requests that are settled in the store. */
export async function settledRows(
  { db }: StoreConnection,
  requests: readonly ReservedRequest[],
): Promise<SettledRow[]> {
  if (requests.length === 0) return []
  const times = [...new Set(requests.map(({ startedAt }) => BigInt(Math.round(startedAt))))]
  const ids = requests.map(({ id }) => id)
  const rows = await db
    .selectFrom('usage')
    .select(['id', 'cost', 'charged'])
    .where('at', 'in', times)
    .where('id', 'in', ids)
    .execute()
  if (rows.length === 0) return []
  // Read after the rows: amounts are written with their row.
  const spends = db.selectFrom('usage_budgets').select(['usage_id', 'budget', 'win', 'amount']).where('at', 'in', times)
  const counted = Map.groupBy(await spends.where('usage_id', 'in', ids).execute(), ({ usage_id }) => usage_id)
  return rows.map(({ id, cost, charged }) => ({
    id,
    cost: amount(cost),
    charged: amount(charged),
    counted: counted.get(id) ?? [],
  }))
}

function amount(stored: bigint | null): number | null {
  return stored === null ? null : Number(stored)
}
