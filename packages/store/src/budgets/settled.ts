import type { UsageRow } from '@headgate/gateway/ports'
import type { Connection } from '../database/connection.ts'

/** What is known of a request by whoever has reserved for it. */
export interface Settling {
  /** Of its usage row. */
  readonly id: string
  /** When it began, Unix time in milliseconds. */
  readonly startedAt: number
}

/** What a request did cost, of which the store has the row. */
export interface SettledRow extends Pick<UsageRow, 'id' | 'cost' | 'charged'> {
  /** Where that is counted already, and how much of it. */
  readonly counted: readonly { readonly budget: string; readonly win: string; readonly amount: bigint }[]
}

/** Those of some requests that somebody has settled. */
export async function settledRows({ db }: Connection, asked: readonly Settling[]): Promise<SettledRow[]> {
  if (asked.length === 0) return []
  const times = [...new Set(asked.map(({ startedAt }) => BigInt(Math.round(startedAt))))]
  const ids = asked.map(({ id }) => id)
  const rows = await db
    .selectFrom('usage')
    .select(['id', 'cost', 'charged'])
    .where('at', 'in', times)
    .where('id', 'in', ids)
    .execute()
  if (rows.length === 0) return []
  // Read behind them: what a row counts for is written with it.
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
