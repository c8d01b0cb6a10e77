import { sql } from 'kysely'
import type { Table } from '../schema/declare.ts'
import { TABLES, type TableName } from '../schema/tables.ts'
import type { StoreConnection } from './connection.ts'
import { isLockTimeout } from './failure.ts'
import { runSql, transact, type WriteTransaction } from './transaction.ts'

/** Postgres tables with partitions, by `at` in UTC. */
export const PARTITIONED = (Object.keys(TABLES) as TableName[]).filter((name) => (TABLES[name] as Table).partitioned)

/**
 * Time span of new partitions. `auto`: a day if a month has more than 30 million rows, so that the indexes of today fit
 * into memory and retention drops single days; otherwise a month.
 */
export type PartitionMode = 'auto' | 'month' | 'day'

export interface Partition {
  readonly name: string
  /** Start and exclusive end, Unix milliseconds. */
  readonly start: number
  readonly end: number
  /** Number of rows, as Postgres estimates it. */
  readonly rows: number
}

/** Time span of a partition, in UTC. */
export interface Period {
  /** End of the partition's name, such as `2026_11` or `2026_11_05`. */
  readonly suffix: string
  readonly start: number
  readonly end: number
}

/** Number of future months, or future days, with partitions. */
const AHEAD = { month: 2, day: 7 } as const
const DAY = 86_400_000
/** Rows per month above which a partition is a day. */
const DAILY = 30_000_000
/**
 * Maximum wait for the lock of a table, in milliseconds. All later statements queue behind a waiting one, and a backup
 * keeps its locks for minutes: trying again an hour later costs nothing.
 */
const LOCK = 1_000

/**
 * Creates missing partitions of this month and the next two, or of today and the next seven days. A month that has
 * partitions keeps their kind. Does nothing in SQLite, or while other statements keep the tables locked.
 */
export async function createPartitions(
  connection: StoreConnection,
  now = Date.now(),
  mode: PartitionMode = 'auto',
): Promise<void> {
  if (connection.kind === 'sqlite') return
  const known = await partitionsOf(connection, 'usage')
  const isDaily = mode === 'day' || (mode === 'auto' && rowsPerMonth(known, now) > DAILY)
  const wanted = isDaily ? daysFrom(now, AHEAD.day + 1) : monthsFrom(now, AHEAD.month + 1)
  const isReplaceable = (one: Partition) => isDaily && one.start > now && one.end - one.start > DAY
  const kept = known.filter((one) => !isReplaceable(one))
  const missing = wanted.flatMap((period) => missingOf(period, kept, now))
  if (missing.length === 0) return
  const replaced = known.filter((one) => isReplaceable(one) && missing.some((period) => overlaps(one, period)))
  await unlessLocked(connection, async (trx) => {
    const used: Partition[] = []
    for (const period of replaced) if (!(await dropEmpty(trx, period))) used.push(period)
    await attachPartitions(
      trx,
      missing.filter((period) => !used.some((one) => overlaps(one, period))),
    )
  })
}

/** Partitions of a table except the default one, oldest first. */
export async function partitionsOf({ db }: Pick<StoreConnection, 'db'>, table: TableName): Promise<Partition[]> {
  const { rows } = await sql<{ name: string; rows: bigint }>`
    SELECT c.relname AS name, greatest(c.reltuples, 0)::int8 AS rows FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
    WHERE i.inhparent = to_regclass(${table})`.execute(db)
  return rows
    .flatMap((row) => periodIn(row.name).map((period) => ({ ...period, rows: Number(row.rows) })))
    .sort((one, other) => one.start - other.start)
}

export interface DroppedPartitions {
  readonly names: readonly string[]
  /** False if some are left, since other statements use their table. */
  readonly isAll: boolean
}

/**
 * Drops partitions that end before a time. A default partition exists, so that Postgres cannot detach them without a
 * lock of the table.
 */
export async function dropPartitions(connection: StoreConnection, before: number): Promise<DroppedPartitions> {
  const names: string[] = []
  if (connection.kind === 'sqlite') return { names, isAll: true }
  for (const table of PARTITIONED)
    for (const { name, end } of await partitionsOf(connection, table)) {
      if (end > before) continue
      const isDropped = await unlessLocked(connection, (trx) => runSql(trx, `DROP TABLE IF EXISTS ${name}`))
      if (!isDropped) return { names, isAll: false }
      names.push(name)
    }
  return { names, isAll: true }
}

/** Months in UTC, starting with the month of an instant. */
export function monthsFrom(at: number, count: number): Period[] {
  const first = new Date(at)
  const start = (index: number) => Date.UTC(first.getUTCFullYear(), first.getUTCMonth() + index)
  return Array.from({ length: count }, (_, index) => periodOf(start(index), start(index + 1), 7))
}

/** Days in UTC, starting with the day of an instant. */
export function daysFrom(at: number, count: number): Period[] {
  const first = Math.floor(at / DAY) * DAY
  return Array.from({ length: count }, (_, index) => periodOf(first + index * DAY, first + (index + 1) * DAY, 10))
}

/** Creates partitions of periods without one, and moves their rows from the default partition. */
export async function attachPartitions(trx: WriteTransaction, periods: readonly Period[]): Promise<void> {
  await runSql(trx, "SELECT pg_advisory_xact_lock(hashtext('headgate.partitions'))")
  for (const table of PARTITIONED) {
    const known = await partitionsOf({ db: trx }, table)
    for (const period of periods) {
      if (known.some((one) => overlaps(one, period))) continue
      const { suffix, start, end } = period
      const name = `${table}_${suffix}`
      await runSql(trx, `CREATE TABLE ${name} (LIKE ${table} INCLUDING ALL)`)
      await runSql(
        trx,
        `WITH moved AS (DELETE FROM ${table}_default WHERE at >= ${start} AND at < ${end} RETURNING *) INSERT INTO ${name} SELECT * FROM moved`,
      )
      await runSql(trx, `ALTER TABLE ${table} ATTACH PARTITION ${name} FOR VALUES FROM (${start}) TO (${end})`)
    }
  }
}

/** Rows of this month or the last one, whichever has more. */
function rowsPerMonth(known: readonly Partition[], now: number): number {
  const start = monthsFrom(now, 1)[0]?.start ?? now
  const months = monthsFrom(start - 1, 2)
  return Math.max(...months.map((month) => known.reduce((sum, one) => sum + (overlaps(one, month) ? one.rows : 0), 0)))
}

/** Parts of a period without a partition: the period itself, or the remaining days of a month. */
function missingOf(period: Period, known: readonly Partition[], now: number): Period[] {
  const within = known.filter((one) => overlaps(one, period))
  if (within.length === 0) return [period]
  if (within.some(({ start, end }) => start <= period.start && period.end <= end)) return []
  const start = Math.max(period.start, Math.floor(now / DAY) * DAY)
  return daysFrom(start, Math.round((period.end - start) / DAY)).filter((day) =>
    within.every((one) => !overlaps(one, day)),
  )
}

function overlaps(one: Pick<Period, 'start' | 'end'>, other: Pick<Period, 'start' | 'end'>): boolean {
  return one.start < other.end && other.start < one.end
}

/** Drops the partitions of a period in all tables, if they are empty. */
async function dropEmpty(trx: WriteTransaction, { name }: Partition): Promise<boolean> {
  const suffix = name.slice('usage_'.length)
  const names = PARTITIONED.map((table) => `${table}_${suffix}`)
  for (const own of names) {
    await runSql(trx, `LOCK TABLE ${own} IN ACCESS EXCLUSIVE MODE`)
    if ((await runSql(trx, `SELECT 1 FROM ${own} LIMIT 1`)).length > 0) return false
  }
  for (const own of names) await runSql(trx, `DROP TABLE ${own}`)
  return true
}

/** Runs a transaction that locks tables. Resolves with false if other statements keep them locked. */
async function unlessLocked(
  connection: StoreConnection,
  change: (trx: WriteTransaction) => Promise<unknown>,
): Promise<boolean> {
  try {
    await transact(connection, async (trx) => {
      await runSql(trx, `SET LOCAL lock_timeout = ${LOCK}`)
      await change(trx)
    })
    return true
  } catch (error) {
    if (isLockTimeout(error)) return false
    throw error
  }
}

/** @param length number of characters of a date in the name: 7 for months, 10 for days */
function periodOf(start: number, end: number, length: number): Period {
  return { suffix: new Date(start).toISOString().slice(0, length).replaceAll('-', '_'), start, end }
}

/** Partition by its name; empty for the default one. */
function periodIn(name: string): Omit<Partition, 'rows'>[] {
  const [, year, month, day] = /_(\d{4})_(\d{2})(?:_(\d{2}))?$/.exec(name) ?? []
  if (!year || !month) return []
  const at = Date.UTC(Number(year), Number(month) - 1, Number(day ?? 1))
  const [period] = day ? daysFrom(at, 1) : monthsFrom(at, 1)
  return period ? [{ name, start: period.start, end: period.end }] : []
}
