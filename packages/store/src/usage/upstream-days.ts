import type { StoreConnection } from '../database/connection.ts'
import { dimension } from '../database/group.ts'
import type { TableRow } from '../schema/tables.ts'
import { dayInUtc } from './upstream-sums.ts'

export interface UpstreamDaysQuery {
  /** Start in Unix milliseconds. Its whole day in UTC counts. */
  readonly from: number
  /** End in Unix milliseconds, exclusive: a day in UTC that begins then does not count. */
  readonly to: number
  /** Name of the provider. */
  readonly provider: string
}

/** Usage of one model of a provider on one day in UTC, comparable with the provider's bill. */
export interface UpstreamDay {
  /** Date such as `2026-11-01`. */
  readonly day: string
  /** Model name at the provider. */
  readonly model: string
  /** Number of calls, including failed ones. */
  readonly calls: number
  /** Calls of unknown cost. */
  readonly unpriced: number
  /** Tokens by kind; `cacheRead` and `cacheWrite` are parts of `input`. */
  readonly input: number
  readonly output: number
  readonly cacheRead: number
  readonly cacheWrite: number
  /** Nano-dollars, a decimal string. */
  readonly cost: string
}

/**
 * Usage of a provider by day and model, in that order. Days are in UTC, independent of the organization's time zone.
 */
export async function daysByModel(
  { db }: StoreConnection,
  { from, to, provider }: UpstreamDaysQuery,
): Promise<UpstreamDay[]> {
  const days = db.selectFrom('usage_upstream_days').selectAll().where('provider', '=', dimension(provider))
  const rows = days.where('day', '>=', BigInt(dayInUtc(from))).where('day', '<', BigInt(Math.ceil(to)))
  return (await rows.orderBy('day').orderBy('model').execute()).map(upstreamDay)
}

function upstreamDay(row: TableRow<'usage_upstream_days'>): UpstreamDay {
  return {
    day: new Date(Number(row.day)).toISOString().slice(0, 10),
    model: row.model,
    calls: Number(row.calls),
    unpriced: Number(row.unpriced),
    input: Number(row.input),
    output: Number(row.output),
    cacheRead: Number(row.cache_read),
    cacheWrite: Number(row.cache_write),
    cost: String(row.cost),
  }
}
