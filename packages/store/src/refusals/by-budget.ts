import { sql } from 'kysely'
import type { StoreConnection } from '../database/connection.ts'

export interface BudgetRefusalsQuery {
  /** Start in Unix milliseconds. */
  readonly from: number
}

/** Recorded refusals by a budget. At a high rate only a sample is recorded. */
export interface BudgetRefusals {
  /** Id of the budget. */
  readonly budget: string
  readonly requests: number
  /** Time of the newest one, Unix milliseconds. */
  readonly lastAt: number
}

/** Recorded refusals since a time, by the budget that refused. */
export async function refusalsByBudget(
  { db }: StoreConnection,
  { from }: BudgetRefusalsQuery,
): Promise<readonly BudgetRefusals[]> {
  const { rows } = await sql<{ budget: string; requests: bigint; last_at: bigint }>`
    SELECT limit_id AS budget, count(*) AS requests, max(at) AS last_at FROM refusals
    WHERE at >= ${from} AND limit_kind = 'budget' GROUP BY limit_id`.execute(db)
  return rows.map(({ budget, requests, last_at }) => ({
    budget,
    requests: Number(requests),
    lastAt: Number(last_at),
  }))
}
