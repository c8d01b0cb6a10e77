import { sql } from 'kysely'
import { insertRows } from '../database/bulk.ts'
import type { Connection } from '../database/connection.ts'
import { type DayZones, lockDays, readDayZones, writeDayZones } from '../database/day-zones.ts'
import type { Dimensions } from '../database/group.ts'
import { readSetting } from '../database/settings.ts'
import { run, transact, type Writing } from '../database/transaction.ts'
import { dayAt, hourAt } from '../database/zone.ts'
import type { Row } from '../schema/tables.ts'
import { NAMED_DAYS } from '../schema/tables.ts'
import { MEASURES } from '../schema/usage.ts'
import { ADDED } from './added.ts'
import { moveTagDays, type TagMove } from './move-tag-days.ts'
import { rollUpValues, type Sum } from './roll-up.ts'
import { rowSums } from './row-sums.ts'

export interface MoveOptions {
  /** The zone to move to; without it only a move that has begun goes on. */
  readonly zone?: string
  /** Sums of hours of one transaction, but an hour as a whole; 2,000. */
  readonly chunk?: number
}

/** What was done: `begun` and `moved` have more to do, `done` has not. */
export type Move = 'begun' | 'moved' | 'done'

const HOUR = 3_600_000
const CHUNK = 2_000
/** Behind every hour that there is. */
const END = hourAt(Number.POSITIVE_INFINITY) + HOUR
/** How long a statement of a move may take in Postgres, in milliseconds. */
const PATIENCE = 60_000

type Hours = readonly Row<'usage_hours'>[]

/**
 * Moves some of the sums of days to another time zone, newest hours first, in one transaction: what an hour has is
 * taken from the day that it was in and added to the one that it is in, so that all that there is stays in one of them,
 * whatever is killed or written meanwhile. An hour that is parted by the beginning of a day is parted by its rows;
 * where they are kept no longer it stays in the days it is in, and so do days whose hours are kept no longer. A move
 * that has begun ends before another one begins.
 */
export function moveDays(connection: Connection, { zone, chunk = CHUNK }: MoveOptions = {}): Promise<Move> {
  return transact(connection, async (trx) => {
    if (connection.kind === 'postgres') await run(trx, `SET LOCAL statement_timeout = ${PATIENCE}`)
    await lockDays(connection, trx, 'moves')
    const zones = await readDayZones(connection, trx)
    if (zones?.before) return moveSome(connection, trx, zones.before, zones.zone, chunk)
    if (zone === undefined || zones?.zone === zone) return 'done'
    await writeDayZones(trx, { zone, ...(zones && { before: { zone: zones.zone, until: END } }) })
    return zones ? 'begun' : 'done'
  })
}

async function moveSome(
  connection: Connection,
  trx: Writing,
  before: NonNullable<DayZones['before']>,
  zone: string,
  chunk: number,
): Promise<Move> {
  const { hours, from } = await hoursBefore(trx, before.until, chunk)
  const sums: Sum[] = []
  const add = (date: string, dimensions: Dimensions, measures: readonly bigint[]) =>
    sums.push({ hour: 0, day: date, group: 0n, dimensions, measures: [...measures] })
  const move = (at: number, dimensions: Dimensions, measures: readonly bigint[]): void => {
    const [old, own] = [dayAt(before.zone, at).date, dayAt(zone, at).date]
    if (old === own) return
    add(own, dimensions, measures)
    add(
      old,
      dimensions,
      measures.map((value) => -value),
    )
  }
  const rowsFrom = Number((await readSetting({ ...connection, db: trx }, 'usage_from')) ?? 0)
  const tagged: TagMove[] = []
  for (const [hour, rows] of Map.groupBy(hours, (row) => Number(row.hour))) {
    const parts = partsOf(hour, [before.zone, zone])
    if (parts.length === 1) for (const row of rows) move(hour, dimensionsOf(row), measuresOf(row))
    else if (hour >= rowsFrom)
      for (const [start, end] of parts)
        for (const row of await summed(connection, trx, start, end)) move(start, dimensionsOf(row), measuresOf(row))
    if (parts.length > 1 && hour < rowsFrom) continue
    for (const part of parts) {
      const [from, to] = [dayAt(before.zone, part[0]).date, dayAt(zone, part[0]).date]
      if (from !== to) tagged.push({ hour, from, to, ...(parts.length > 1 && { part }) })
    }
  }
  for (const table of ['usage_days', 'usage_model_days', 'usage_key_days'] as const)
    await insertRows(connection, trx, table, rollUpValues(sums, table), ADDED)
  await moveTagDays(connection, trx, tagged)
  // Also of days that are kept no longer, from which nothing can be taken.
  const dates = [...new Set(sums.map(({ day }) => day))]
  for (const table of NAMED_DAYS)
    if (dates.length > 0) await trx.deleteFrom(table).where('day', 'in', dates).where('requests', '<=', 0n).execute()
  await writeDayZones(trx, from === undefined ? { zone } : { zone, before: { zone: before.zone, until: from } })
  return from === undefined ? 'done' : 'moved'
}

/** The newest hours before an instant, each as a whole, and the oldest of them; undefined where there are no others. */
async function hoursBefore(
  trx: Writing,
  until: number,
  chunk: number,
): Promise<{ hours: Hours; from: number | undefined }> {
  const newest = trx.selectFrom('usage_hours').selectAll().orderBy('hour', 'desc')
  const hours = await newest
    .where('hour', '<', BigInt(until))
    .limit(chunk + 1)
    .execute()
  const [first, last] = [hours[0]?.hour, hours.at(-1)?.hour]
  if (hours.length <= chunk || first === undefined || last === undefined) return { hours, from: undefined }
  // The last one may not be there as a whole.
  if (first === last) return { hours: await newest.where('hour', '=', first).execute(), from: Number(first) }
  const whole = hours.filter(({ hour }) => hour > last)
  return { hours: whole, from: Number(whole.at(-1)?.hour) }
}

/** The parts of an hour that lie within one day of each zone: from, to. */
export function partsOf(hour: number, zones: readonly string[]): [number, number][] {
  const ends = zones.map((zone) => dayAt(zone, hour).end).filter((end) => end > hour && end < hour + HOUR)
  const edges = [hour, ...[...new Set(ends)].sort((one, other) => one - other), hour + HOUR]
  return edges.slice(1).map((end, index) => [edges[index] ?? hour, end])
}

async function summed({ kind }: Connection, trx: Writing, start: number, end: number): Promise<Hours> {
  const { rows } = await sql<Row<'usage_hours'>>`
    SELECT g.principal, g.provider, g.model, g.family, g.status, ${sql.raw(rowSums(kind, 'u'))}
    FROM usage AS u JOIN usage_groups AS g ON g.id = u.group_id WHERE u.at >= ${start} AND u.at < ${end}
    GROUP BY g.principal, g.provider, g.model, g.family, g.status`.execute(trx)
  return rows
}

function dimensionsOf({ principal, provider, model, family, status }: Hours[number]): Dimensions {
  return { principal, provider, model, family, status: Number(status) }
}

function measuresOf(row: Hours[number]): bigint[] {
  return MEASURES.map((name) => row[name])
}
