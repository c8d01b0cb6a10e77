import { sql } from 'kysely'
import type { Table } from '../schema/declare.ts'
import { TABLES, type TableName } from '../schema/tables.ts'
import type { StoreConnection } from './connection.ts'
import { runSql, transact, type WriteTransaction } from './transaction.ts'

/** Postgres tables with a partition for each month, by `at` in UTC. */
export const PARTITIONED = (Object.keys(TABLES) as TableName[]).filter((name) => (TABLES[name] as Table).monthly)
/** Number of future months with partitions. */
const AHEAD = 2

export interface Partition {
  readonly name: string
  /** Start of its month and of the next, Unix milliseconds. */
  readonly start: number
  readonly end: number
}

/** Creates missing partitions of this month and the next two. Does nothing in SQLite. */
export async function createPartitions(connection: StoreConnection, now = Date.now()): Promise<void> {
  if (connection.kind === 'sqlite') return
  const months = monthsFrom(now, AHEAD + 1)
  const known = new Set((await partitionsOf(connection, 'usage')).map(({ start }) => start))
  if (months.every(({ start }) => known.has(start))) return
  await transact(connection, (trx) => createMonths(trx, months))
}

/** Partitions of a table except the default one, oldest first. */
export async function partitionsOf(connection: StoreConnection, table: TableName): Promise<Partition[]> {
  const { rows } = await sql<{ name: string }>`
    SELECT c.relname AS name FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid WHERE i.inhparent = to_regclass(${table})`.execute(
    connection.db,
  )
  return rows.flatMap(({ name }) => partition(name)).sort((one, other) => one.start - other.start)
}

export interface Month {
  /** Name suffix such as `2026_11`. */
  readonly month: string
  readonly start: number
  readonly end: number
}

/** Months in UTC, starting with the month of an instant. */
export function monthsFrom(at: number, count: number): Month[] {
  const first = new Date(at)
  const start = (index: number) => Date.UTC(first.getUTCFullYear(), first.getUTCMonth() + index)
  return Array.from({ length: count }, (_, index) => ({
    month: new Date(start(index)).toISOString().slice(0, 7).replace('-', '_'),
    start: start(index),
    end: start(index + 1),
  }))
}

/** Creates missing partitions, and moves their rows from the default partition. */
export async function createMonths(trx: WriteTransaction, months: readonly Month[]): Promise<void> {
  await runSql(trx, "SELECT pg_advisory_xact_lock(hashtext('headgate.partitions'))")
  for (const table of PARTITIONED)
    for (const { month, start, end } of months) {
      const name = `${table}_${month}`
      const [found] = await runSql(trx, 'SELECT to_regclass($1) IS NOT NULL AS found', [name])
      if (Object(found).found) continue
      await runSql(trx, `CREATE TABLE ${name} (LIKE ${table} INCLUDING ALL)`)
      await runSql(
        trx,
        `WITH moved AS (DELETE FROM ${table}_default WHERE at >= ${start} AND at < ${end} RETURNING *) INSERT INTO ${name} SELECT * FROM moved`,
      )
      await runSql(trx, `ALTER TABLE ${table} ATTACH PARTITION ${name} FOR VALUES FROM (${start}) TO (${end})`)
    }
}

function partition(name: string): Partition[] {
  const [, year, month] = /_(\d{4})_(\d{2})$/.exec(name) ?? []
  if (!year || !month) return []
  return [{ name, start: Date.UTC(Number(year), Number(month) - 1), end: Date.UTC(Number(year), Number(month)) }]
}
