import { sql } from 'kysely'
import type { Connection } from '../database/connection.ts'
import { hourAt } from '../database/zone.ts'
import { FIRST_BYTE_BOUNDS, FIRST_BYTE_CLASSES } from '../schema/first-bytes.ts'
import { all, ofDimensions, type UsageFilters } from './filters.ts'
import { DAY } from './upstream-sums.ts'

export interface LatencyQuery {
  /** From the hour on that this instant lies in, in whole Unix milliseconds. */
  readonly from: number
  /** Before this instant; of the hour that it lies in, all counts. */
  readonly to: number
  readonly filters?: Pick<UsageFilters, 'key' | 'project' | 'environment' | 'member'>
}

/**
 * How long the first byte of streamed answers took, in milliseconds: half of them at most `p50`. Estimates: each is off
 * by what its class is wide, a third at most, and usually by a tenth of that.
 */
export interface Latency {
  readonly p50: number
  readonly p95: number
  /** How many answers that is of. */
  readonly requests: number
}

/** How long first bytes took; null where there was none. From sums, whatever the range. */
export async function usageLatency(
  { db }: Connection,
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
  const requests = counts.reduce((sum, count) => sum + count, 0)
  return requests === 0
    ? null
    : { p50: quantile(counts, requests * 0.5), p95: quantile(counts, requests * 0.95), requests }
}

interface Part {
  readonly span: 'hour' | 'day'
  readonly start: number
  readonly end: number
}

/** Whole days in UTC, and the hours before and after them: few sums are read, however long it is. */
function partsOf(from: number, to: number): readonly Part[] {
  const [first, last] = [Math.ceil(from / DAY) * DAY, Math.floor(to / DAY) * DAY]
  if (first >= last) return [{ span: 'hour', start: from, end: to }]
  const parts: Part[] = [
    { span: 'hour', start: from, end: first },
    { span: 'day', start: first, end: last },
    { span: 'hour', start: last, end: to },
  ]
  return parts.filter(({ start, end }) => start < end)
}

/** The time that so many are not above: within a class they are taken to lie evenly. The last class has no end. */
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
