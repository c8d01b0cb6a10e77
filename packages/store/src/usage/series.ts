import { sql } from 'kysely'
import { MEASURES, type ROLL_UPS } from '../database/columns.ts'
import type { Connection } from '../database/connection.ts'
import { sumOf } from '../database/sum.ts'
import { dayAt, hourAt, startOfDay } from '../database/zone.ts'

export interface SeriesQuery {
  /** Unix milliseconds. The whole hour or day that it lies in counts. */
  readonly from: number
  /** Unix milliseconds: the hour or day that begins then, or later, does not count. */
  readonly to: number
  readonly by: 'model' | 'provider' | 'principal' | 'family'
  readonly step: 'day' | 'hour'
  /** Time zone of the organisation, as it was when rows were written; `UTC`. */
  readonly zone?: string
}

type Count = Exclude<(typeof MEASURES)[number], 'cost' | 'charged' | 'held'>

/** What was used in one hour or day by one model, provider, key or family. */
export interface SeriesPoint {
  /** The start of the hour or day, in Unix milliseconds. */
  readonly start: number
  /** `2026-11-01`, of days. */
  readonly day?: string
  /** Of the model, provider, key or family. */
  readonly name: string
  /** `unpriced` are requests whose cost is not known; tokens and units of which nothing is known count as none. */
  readonly counts: Readonly<Record<Count, number>>
  /** Requests that failed, and such as were lost. */
  readonly failed: number
  /** Nano-dollars, as decimal strings. */
  readonly cost: string
  readonly charged: string
  readonly held: string
}

/** Every measure that is no money. */
export const COUNTS: readonly Count[] = MEASURES.filter((name) => name !== 'cost' && name !== 'charged' && name !== 'held')

/** What was used over time, in the order of time and name. Hours and days of which there is nothing are left out. From roll-ups alone. */
export async function usageSeries(connection: Connection, query: SeriesQuery): Promise<SeriesPoint[]> {
  const rows = await summed(connection, query, (value) => `sum(${value})`).catch((error: unknown) => {
    // Sums that stop at the greatest cost a third more.
    if (!isOverflow(error)) throw error
    return summed(connection, query, (value) => sumOf(connection.kind, value))
  })
  const start = startsOf(query)
  return rows.map((row) => point(row, query.step, start))
}

/** When an hour or a day starts. It is looked up once: of a day, the calendar has to be searched. */
function startsOf({ step, zone = 'UTC' }: SeriesQuery): (period: string) => number {
  const known = new Map<string, number>()
  return (period) => {
    const start = known.get(period) ?? (step === 'day' ? startOfDay(zone, period) : Number(period))
    known.set(period, start)
    return start
  }
}

async function summed(connection: Connection, query: SeriesQuery, sum: (value: string) => string): Promise<Record<string, unknown>[]> {
  const { by, step } = query
  const sums = MEASURES.map((name) => sql`${sql.raw(sum(name))} AS ${sql.ref(name)}`)
  const failed = sql.raw(sum('CASE WHEN status < 200 OR status >= 400 THEN requests ELSE 0 END'))
  const { rows } = await sql<Record<string, unknown>>`
    SELECT ${sql.ref(step)} AS period, ${sql.ref(by)} AS name, ${sql.join(sums)}, ${failed} AS failed
    FROM ${sql.table(tableOf(query))} WHERE ${range(query)}
    GROUP BY ${sql.ref(step)}, ${sql.ref(by)} ORDER BY ${sql.ref(step)}, ${sql.ref(by)}`.execute(connection.db)
  return rows
}

/** That with the fewest rows. */
function tableOf({ by, step }: SeriesQuery): (typeof ROLL_UPS)[number] {
  if (step === 'hour') return 'usage_hours'
  return by === 'principal' ? 'usage_days' : 'usage_model_days'
}

/** Of SQLite, which Postgres does not know. */
function isOverflow(error: unknown): boolean {
  return error instanceof Error && error.message.includes('integer overflow')
}

function range({ from, to, step, zone = 'UTC' }: SeriesQuery) {
  if (step === 'hour') return sql<boolean>`hour >= ${hourAt(from)} AND hour < ${to}`
  return sql<boolean>`day >= ${dayAt(zone, from).date} AND day <= ${dayAt(zone, to - 1).date}`
}

function point(row: Record<string, unknown>, step: SeriesQuery['step'], startOf: (period: string) => number): SeriesPoint {
  const counts: Partial<Record<Count, number>> = {}
  for (const name of COUNTS) counts[name] = Number(row[name])
  const period = String(row['period'])
  return {
    start: startOf(period),
    ...(step === 'day' && { day: period }),
    name: String(row['name']),
    counts: counts as Record<Count, number>,
    failed: Number(row['failed']),
    cost: String(row['cost']),
    charged: String(row['charged']),
    held: String(row['held']),
  }
}
