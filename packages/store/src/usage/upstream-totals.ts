import { sql } from 'kysely'
import type { StoreConnection } from '../database/connection.ts'
import type { UpstreamDay, UpstreamDaysQuery } from './upstream-days.ts'
import { dayInUtc } from './upstream-sums.ts'

/** Calls, tokens and costs of one model of a provider. */
export interface UpstreamTotal extends Omit<UpstreamDay, 'day'> {
  readonly provider: string
}

/**
 * Calls, tokens and costs of a range of UTC days by provider and model: the sums that `daysByModel` has by day, for all
 * providers.
 */
export async function upstreamTotals(
  { db }: StoreConnection,
  { from, to }: Omit<UpstreamDaysQuery, 'provider'>,
): Promise<UpstreamTotal[]> {
  const { rows } = await sql<Readonly<Record<string, unknown>>>`
    SELECT provider, model, sum(calls) AS calls, sum(unpriced) AS unpriced, sum(input) AS input, sum(output) AS output,
      sum(cache_read) AS cache_read, sum(cache_write) AS cache_write, sum(cost) AS cost
    FROM usage_upstream_days WHERE day >= ${dayInUtc(from)} AND day < ${Math.ceil(to)}
    GROUP BY provider, model ORDER BY provider, model`.execute(db)
  return rows.map((row) => ({
    provider: String(row['provider']),
    model: String(row['model']),
    calls: Number(row['calls']),
    unpriced: Number(row['unpriced']),
    input: Number(row['input']),
    output: Number(row['output']),
    cacheRead: Number(row['cache_read']),
    cacheWrite: Number(row['cache_write']),
    cost: String(row['cost']),
  }))
}
