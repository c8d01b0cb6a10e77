import { sql } from 'kysely'
import { TABLES, type TableName } from '../database/columns.ts'
import type { Connection } from '../database/connection.ts'
import { makePartitions, PARTITIONED, partitionsOf } from '../database/partitions.ts'
import { readSetting, writeSetting } from '../database/settings.ts'
import { run, transact } from '../database/transaction.ts'
import { dateAt, hourAt } from '../database/zone.ts'

/** How long what is kept. Null = for ever. */
export interface Retention {
  /** Days, of `usage` and `usage_attempts`; 90. */
  readonly usageDays?: number | null
  /** Months, of roll-ups by hours; 13. */
  readonly hoursMonths?: number | null
  /** Months, of roll-ups by days; for ever. */
  readonly daysMonths?: number | null
}

export interface RetentionOptions extends Retention {
  readonly now?: number
  /** Time zone of the organisation; `UTC`. */
  readonly zone?: string
  /** Stops between two chunks. */
  readonly signal?: AbortSignal
}

/** Rows that were deleted. Partitions go as a whole, their rows are not counted. */
export interface Retained {
  readonly usage: number
  readonly hours: number
  readonly days: number
  readonly partitions: readonly string[]
}

const DAY = 86_400_000
/** Rows of a transaction: whoever writes waits for it. */
const CHUNK = 2_000

/**
 * Deletes what is older than it is kept, in transactions that are short, and makes the partitions of the next months. In Postgres rows
 * go by whole months, so that they stay up to a month longer. Safe at any time, in any process: call it daily.
 */
export async function retain(connection: Connection, options: RetentionOptions = {}): Promise<Retained> {
  const { now = Date.now(), zone = 'UTC', usageDays = 90, hoursMonths = 13, daysMonths = null, signal } = options
  await makePartitions(connection, now)
  const isOn = () => !signal?.aborted
  const usage = usageDays === null ? { rows: 0, partitions: [] } : await retainUsage(connection, hourAt(now - usageDays * DAY), isOn)
  const hours = hoursMonths === null ? 0 : await deleteBefore(connection, 'usage_hours', 'hour', monthsBefore(now, hoursMonths), isOn)
  const oldest = daysMonths === null ? undefined : dateAt(zone, monthsBefore(now, daysMonths))
  const days = oldest === undefined ? 0 : await deleteBefore(connection, 'usage_days', 'day', oldest, isOn)
  if (oldest !== undefined) await deleteBefore(connection, 'usage_model_days', 'day', oldest, isOn)
  return { usage: usage.rows, hours, days, partitions: usage.partitions }
}

async function retainUsage(connection: Connection, cutoff: number, isOn: () => boolean): Promise<{ rows: number; partitions: string[] }> {
  const from = connection.kind === 'sqlite' ? cutoff : await endOfOldPartitions(connection, cutoff)
  await noteCoverage(connection, from)
  const partitions = connection.kind === 'sqlite' ? [] : await dropPartitions(connection, from)
  const rows = await deleteBefore(connection, 'usage', 'at', from, isOn)
  await deleteBefore(connection, 'usage_attempts', 'at', from, isOn)
  await deleteBefore(connection, 'usage_groups', 'last_at', from - DAY, isOn)
  return { rows, partitions }
}

/** Before the first row goes: whoever compares rows with roll-ups begins behind it. */
async function noteCoverage(connection: Connection, from: number): Promise<void> {
  await transact(connection, async (trx) => {
    const known = Number((await readSetting({ ...connection, db: trx }, 'usage_from')) ?? 0)
    if (from > known) await writeSetting(trx, 'usage_from', String(from))
  })
}

/** The start of the month that the cutoff lies in: what is before it goes as a whole. */
async function endOfOldPartitions(connection: Connection, cutoff: number): Promise<number> {
  const partitions = await partitionsOf(connection, 'usage')
  return partitions.find(({ start, end }) => start <= cutoff && cutoff < end)?.start ?? cutoff
}

async function dropPartitions(connection: Connection, from: number): Promise<string[]> {
  const dropped: string[] = []
  for (const table of PARTITIONED)
    for (const { name, end } of await partitionsOf(connection, table)) {
      if (end > from) continue
      await transact(connection, (trx) => run(trx, `DROP TABLE IF EXISTS ${name}`))
      dropped.push(name)
    }
  return dropped
}

async function deleteBefore(
  connection: Connection,
  table: TableName,
  column: string,
  value: number | string,
  isOn: () => boolean,
): Promise<number> {
  const key = sql.join(TABLES[table].key.map((name) => sql.ref(name)))
  const oldest = sql`SELECT ${key} FROM ${sql.table(table)} WHERE ${sql.ref(column)} < ${value} ORDER BY ${sql.ref(column)} LIMIT ${CHUNK}`
  let total = 0
  while (isOn()) {
    const { numAffectedRows } = await transact(connection, (trx) =>
      sql`DELETE FROM ${sql.table(table)} WHERE (${key}) IN (${oldest})`.execute(trx),
    )
    const deleted = Number(numAffectedRows ?? 0n)
    total += deleted
    if (deleted < CHUNK) break
  }
  return total
}

function monthsBefore(now: number, months: number): number {
  const date = new Date(now)
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() - months, date.getUTCDate())
}
