import { HeadgateError } from '@headgate/gateway/ports'
import { knownWindow } from '../budgets/windows.ts'
import { insertRows } from '../database/bulk.ts'
import type { StoreConnection } from '../database/connection.ts'
import { lockDays, readDayZones } from '../database/day-zones.ts'
import { readSetting } from '../database/settings.ts'
import { sumOf } from '../database/sum.ts'
import { runSql, transact, type WriteTransaction } from '../database/transaction.ts'
import { dayAt, hourAt, startOfDay } from '../database/zone.ts'
import { NAMED_DAYS } from '../schema/tables.ts'
import { moveDays, partsOf } from '../usage/move-days.ts'
import { DAY, dayInUtc } from '../usage/upstream-sums.ts'
import { amountsOf, type WindowAmounts } from './budget-amounts.ts'
import { type RebuildPeriod, rebuildDay, rebuildHour, rebuildTagHour, rebuildUtcDay } from './rebuild-sums.ts'

export interface RebuildOptions {
  /** Time zone of days if the store has none; default `UTC`. */
  readonly zone?: string
}

/** Number of periods and windows that a rebuild has written. */
export interface RebuildResult {
  readonly hours: number
  /** Days in the store's time zone. */
  readonly days: number
  /** Budget windows whose sums were wrong. */
  readonly windows: number
}

const HOUR = 3_600_000
/** Time limit of one statement in Postgres, in milliseconds. */
const PATIENCE = 3_600_000

/**
 * Rebuilds derived tables from rows: sums of usage as far back as the store has every row, and the sums of budget
 * windows. Sums of older periods are kept unchanged. Each transaction covers one hour, day or window and excludes other
 * writers of the same sums, so it is safe while a gateway runs. Repeating it changes nothing.
 * @throws HeadgateError `conflict` if days start to move to another zone
 */
export async function rebuild(
  connection: StoreConnection,
  { zone: fallback = 'UTC' }: RebuildOptions = {},
): Promise<RebuildResult> {
  const from = await coveredFrom(connection, connection.db as WriteTransaction)
  const hours = await hoursOf(connection, from)
  for (const hour of hours)
    await step(connection, hour, (trx) => rebuildHour(connection.kind, trx, periodAt(hour, HOUR)))
  while ((await moveDays(connection)) !== 'done');
  const zone = (await readDayZones(connection, connection.db as WriteTransaction))?.zone ?? fallback
  const days = await daysOf(connection, from, zone, hours)
  for (const { date, start, end } of days.values())
    await step(connection, start, async (trx) => {
      await checkZone(connection, trx, zone)
      await rebuildDay(connection.kind, trx, date, { start, end })
    })
  await deleteOtherDays(connection, from, zone, days)
  for (const hour of hours)
    await step(connection, hour, async (trx) => {
      await checkZone(connection, trx, zone)
      const parts = partsOf(hour, [zone]).map(([start, end]) => ({
        date: dayAt(zone, start).date,
        ...wide({ start, end }),
      }))
      await rebuildTagHour(connection.kind, trx, hour, parts)
    })
  for (const day of await utcDaysOf(connection, from, hours))
    await step(connection, day, (trx) => rebuildUtcDay(connection.kind, trx, periodAt(day, DAY)))
  return { hours: hours.length, days: days.size, windows: await rebuildWindows(connection) }
}

/** Runs one bounded transaction unless retention has begun to delete the rows of its period. */
async function step(
  connection: StoreConnection,
  start: number,
  write: (trx: WriteTransaction) => Promise<void>,
): Promise<void> {
  await transact(connection, async (trx) => {
    if (connection.kind === 'postgres') await runSql(trx, `SET LOCAL statement_timeout = ${PATIENCE}`)
    await lockDays(connection, trx, 'moves')
    if (start >= (await coveredFrom(connection, trx))) await write(trx)
  })
}

async function checkZone(connection: StoreConnection, trx: WriteTransaction, zone: string): Promise<void> {
  const zones = await readDayZones(connection, trx)
  if (zones && (zones.before || zones.zone !== zone))
    throw new HeadgateError(
      'conflict',
      'Days started to move to another time zone during the rebuild. Run `headgate store rebuild` again.',
    )
}

/** Time since which the store has every row. */
async function coveredFrom(connection: StoreConnection, trx: WriteTransaction): Promise<number> {
  return Number((await readSetting({ ...connection, db: trx }, 'usage_from')) ?? 0)
}

function periodAt(start: number, length: number): RebuildPeriod {
  return wide({ start, end: start + length })
}

/** The first and last periods include rows with times outside the calendar. */
function wide({ start, end }: RebuildPeriod): RebuildPeriod {
  return {
    start: start <= 0 ? Number.NEGATIVE_INFINITY : start,
    end: end > hourAt(Number.POSITIVE_INFINITY) ? Number.POSITIVE_INFINITY : end,
  }
}

/** Starts of all hours with rows or sums, in order. */
async function hoursOf({ db }: StoreConnection, from: number): Promise<number[]> {
  const hours = new Set<number>()
  for (const table of ['usage_hours', 'usage_tag_hours', 'usage_first_byte_hours', 'usage_failure_hours'] as const)
    for (const { hour } of await db.selectFrom(table).select('hour').distinct().execute()) hours.add(Number(hour))
  let at = from > 0 ? BigInt(from) : undefined
  for (;;) {
    const rows = db.selectFrom('usage').select(({ fn }) => fn.min<bigint | null>('at').as('at'))
    const found = await (at === undefined ? rows : rows.where('at', '>=', at)).executeTakeFirst()
    if (!found || found.at === null) break
    const hour = hourAt(Number(found.at))
    hours.add(hour)
    if (hour === hourAt(Number.POSITIVE_INFINITY)) break
    at = BigInt(hour + HOUR)
  }
  return [...hours].filter((hour) => hour >= hourAt(from)).sort((one, other) => one - other)
}

/** Days with complete rows and with hours or sums, by date. */
async function daysOf(
  { db }: StoreConnection,
  from: number,
  zone: string,
  hours: readonly number[],
): Promise<ReadonlyMap<string, RebuildPeriod & { date: string }>> {
  const first = firstDay(zone, from)
  const days = new Map<string, RebuildPeriod & { date: string }>()
  const add = (at: number): void => {
    const { date, start, end } = dayAt(zone, at)
    if (first === undefined || start >= first) days.set(date, { date, ...wide({ start, end }) })
  }
  for (const hour of hours) for (const [start] of partsOf(hour, [zone])) add(start)
  for (const table of NAMED_DAYS)
    for (const { day } of await db.selectFrom(table).select('day').distinct().execute())
      if (/^\d{4}-\d\d-\d\d$/.test(day) && !Number.isNaN(Date.parse(day))) add(startOfDay(zone, day))
  return days
}

function firstDay(zone: string, from: number): number | undefined {
  return from > 0 ? dayAt(zone, from - 1).end : undefined
}

/** Deletes sums whose day is not a calendar date. */
async function deleteOtherDays(
  connection: StoreConnection,
  from: number,
  zone: string,
  days: ReadonlyMap<string, unknown>,
): Promise<void> {
  const first = firstDay(zone, from)
  const since = first === undefined ? '' : dayAt(zone, first).date
  for (const table of NAMED_DAYS) {
    const known = await connection.db.selectFrom(table).select('day').distinct().where('day', '>=', since).execute()
    const others = known.map(({ day }) => day).filter((day) => !days.has(day) && dateInCalendar(zone, day) !== day)
    for (const day of others)
      await transact(connection, (trx) => trx.deleteFrom(table).where('day', '=', day).execute())
  }
}

function dateInCalendar(zone: string, day: string): string | undefined {
  const at = Date.parse(day)
  return /^\d{4}-\d\d-\d\d$/.test(day) && !Number.isNaN(at) ? dayAt(zone, startOfDay(zone, day)).date : undefined
}

async function utcDaysOf({ db }: StoreConnection, from: number, hours: readonly number[]): Promise<number[]> {
  const days = new Set(hours.map(dayInUtc))
  for (const table of ['usage_upstream_days', 'usage_first_byte_days'] as const)
    for (const { day } of await db.selectFrom(table).select('day').distinct().execute()) days.add(Number(day))
  return [...days].filter((day) => day >= from).sort((one, other) => one - other)
}

/** Corrects the sums of windows that differ from their rows and leases. */
async function rebuildWindows(connection: StoreConnection): Promise<number> {
  const { db, kind } = connection
  let count = 0
  for (const { budget, win } of await db
    .selectFrom('budget_windows')
    .select(['budget', 'win'])
    .orderBy('budget')
    .orderBy('win')
    .execute())
    await transact(connection, async (trx) => {
      // Locked first, so that the sum includes the latest amounts of other processes.
      if (!(await knownWindow(connection, trx, { budget, win }))) return
      const from = await coveredFrom(connection, trx)
      const [first, second] = kind === 'postgres' ? ['$1', '$2'] : ['?', '?']
      const [row] = await runSql(trx, amountsOf(kind, from, `WHERE budget = ${first} AND win = ${second}`), [
        budget,
        win,
      ])
      const { spent, counted, leased, left_over, held, held_by_rows } = row as WindowAmounts
      if (spent === counted && leased === left_over && held === held_by_rows) return
      const update = trx.updateTable('budget_windows').set({ spent: counted, leased: left_over })
      await update.where('budget', '=', budget).where('win', '=', win).execute()
      if (held !== held_by_rows) await rebuildHeld(connection, trx, { budget, win })
      count += 1
    })
  return count
}

/** Adds missing held amounts by key. Amounts of process runs are kept, since these processes know them. */
async function rebuildHeld(
  connection: StoreConnection,
  trx: WriteTransaction,
  { budget, win }: { readonly budget: string; readonly win: string },
) {
  const isPostgres = connection.kind === 'postgres'
  const where = (nth: number) => (isPostgres ? `budget = $${nth} AND win = $${nth + 1}` : 'budget = ? AND win = ?')
  const amounts = `SELECT u.principal AS principal, b.held AS held FROM usage_budgets AS b
    JOIN usage AS u ON u.at = b.at AND u.id = b.usage_id WHERE b.${where(1).replace('AND ', 'AND b.')}
    UNION ALL SELECT principal, -held FROM budget_held WHERE ${where(3)}`
  const query = `SELECT principal, ${sumOf(connection.kind, 'held')} AS held FROM (${amounts}) AS amounts GROUP BY principal`
  const lacking = (await runSql(trx, query, [budget, win, budget, win])) as { principal: string; held: bigint }[]
  const values = lacking
    .filter(({ held }) => held !== 0n)
    .map(({ principal, held }) => [budget, win, principal, '', held])
  await insertRows(connection, trx, 'budget_held', values, { set: { held: 'add' } })
}
