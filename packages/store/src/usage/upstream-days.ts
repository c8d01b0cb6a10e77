import type { Connection } from '../database/connection.ts'
import { dimension } from '../database/group.ts'
import type { Row } from '../schema/tables.ts'
import { dayInUtc } from './upstream-sums.ts'

export interface UpstreamDaysQuery {
  /** Unix milliseconds. The whole day in UTC that it lies in counts. */
  readonly from: number
  /** Unix milliseconds: the day in UTC that begins then, or later, does not count. */
  readonly to: number
  /** Name of the provider. */
  readonly provider: string
}

/** What a provider was used for on one day in UTC by one of its models, as a bill of its would say it. */
export interface UpstreamDay {
  /** `2026-11-01`. */
  readonly day: string
  /** As the provider calls it. */
  readonly model: string
  /** Calls, those that failed included. */
  readonly calls: number
  /** Calls whose cost is not known. */
  readonly unpriced: number
  /** All tokens of each kind; `cacheRead` and `cacheWrite` are shares of `input`. */
  readonly input: number
  readonly output: number
  readonly cacheRead: number
  readonly cacheWrite: number
  /** Nano-dollars, a decimal string. */
  readonly cost: string
}

/** In the order of days and models. Days in UTC, whatever the zone of the organization. */
export async function daysByModel(
  { db }: Connection,
  { from, to, provider }: UpstreamDaysQuery,
): Promise<UpstreamDay[]> {
  const days = db.selectFrom('usage_upstream_days').selectAll().where('provider', '=', dimension(provider))
  const rows = days.where('day', '>=', BigInt(dayInUtc(from))).where('day', '<', BigInt(Math.ceil(to)))
  return (await rows.orderBy('day').orderBy('model').execute()).map(upstreamDay)
}

function upstreamDay(row: Row<'usage_upstream_days'>): UpstreamDay {
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
