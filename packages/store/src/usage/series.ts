import { type RawBuilder, sql } from 'kysely'
import type { StoreConnection } from '../database/connection.ts'
import { sumOf } from '../database/sum.ts'
import { runSql } from '../database/transaction.ts'
import { dayAt, startOfDay } from '../database/zone.ts'
import { MEASURES } from '../schema/usage.ts'
import type { SeriesQuery } from './series-query.ts'
import { type SeriesSource, sourceOf } from './series-source.ts'
import { allGroups, SUMMED, type SumOf, topGroups } from './series-statements.ts'

type CountMeasure = Exclude<(typeof MEASURES)[number], 'cost' | 'charged' | 'held'>

/** Usage of one minute, hour or day by one or two dimensions. */
export interface SeriesPoint {
  /** Start of the minute, hour or day, Unix milliseconds. */
  readonly start: number
  /** Date such as `2026-11-01`, for days. */
  readonly day?: string
  /**
   * Name per dimension, in the order of the query; null for unknown names and for the rest. A status is a string of
   * digits.
   */
  readonly names: readonly (string | null)[]
  /** Set for the sum of all other groups. */
  readonly isRest?: true
  /**
   * `unpriced` counts requests of unknown cost, and `usage_unknown` the part whose usage is unknown. Unknown tokens
   * and units count as 0.
   */
  readonly counts: Readonly<Record<CountMeasure, number>>
  /** Failed and lost requests; null for tags. */
  readonly failed: number | null
  /** Nano-dollars, as decimal strings. */
  readonly cost: string
  readonly charged: string
  readonly held: string
}

/** Measures that are counts rather than money. */
export const COUNTS: readonly CountMeasure[] = MEASURES.filter(
  (name) => name !== 'cost' && name !== 'charged' && name !== 'held',
)

/**
 * Usage over time, ordered by time and names, with the rest of each period last. Hours and days without usage are left
 * out. Read from roll-ups; minutes from rows.
 * @throws HeadgateError `invalid-request` for an invalid combination of dimensions or filters
 */
export async function usageSeries(connection: StoreConnection, query: SeriesQuery): Promise<SeriesPoint[]> {
  const source = sourceOf(connection.kind, query)
  const used = isOfDays(query, source) ? await usedOf(connection, query) : undefined
  const summedBy = (sum: (value: string) => string) =>
    summed(connection, query, source, (name, value) => (used?.has(name) === false ? '0' : sum(value)))
  const rows = await summedBy((value) => `sum(${value})`).catch((error: unknown) => {
    // Saturating sums take a third longer.
    if (!isOverflow(error)) throw error
    return summedBy((value) => sumOf(connection.kind, value))
  })
  const start = startsOf(query)
  return rows.map((row) => point(row, query.step, source, start))
}

/** True for days that are more to read than the days without keys. */
function isOfDays({ step }: SeriesQuery, { table }: SeriesSource): boolean {
  return step === 'day' && table !== 'usage_model_days'
}

/** Start of an hour or a day, cached, since a day requires a calendar search. */
function startsOf({ step, zone = 'UTC' }: SeriesQuery): (period: string) => number {
  const known = new Map<string, number>()
  return (period) => {
    const start = known.get(period) ?? (step === 'day' ? startOfDay(zone, period) : Number(period))
    known.set(period, start)
    return start
  }
}

export type SeriesRecord = Readonly<Record<string, unknown>>

/** Two days around the range, as days may be moving to another time zone. */
const AROUND = 172_800_000

/**
 * Measures that are not 0 in the days of a range. Days without keys are quick to read, and most measures then need no
 * sum.
 */
export async function usedOf(
  { kind, db }: StoreConnection,
  { from, to, zone = 'UTC' }: SeriesQuery,
): Promise<ReadonlySet<string>> {
  // Postgres combines bits faster than it compares.
  const flag = kind === 'postgres' ? (name: string) => sql`bit_or(${sql.ref(name)})` : isAnyOf
  const flags = MEASURES.map((name) => sql`${flag(name)} AS ${sql.ref(name)}`)
  const { rows } = await sql<SeriesRecord>`SELECT ${sql.join(flags)} FROM usage_model_days
    WHERE day >= ${dayAt(zone, from - AROUND).date} AND day <= ${dayAt(zone, to + AROUND).date}`.execute(db)
  return new Set(['requests', 'charged', 'failed', ...MEASURES.filter((name) => Number(rows[0]?.[name] ?? 0) !== 0)])
}

function isAnyOf(name: string): RawBuilder<unknown> {
  return sql`max(CASE WHEN ${sql.ref(name)} <> 0 THEN 1 ELSE 0 END)`
}

/** Sums of a query as the store returns them. The rest of a period is what its total has beyond the top groups. */
async function summed(
  connection: StoreConnection,
  query: SeriesQuery,
  source: SeriesSource,
  sum: SumOf,
): Promise<SeriesRecord[]> {
  if (query.top === undefined)
    return (await sql<SeriesRecord>`${allGroups(query, source, sum)}`.execute(connection.db)).rows
  const rows = await withMemory(connection, (own) => sql<SeriesRecord>`${topGroups(query, source, sum)}`.execute(own))
  const known = new Map<string, bigint[]>()
  return rows.flatMap((row) => {
    const period = String(row['period'])
    const sums = known.get(period) ?? SUMMED.map(() => 0n)
    known.set(period, sums)
    const values = SUMMED.map((name) => BigInt(String(row[name])))
    if (Number(row['is_total']) === 0) {
      for (const [index, value] of values.entries()) sums[index] = (sums[index] ?? 0n) + value
      return [row]
    }
    const rest = values.map((value, index) => value - (sums[index] ?? 0n))
    if (rest.every((value) => value === 0n)) return []
    return [{ ...row, ...Object.fromEntries(SUMMED.map((name, index) => [name, rest[index]])), isRest: true }]
  })
}

/**
 * Reads sums of many groups. Postgres has memory to hash tens of thousands of them; otherwise it sorts all rows on disk.
 */
export async function withMemory(
  { kind, db }: StoreConnection,
  read: (db: StoreConnection['db']) => Promise<{ readonly rows: SeriesRecord[] }>,
): Promise<SeriesRecord[]> {
  if (kind !== 'postgres') return (await read(db)).rows
  return db.transaction().execute(async (trx) => {
    await runSql(trx, "SET LOCAL work_mem = '32MB'")
    return (await read(trx)).rows
  })
}

/** SQLite only; Postgres has no integer overflow here. */
export function isOverflow(error: unknown): boolean {
  return error instanceof Error && error.message.includes('integer overflow')
}

export function point(
  row: SeriesRecord,
  step: SeriesQuery['step'],
  { names, isUnknown, failed, rest }: Pick<SeriesSource, 'names' | 'isUnknown' | 'failed' | 'rest'>,
  startOf: (period: string) => number,
): SeriesPoint {
  const counts: Partial<Record<CountMeasure, number>> = {}
  for (const name of COUNTS) counts[name] = Number(row[name])
  const period = String(row['period'])
  const groupNames = names.map((_, index) => row[`n${index}`])
  const isRest = row['isRest'] === true || (rest !== undefined && groupNames[0] === rest)
  return {
    start: startOf(period),
    ...(step === 'day' && { day: period }),
    names: groupNames.map((name, index) => (isRest || (isUnknown[index] && name === '') ? null : String(name))),
    ...(isRest && { isRest }),
    counts: counts as Record<CountMeasure, number>,
    failed: failed === undefined ? null : Number(row['failed']),
    cost: String(row['cost']),
    charged: String(row['charged']),
    held: String(row['held']),
  }
}
