import { type RawBuilder, sql } from 'kysely'
import type { StoreConnection } from '../database/connection.ts'
import { sumOf } from '../database/sum.ts'
import { dayAt, hourAt, startOfDay } from '../database/zone.ts'
import { MEASURES } from '../schema/usage.ts'
import type { SeriesQuery } from './series-query.ts'
import { minuteAt, type SeriesSource, sourceOf } from './series-source.ts'

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
  /** `unpriced` counts requests of unknown cost. Unknown tokens and units count as 0. */
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

type SeriesRecord = Readonly<Record<string, unknown>>

/** Two days around the range, as days may be moving to another time zone. */
const AROUND = 172_800_000

/**
 * Measures that are not 0 in the days of a range. Days without keys are quick to read, and most measures then need no
 * sum.
 */
async function usedOf({ db }: StoreConnection, { from, to, zone = 'UTC' }: SeriesQuery): Promise<ReadonlySet<string>> {
  const flags = MEASURES.map((name) => sql`max(CASE WHEN ${sql.ref(name)} <> 0 THEN 1 ELSE 0 END) AS ${sql.ref(name)}`)
  const { rows } = await sql<SeriesRecord>`SELECT ${sql.join(flags)} FROM usage_model_days
    WHERE day >= ${dayAt(zone, from - AROUND).date} AND day <= ${dayAt(zone, to + AROUND).date}`.execute(db)
  return new Set(['requests', 'charged', 'failed', ...MEASURES.filter((name) => Number(rows[0]?.[name]) === 1)])
}

async function summed(
  { db }: StoreConnection,
  query: SeriesQuery,
  { table, made = sql.table(table), isOwned, first, names, failed = '0', where, rest }: SeriesSource,
  sum: (name: string, value: string) => string,
): Promise<SeriesRecord[]> {
  const { step, top } = query
  const columns = names.map((_, index) => sql.ref(`n${index}`))
  const listed = sql.join(names.map((name, index) => sql`${name} AS ${columns[index]}`))
  const measures = [...MEASURES, 'failed']
  const sumsOf = (of: (name: string) => string) =>
    sql.join(measures.map((name) => sql`${sql.raw(sum(name, of(name)))} AS ${sql.ref(name)}`))
  const ofRollUp = sumsOf((name) => (name === 'failed' ? failed : `u.${name}`))
  const before = sql.join([step, ...first].map((name) => sql`u.${sql.ref(name)}`))
  const rollUp = sql`${made} AS u`
  const within = sql`${range(query)} AND ${where}`
  const summedFirst = sql`(SELECT ${before}, ${ofRollUp} FROM ${rollUp} WHERE ${within} GROUP BY ${before}) AS u`
  const owners = isOwned ? sql` LEFT JOIN principals AS p ON p.id = u.principal` : sql``
  const grouped = sql.raw(['period', ...names].map((_, index) => index + 1).join())
  const all =
    first.length > 0
      ? sql`SELECT u.${sql.ref(step)} AS period, ${listed}, ${sumsOf((name) => `u.${name}`)} FROM ${summedFirst}${owners} GROUP BY ${grouped}`
      : sql`SELECT u.${sql.ref(step)} AS period, ${listed}, ${ofRollUp} FROM ${rollUp}${owners} WHERE ${within} GROUP BY ${grouped}`
  if (top === undefined) {
    const { rows } = await sql<SeriesRecord>`${all} ORDER BY period, ${sql.join(columns)}`.execute(db)
    return rows
  }
  const most = sql.join(['charged', 'requests'].map((name) => sql`${sql.raw(sum(name, name))} DESC`))
  const apart = rest === undefined ? sql`TRUE` : sql`s.n0 <> ${rest}`
  const same = sql.join(
    columns.map((name) => sql`t.${name} = s.${name}`),
    sql` AND `,
  )
  const groupColumns = sql.join(columns.map((name) => sql`t.${name}`))
  const { rows } = await sql<SeriesRecord>`WITH s AS MATERIALIZED (${all}),
    t AS (SELECT ${sql.join(columns)}, 1 AS is_top FROM s WHERE ${apart} GROUP BY ${sql.join(columns)} ORDER BY ${most}, ${sql.join(columns)} LIMIT ${top})
    SELECT s.period, ${groupColumns}, t.is_top, ${sumsOf((name) => `s.${name}`)} FROM s LEFT JOIN t ON ${same}
    GROUP BY s.period, ${groupColumns}, t.is_top ORDER BY s.period, coalesce(t.is_top, 2), ${groupColumns}`.execute(db)
  return rows.map((row) => ({ ...row, isRest: row['is_top'] === null }))
}

/** SQLite only; Postgres has no integer overflow here. */
function isOverflow(error: unknown): boolean {
  return error instanceof Error && error.message.includes('integer overflow')
}

function range({ from, to, step, zone = 'UTC' }: SeriesQuery): RawBuilder<boolean> {
  if (step === 'minute') return sql<boolean>`u.minute >= ${minuteAt(from)} AND u.minute < ${to}`
  if (step === 'hour') return sql<boolean>`u.hour >= ${hourAt(from)} AND u.hour < ${to}`
  return sql<boolean>`u.day >= ${dayAt(zone, from).date} AND u.day <= ${dayAt(zone, to - 1).date}`
}

function point(
  row: SeriesRecord,
  step: SeriesQuery['step'],
  { names, isUnknown, failed, rest }: SeriesSource,
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
