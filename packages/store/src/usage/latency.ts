import { sql } from 'kysely'
import type { StoreConnection } from '../database/connection.ts'
import { hourAt } from '../database/zone.ts'
import { FIRST_BYTE_BOUNDS, FIRST_BYTE_CLASSES } from '../schema/first-bytes.ts'
import { all, ofDimensions, type UsageFilters } from './filters.ts'
import { DAY } from './upstream-sums.ts'

export interface LatencyQuery {
  /** Start in whole Unix milliseconds. Its whole hour counts. */
  readonly from: number
  /** End in whole Unix milliseconds, exclusive. The whole hour that contains it counts. */
  readonly to: number
  readonly filters?: Pick<UsageFilters, 'key' | 'project' | 'environment' | 'member'>
}

/**
 * Time until the first byte of streamed responses, in milliseconds: at most `p50` for half of them. Estimates: the
 * maximum error is the width of a histogram class (a third), and usually a tenth of that.
 */
export interface Latency {
  readonly p50: number
  readonly p95: number
  /** Number of responses. */
  readonly requests: number
}

/** First-byte latency from sums; null if there are no responses. */
export async function usageLatency(
  { db }: StoreConnection,
  { from, to, filters = {} }: LatencyQuery,
): Promise<Latency | null> {
  const { key, project, environment, member } = filters
  const own = ofDimensions({ key, project, environment, member })
  const counts = FIRST_BYTE_CLASSES.map(() => 0)
  for (const { span, start, end } of partsOf(hourAt(from), to)) {
    const sums = FIRST_BYTE_CLASSES.map((name) => sql`sum(${sql.ref(name)}) AS ${sql.ref(name)}`)
    const within = all([sql`${sql.ref(span)} >= ${start}`, sql`${sql.ref(span)} < ${end}`, ...own])
    const table = sql.table(`usage_first_byte_${span}s`)
    const { rows } = await sql<Record<string, unknown>>`SELECT ${sql.join(sums)} FROM ${table} WHERE ${within}`.execute(
      db,
    )
    for (const [index, name] of FIRST_BYTE_CLASSES.entries())
      counts[index] = (counts[index] ?? 0) + Number(rows[0]?.[name] ?? 0)
  }
  return latencyOf(counts)
}

/** Latency of a histogram, in the order of its classes; null if it is empty. */
export function latencyOf(counts: readonly number[]): Latency | null {
  const requests = counts.reduce((sum, count) => sum + count, 0)
  return requests === 0
    ? null
    : { p50: quantile(counts, requests * 0.5), p95: quantile(counts, requests * 0.95), requests }
}

interface SumRange {
  readonly span: 'hour' | 'day'
  readonly start: number
  readonly end: number
}

/** Whole days in UTC, and the hours before and after them, so that few sums are read for any range. */
function partsOf(from: number, to: number): readonly SumRange[] {
  const [first, last] = [Math.ceil(from / DAY) * DAY, Math.floor(to / DAY) * DAY]
  if (first >= last) return [{ span: 'hour', start: from, end: to }]
  const parts: SumRange[] = [
    { span: 'hour', start: from, end: first },
    { span: 'day', start: first, end: last },
    { span: 'hour', start: last, end: to },
  ]
  return parts.filter(({ start, end }) => start < end)
}

/** Quantile, interpolated linearly within its class. The last class has no upper bound. */
function quantile(counts: readonly number[], place: number): number {
  let before = 0
  const index = counts.findIndex((count) => {
    before += count
    return before >= place && count > 0
  })
  const count = counts[index] ?? 1
  const least = FIRST_BYTE_BOUNDS[index - 1] ?? 0
  const bound = FIRST_BYTE_BOUNDS[index] ?? least
  return Math.round(least + ((bound - least) * (place - before + count)) / count)
}
