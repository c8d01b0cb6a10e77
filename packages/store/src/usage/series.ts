import { sql } from 'kysely'
import { MEASURES } from '../database/columns.ts'
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

const MONEY: ReadonlySet<string> = new Set(['cost', 'charged', 'held'])

/** What was used over time, in the order of time and name. Hours and days of which there is nothing are left out. From roll-ups alone. */
export async function usageSeries(connection: Connection, query: SeriesQuery): Promise<SeriesPoint[]> {
  const { step, zone = 'UTC' } = query
  try {
    return (await summed(connection, query, (value) => `sum(${value})`)).map((row) => point(row, step, zone))
  } catch (error) {
    // Sums that stop at the greatest cost a third more.
    if (!isOverflow(error)) throw error
    return (await summed(connection, query, (value) => sumOf(connection.kind, value))).map((row) => point(row, step, zone))
  }
}

async function summed(connection: Connection, query: SeriesQuery, sum: (value: string) => string): Promise<Record<string, unknown>[]> {
  const { by, step } = query
  const sums = MEASURES.map((name) => sql`${sql.raw(sum(name))} AS ${sql.ref(name)}`)
  const failed = sql.raw(sum('CASE WHEN status < 200 OR status >= 400 THEN requests ELSE 0 END'))
  const { rows } = await sql<Record<string, unknown>>`
    SELECT ${sql.ref(step)} AS period, ${sql.ref(by)} AS name, ${sql.join(sums)}, ${failed} AS failed
    FROM ${sql.table(step === 'day' ? 'usage_days' : 'usage_hours')} WHERE ${range(query)}
    GROUP BY ${sql.ref(step)}, ${sql.ref(by)} ORDER BY ${sql.ref(step)}, ${sql.ref(by)}`.execute(connection.db)
  return rows
}

/** Of SQLite, which Postgres does not know. */
function isOverflow(error: unknown): boolean {
  return error instanceof Error && error.message.includes('integer overflow')
}

function range({ from, to, step, zone = 'UTC' }: SeriesQuery) {
  if (step === 'hour') return sql<boolean>`hour >= ${hourAt(from)} AND hour < ${to}`
  return sql<boolean>`day >= ${dayAt(zone, from).date} AND day <= ${dayAt(zone, to - 1).date}`
}

function point(row: Record<string, unknown>, step: SeriesQuery['step'], zone: string): SeriesPoint {
  const counts = MEASURES.filter((name) => !MONEY.has(name)).map((name) => [name, Number(row[name])])
  const day = String(row['period'])
  return {
    ...(step === 'day' ? { start: startOfDay(zone, day), day } : { start: Number(day) }),
    name: String(row['name']),
    counts: Object.fromEntries(counts) as Record<Count, number>,
    failed: Number(row['failed']),
    cost: String(row['cost']),
    charged: String(row['charged']),
    held: String(row['held']),
  }
}
