import { sql } from 'kysely'
import { emptyAnswers } from '../answers/answers.ts'
import { storeTime } from '../budgets/store-time.ts'
import type { StoreConnection } from '../database/connection.ts'
import { lockDays } from '../database/day-zones.ts'
import { createPartitions, dropPartitions, type PartitionMode, partitionsOf } from '../database/partitions.ts'
import { readSetting, writeSetting } from '../database/settings.ts'
import { runSql, transact, type WriteTransaction } from '../database/transaction.ts'
import { dateAt, hourAt } from '../database/zone.ts'
import { NAMED_DAYS, TABLES, type TableName } from '../schema/tables.ts'

/** Retention periods. Null keeps data permanently. */
export interface Retention {
  /** Days to keep `usage` and `usage_attempts`; default 90. */
  readonly usageDays?: number | null
  /** Months to keep hourly roll-ups; default 13. */
  readonly hoursMonths?: number | null
  /** Months to keep daily roll-ups; default null (permanently). */
  readonly daysMonths?: number | null
  /** Days to keep requests without calls of a provider; default 7. At most 100,000 are kept. */
  readonly refusalDays?: number | null
}

export interface RetentionSettings extends Retention {
  /** Time span of new partitions in Postgres; default `auto`. */
  readonly partition?: PartitionMode | undefined
}

export interface RetentionOptions extends RetentionSettings {
  readonly now?: number
  /** Time zone of the organization; default `UTC`. */
  readonly zone?: string
}

/** Numbers of deleted rows. Partitions are dropped without counting their rows. */
export interface RetentionResult {
  readonly usage: number
  readonly hours: number
  readonly days: number
  readonly partitions: readonly string[]
  /** True if more may be left to delete: call `retain` again. */
  readonly isMore: boolean
}

const DAY = 86_400_000
/** Time to keep leases after the end of their window, in milliseconds. Requests that began in it have ended by then. */
const LEASES = 2 * DAY
/** Time to keep process runs without leases, in milliseconds. */
const RUNS = 2 * DAY
/** Months to keep budget windows. */
const WINDOWS = 13
/** Minimum number of windows to keep per budget, even if they ended long ago. */
const NEWEST = 3
/** Time to keep numbers of requests without calls by minute and by hour, and of unknown callers, in milliseconds. */
const REFUSAL_MINUTES = 2 * DAY
const REFUSAL_HOURS = 35 * DAY
const UNAUTHENTICATED = 7 * DAY
/** Time to keep alerts, in milliseconds. */
const ALERTS = 90 * DAY
/** Time to keep rate limits that no node uses, in milliseconds. */
const RATES = 600_000
/** Time to keep sums by minute, in milliseconds. */
const MINUTES = 2 * DAY
/** Rows per transaction, since other writers wait for it. */
const CHUNK = 2_000

/**
 * Deletes some expired data in short transactions, so that other writers can run in between, and creates the partitions
 * of the next months or days. Postgres drops whole partitions, so rows can stay up to one month longer. Safe at any
 * time, in any process: call it daily until `isMore` is false.
 */
export async function retain(connection: StoreConnection, options: RetentionOptions = {}): Promise<RetentionResult> {
  const { zone = 'UTC', usageDays = 90, hoursMonths = 13, daysMonths = null, refusalDays = 7, partition } = options
  // The clock of this machine may be wrong.
  const now = options.now ?? (await transact(connection, (trx) => storeTime({ connection }, trx)))
  await createPartitions(connection, now, partition)
  const old: [TableName, string, number | string][] = []
  const partitions: string[] = []
  if (usageDays !== null) {
    const from = await usageFrom(connection, hourAt(now - usageDays * DAY))
    await noteCoverage(connection, from)
    const { names, isAll } = await dropPartitions(connection, from)
    partitions.push(...names)
    // Rows of a partition that is dropped later are not deleted one by one.
    if (isAll) old.push(['usage', 'at', from], ['usage_attempts', 'at', from])
    old.push(['usage_budgets', 'at', from], ['usage_groups', 'last_at', from - DAY])
  }
  if (hoursMonths !== null)
    for (const table of ['usage_hours', 'usage_tag_hours', 'usage_first_byte_hours', 'usage_failure_hours'] as const)
      old.push([table, 'hour', monthsBefore(now, hoursMonths)])
  if (daysMonths !== null) {
    const oldest = dateAt(zone, monthsBefore(now, daysMonths))
    for (const table of NAMED_DAYS) old.push([table, 'day', oldest])
    for (const table of ['usage_upstream_days', 'usage_first_byte_days'] as const)
      old.push([table, 'day', monthsBefore(now, daysMonths)])
  }
  await forgetLeases(connection, now)
  await forgetWindows(connection, monthsBefore(now, WINDOWS))
  if (refusalDays !== null)
    for (const table of ['refusals', 'refusal_messages'] as const) old.push([table, 'at', now - refusalDays * DAY])
  old.push(['refusal_minutes', 'minute', now - REFUSAL_MINUTES], ['refusal_hours', 'hour', now - REFUSAL_HOURS])
  old.push(['unauthenticated_hours', 'hour', now - UNAUTHENTICATED])
  old.push(['budget_alerts', 'at', now - ALERTS])
  for (const table of ['rate_windows', 'rate_places'] as const) old.push([table, 'used_at', now - RATES])
  old.push(['rate_nodes', 'seen_at', now - RATES])
  for (const table of ['attempt_minutes', 'usage_minutes'] as const) old.push([table, 'minute', now - MINUTES])
  // Data that expires at this time is deleted now.
  for (const table of ['tasks', 'traces', 'request_words', 'answers', 'answer_items', 'idempotent_responses'] as const)
    old.push([table, 'ends_at', now + 1])
  const deleted: Partial<Record<TableName, number>> = {}
  let isMore = await emptyAnswers(connection, now)
  for (const [table, column, value] of isMore ? [] : old) {
    const count = await deleteSome(connection, table, column, value)
    deleted[table] = count
    isMore = count === CHUNK
    if (isMore) break
  }
  return {
    usage: deleted.usage ?? 0,
    hours: deleted.usage_hours ?? 0,
    days: deleted.usage_days ?? 0,
    partitions,
    isMore,
  }
}

/**
 * Time before which rows are deleted. In Postgres: the start of the cutoff's partition, since partitions are dropped as
 * a whole.
 */
async function usageFrom(connection: StoreConnection, cutoff: number): Promise<number> {
  if (connection.kind === 'sqlite') return cutoff
  const partitions = await partitionsOf(connection, 'usage')
  return partitions.find(({ start, end }) => start <= cutoff && cutoff < end)?.start ?? cutoff
}

/** Records the start of complete rows before any is deleted: comparisons of rows with roll-ups begin there. */
async function noteCoverage(connection: StoreConnection, from: number): Promise<void> {
  const known = async (own: StoreConnection) => Number((await readSetting(own, 'usage_from')) ?? 0)
  if (from <= (await known(connection))) return
  await transact(connection, async (trx) => {
    // Moves of days read all existing rows.
    await lockDays(connection, trx, 'moves')
    if (from > (await known({ ...connection, db: trx }))) await writeSetting(trx, 'usage_from', String(from))
  })
}

/**
 * Windows that ended before a time, except the newest of each budget: if the clock is wrong, these become current
 * again, and their spending and leases still count.
 */
function oldWindows(trx: WriteTransaction, before: number) {
  return trx
    .selectFrom('budget_windows as w')
    .select(['w.budget', 'w.win'])
    .where('w.ends_at', '<', BigInt(before))
    .where((is) => {
      const newer = is
        .selectFrom('budget_windows as n')
        .whereRef('n.budget', '=', 'w.budget')
        .whereRef('n.starts_at', '>', 'w.starts_at')
      return is(
        newer.select((of) => of.fn.countAll<bigint>().as('count')),
        '>=',
        BigInt(NEWEST),
      )
    })
    .orderBy('w.budget')
    .orderBy('w.win')
    .limit(CHUNK)
}

/** Deletes leases of ended windows, and process runs without leases. */
async function forgetLeases(connection: StoreConnection, now: number): Promise<void> {
  await transact(connection, async (trx) => {
    const over = oldWindows(trx, now - LEASES).where(({ exists, selectFrom }) =>
      exists(
        selectFrom('budget_leases as l')
          .select('l.run')
          .whereRef('l.budget', '=', 'w.budget')
          .whereRef('l.win', '=', 'w.win'),
      ),
    )
    for (const { budget, win } of await over.execute()) {
      await trx
        .updateTable('budget_windows')
        .set({ leased: 0 })
        .where('budget', '=', budget)
        .where('win', '=', win)
        .execute()
      await trx.deleteFrom('budget_leases').where('budget', '=', budget).where('win', '=', win).execute()
    }
    const isWindow = 'w.budget = budget_held.budget AND w.win = budget_held.win'
    await runSql(trx, `DELETE FROM budget_held WHERE NOT EXISTS (SELECT 1 FROM budget_windows AS w WHERE ${isWindow})`)
    const holding = trx.selectFrom('budget_leases').select('run')
    await trx
      .deleteFrom('process_runs')
      .where('seen_at', '<', BigInt(now - RUNS))
      .where('id', 'not in', holding)
      .execute()
  })
}

async function forgetWindows(connection: StoreConnection, before: number): Promise<void> {
  await transact(connection, async (trx) => {
    for (const { budget, win } of await oldWindows(trx, before).execute())
      await trx.deleteFrom('budget_windows').where('budget', '=', budget).where('win', '=', win).execute()
  })
}

async function deleteSome(
  connection: StoreConnection,
  table: TableName,
  column: string,
  value: number | string,
): Promise<number> {
  const key = sql.join(TABLES[table].key.map((name) => sql.ref(name)))
  const oldest = sql`SELECT ${key} FROM ${sql.table(table)} WHERE ${sql.ref(column)} < ${value} ORDER BY ${sql.ref(column)} LIMIT ${CHUNK}`
  const { numAffectedRows } = await transact(connection, (trx) =>
    sql`DELETE FROM ${sql.table(table)} WHERE (${key}) IN (${oldest})`.execute(trx),
  )
  return Number(numAffectedRows ?? 0n)
}

function monthsBefore(now: number, months: number): number {
  const date = new Date(now)
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() - months, date.getUTCDate())
}
