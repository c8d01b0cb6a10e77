import { sql } from 'kysely'
import { insertRows } from '../database/bulk.ts'
import type { StoreConnection } from '../database/connection.ts'
import { type DayZones, lockDays, readDayZones, writeDayZones } from '../database/day-zones.ts'
import type { Dimensions } from '../database/group.ts'
import { readSetting } from '../database/settings.ts'
import { runSql, transact, type WriteTransaction } from '../database/transaction.ts'
import { dayAt, hourAt } from '../database/zone.ts'
import type { TableRow } from '../schema/tables.ts'
import { NAMED_DAYS, ROLL_UPS } from '../schema/tables.ts'
import { MEASURES } from '../schema/usage.ts'
import { moveTagDays, type TagMove } from './move-tag-days.ts'
import { type RollUpSum, rollUpValues } from './roll-up.ts'
import { rowSums } from './row-sums.ts'
import { addingTo } from './upsert-clauses.ts'

export interface MoveOptions {
  /** Time zone to move to. Without it, only a started move continues. */
  readonly zone?: string
  /** Maximum number of hourly sums per transaction, except that an hour is never split; default 2,000. */
  readonly chunk?: number
}

/** Result of a step: `begun` and `moved` need further steps, `done` does not. */
export type MoveStep = 'begun' | 'moved' | 'done'

const HOUR = 3_600_000
const CHUNK = 2_000
/** Later than every stored hour. */
const END = hourAt(Number.POSITIVE_INFINITY) + HOUR
/** Time limit of a Postgres statement of a move, in milliseconds. */
const PATIENCE = 60_000

type Hours = readonly TableRow<'usage_hours'>[]

/**
 * Moves some daily sums to another time zone, newest hours first, in one transaction. The sums of an hour are
 * subtracted from its old day and added to its new day, so that totals stay correct at any time, even if the process is
 * killed or rows are written meanwhile. An hour that contains the beginning of a day is split by its rows. If its rows
 * are deleted it stays in its old day, and so do days without hourly sums. A started move ends before another one
 * begins.
 */
export function moveDays(connection: StoreConnection, { zone, chunk = CHUNK }: MoveOptions = {}): Promise<MoveStep> {
  return transact(connection, async (trx) => {
    if (connection.kind === 'postgres') await runSql(trx, `SET LOCAL statement_timeout = ${PATIENCE}`)
    await lockDays(connection, trx, 'moves')
    const zones = await readDayZones(connection, trx)
    if (zones?.before) return moveSome(connection, trx, zones.before, zones.zone, chunk)
    if (zone === undefined || zones?.zone === zone) return 'done'
    await writeDayZones(trx, { zone, ...(zones && { before: { zone: zones.zone, until: END } }) })
    return zones ? 'begun' : 'done'
  })
}

async function moveSome(
  connection: StoreConnection,
  trx: WriteTransaction,
  before: NonNullable<DayZones['before']>,
  zone: string,
  chunk: number,
): Promise<MoveStep> {
  const { hours, from } = await hoursBefore(trx, before.until, chunk)
  const sums: RollUpSum[] = []
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
  for (const table of ROLL_UPS)
    if (table !== 'usage_hours') await insertRows(connection, trx, table, rollUpValues(sums, table), addingTo(table))
  await moveTagDays(connection, trx, tagged)
  // Also rows of expired days, from which nothing can be subtracted.
  const dates = [...new Set(sums.map(({ day }) => day))]
  for (const table of NAMED_DAYS)
    if (dates.length > 0) await trx.deleteFrom(table).where('day', 'in', dates).where('requests', '<=', 0n).execute()
  await writeDayZones(trx, from === undefined ? { zone } : { zone, before: { zone: before.zone, until: from } })
  return from === undefined ? 'done' : 'moved'
}

/** Newest whole hours before an instant, and the oldest of them; undefined if no earlier hours exist. */
async function hoursBefore(
  trx: WriteTransaction,
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
  // The last hour may be incomplete.
  if (first === last) return { hours: await newest.where('hour', '=', first).execute(), from: Number(first) }
  const whole = hours.filter(({ hour }) => hour > last)
  return { hours: whole, from: Number(whole.at(-1)?.hour) }
}

/** Parts of an hour that are within one day of each zone: start, end. */
export function partsOf(hour: number, zones: readonly string[]): [number, number][] {
  const ends = zones.map((zone) => dayAt(zone, hour).end).filter((end) => end > hour && end < hour + HOUR)
  const edges = [hour, ...[...new Set(ends)].sort((one, other) => one - other), hour + HOUR]
  return edges.slice(1).map((end, index) => [edges[index] ?? hour, end])
}

async function summed({ kind }: StoreConnection, trx: WriteTransaction, start: number, end: number): Promise<Hours> {
  const { rows } = await sql<TableRow<'usage_hours'>>`
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
