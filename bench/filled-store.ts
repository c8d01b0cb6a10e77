import { insertRows, type RowValues } from '../packages/store/src/database/bulk.ts'
import { openConnection, type StoreConnection } from '../packages/store/src/database/connection.ts'
import type { StoreLocation } from '../packages/store/src/database/location.ts'
import { migrate } from '../packages/store/src/database/migrate.ts'
import { attachPartitions, monthsFrom } from '../packages/store/src/database/partitions.ts'
import { runSql, transact, type WriteTransaction } from '../packages/store/src/database/transaction.ts'
import { dateAt, hourAt } from '../packages/store/src/database/zone.ts'
import type { ColumnValue } from '../packages/store/src/schema/declare.ts'
import { FIRST_BYTE_CLASSES, FIRST_BYTE_COUNTS, HAS_FIRST_BYTE } from '../packages/store/src/schema/first-bytes.ts'
import { TABLES } from '../packages/store/src/schema/tables.ts'
import { FAILED_REQUESTS, MEASURES, UNITS, UPSTREAM_MEASURES } from '../packages/store/src/schema/usage.ts'
import { taggedRows } from '../packages/store/src/usage/move-tag-days.ts'
import { rowSums } from '../packages/store/src/usage/row-sums.ts'
import type { Slot } from './traffic.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR
const DAYS = 30
/** Range of the hash of a row's number. Its upper bits select the slot. */
const HASHED = 2 ** 32

const DIMENSIONS = 'principal, provider, model, family, status'
/** Number of projects of the keys. */
const PROJECTS = 20
const MEMBERS = 60
const ENVIRONMENTS = ['development', 'staging', 'production']
/** Number of rows per row with tags. */
const TAGGED = 4
const TEAMS = 20
const JOBS = 900

export interface Filled {
  /** Days that the rows span. Default: 30. */
  readonly days?: number
  readonly projects?: number
}

/**
 * Fills an empty store with rows of the last days, with attempts, groups and roll-ups, by SQL. The number of slots must
 * be a power of two.
 */
export async function fillStore(
  place: StoreLocation,
  rows: number,
  slots: readonly Slot[],
  { days = DAYS, projects = PROJECTS }: Filled = {},
): Promise<void> {
  const connection = await openConnection(place)
  try {
    await migrate(connection)
    await prepareStore(connection, slots, { projects })
    await makeMonths(connection, days)
    const hours = days * 24
    const first = hourAt(Date.now()) - hours * HOUR
    for (let hour = 0; hour < hours; hour += 1) {
      const [from, to] = [0, 1].map((next) => Math.floor((rows * (hour + next)) / hours))
      const start = first + hour * HOUR
      const date = dateAt('UTC', start)
      const isLast = hour === hours - 1 || dateAt('UTC', start + HOUR) !== date
      await transact(connection, async (trx) => {
        await fillHour(connection, trx, { start, from: from ?? 0, to: to ?? 0, slots: slots.length })
        if (isLast) await fillDay(trx, date)
      })
    }
    await finish(connection)
  } finally {
    await connection.close()
  }
}

async function makeMonths(connection: StoreConnection, days: number): Promise<void> {
  if (connection.kind === 'sqlite') return
  const months = monthsFrom(Date.now() - days * DAY, Math.ceil(days / 28) + 1)
  await transact(connection, (trx) => attachPartitions(trx, months))
}

/** Creates the slots in a temporary table, and the owners of their keys. */
export async function prepareStore(
  connection: StoreConnection,
  slots: readonly Slot[],
  { projects }: Pick<Required<Filled>, 'projects'>,
): Promise<void> {
  // Durability is not needed.
  if (connection.kind === 'sqlite')
    connection.database.exec('PRAGMA journal_mode = off; PRAGMA synchronous = off; PRAGMA cache_size = -2000000')
  const type = connection.kind === 'sqlite' ? 'TEXT' : 'text COLLATE "C"'
  await transact(connection, async (trx) => {
    const columns = ['principal', 'provider', 'model', 'family'].map((name) => `${name} ${type} NOT NULL`).join(', ')
    await runSql(
      trx,
      `CREATE TABLE bench_slots (slot int8 PRIMARY KEY, group_id int8 NOT NULL, ${columns}, status int8 NOT NULL)`,
    )
    for (let start = 0; start < slots.length; start += 1_000) {
      const values = slots.slice(start, start + 1_000).map((slot, index) => {
        const texts = [slot.principal, slot.provider, slot.model, slot.family].map((text) => `'${text}'`)
        return `(${start + index}, ${slot.group}, ${texts.join(', ')}, ${slot.status})`
      })
      await runSql(trx, `INSERT INTO bench_slots VALUES ${values.join(', ')}`)
    }
    const groups = [...new Set(slots)].map((slot) => [
      slot.group,
      slot.principal,
      slot.provider,
      slot.model,
      slot.family,
      slot.status,
      0,
    ])
    for (let start = 0; start < groups.length; start += 1_000)
      await insertRows(connection, trx, 'usage_groups', groups.slice(start, start + 1_000))
    const owner = (number: number) => [
      `prj_${number % projects}`,
      ENVIRONMENTS[number % ENVIRONMENTS.length] ?? '',
      `usr_${number % MEMBERS}`,
      null,
    ]
    const principals = [...new Set(slots.map(({ principal }) => principal))].map((id, number) => [id, ...owner(number)])
    await insertRows(connection, trx, 'principals', principals)
    await insertRows(connection, trx, 'projects', projectValues(projects))
    await insertRows(connection, trx, 'keys', principals.map(keyValues))
  })
}

function projectValues(count: number): RowValues[] {
  const now = Date.now()
  return Array.from({ length: count }, (_, number) => [
    `prj_${number}`,
    'org_default',
    `Project ${number}`,
    now,
    null,
    1,
  ])
}

function keyValues(principal: RowValues, number: number): RowValues {
  const [id = '', project = '', environment = '', member = ''] = principal
  const own: Readonly<Record<string, ColumnValue>> = {
    id,
    project,
    environment,
    created_by: member,
    name: `key ${number}`,
    created_at: Date.now(),
    version: 1,
  }
  return Object.keys(TABLES.keys.columns).map((name) => own[name] ?? null)
}

interface Hour {
  readonly start: number
  /** First number of its rows. */
  readonly from: number
  readonly to: number
  readonly slots: number
}

/** SQL expressions of the columns of `usage`, from the number and time of a row and its slot. */
export function rowExpressions(kind: StoreConnection['kind']): Readonly<Record<string, string>> {
  const isSqlite = kind === 'sqlite'
  const hex = (value: string) => (isSqlite ? `printf('%012x', ${value})` : `lpad(to_hex(${value}), 12, '0')`)
  const text = `substr(${hex('at')}, 1, 8) || '-' || substr(${hex('at')}, 9) || '-7000-8000-' || ${hex('i')}`
  const isServed = (one: string, other: string) => `CASE WHEN status = 200 THEN ${one} ELSE ${other} END`
  const cost = isServed('(200 + i * 7919 % 4000) * 3000 + (i * 104729 % 900) * 15000', '0')
  return {
    id: isSqlite ? text : `(${text})::uuid`,
    at: 'at',
    group_id: 'group_id',
    request_id: `'req_' || ${hex('at')} || '00000000' || ${hex('i')}`,
    principal: 'principal',
    family: 'family',
    format: "'chat'",
    model: 'model',
    provider: 'provider',
    provider_model: 'model',
    stream: 'i % 2',
    translated: 'i % 3 % 2',
    status: 'status',
    input: isServed('200 + i * 7919 % 4000', 'NULL'),
    output: isServed('i * 104729 % 900', 'NULL'),
    cache_read: isServed('i * 31 % 1000', 'NULL'),
    estimated: '0',
    cost,
    charged: cost,
    price_id: "'catalog@2026-01-01'",
    billed: isServed('1', '0'),
    outcome: isServed("'served'", "'failed'"),
    why: isServed("'served'", "'failed'"),
    finish: isServed("'stop'", 'NULL'),
    failure: isServed('NULL', "'upstream'"),
    first_byte_ms: 'i % 700',
    duration_ms: 'i % 9000',
    tags: `CASE WHEN i % ${TAGGED} = 0 THEN '{"team":"team-' || (i / ${TAGGED} % ${TEAMS}) || '","job":"job-' || (i / ${TAGGED} % ${JOBS}) || '"}' END`,
  }
}

async function fillHour(connection: StoreConnection, trx: WriteTransaction, hour: Hour): Promise<void> {
  const { start, from, to, slots } = hour
  if (from === to) return
  const values = rowExpressions(connection.kind)
  await runSql(
    trx,
    `INSERT INTO usage (${Object.keys(values).join(', ')})
      WITH RECURSIVE n(i) AS (SELECT CAST(${from} AS int8) UNION ALL SELECT i + 1 FROM n WHERE i < ${to - 1})
      SELECT ${Object.values(values).join(', ')} FROM (
        SELECT i, ${start} + (i - ${from}) * ${HOUR} / ${to - from} AS at, s.* FROM n
        JOIN bench_slots AS s ON s.slot = i * 2654435761 % ${HASHED} / ${HASHED / slots}) AS one`,
  )
  const within = `at >= ${start} AND at < ${start + HOUR}`
  await runSql(
    trx,
    `INSERT INTO usage_attempts (at, usage_id, position, provider, model, started_at, duration_ms, status, failure, cost, price_id)
      SELECT at, id, 0, provider, provider_model, at, duration_ms, status, failure, cost, price_id FROM usage WHERE ${within}`,
  )
  await sumHour(connection.kind, trx, start)
}

/** Fills the sums of an hour from its rows. */
async function sumHour(kind: StoreConnection['kind'], trx: WriteTransaction, start: number): Promise<void> {
  const within = `at >= ${start} AND at < ${start + HOUR}`
  const sums = MEASURES.map((name) => {
    if (name === 'requests') return 'count(*)'
    if (name === 'unpriced') return 'count(*) - count(cost)'
    if (name === 'usage_unknown') return "count(*) FILTER (WHERE cost IS NULL AND why <> 'price-unknown')"
    return UNITS.some((unit) => unit === name) ? '0' : `coalesce(sum(${name}), 0)`
  })
  await runSql(
    trx,
    `INSERT INTO usage_hours (hour, ${DIMENSIONS}, ${MEASURES.join(', ')})
      SELECT ${start}, ${DIMENSIONS}, ${sums.join(', ')} FROM usage WHERE ${within} GROUP BY ${DIMENSIONS}`,
  )
  await runSql(
    trx,
    `INSERT INTO usage_tag_hours (hour, project, tag, value, ${MEASURES.join(', ')})
      SELECT ${start}, p.project, t.key, t.value, ${rowSums(kind, 'u')} FROM ${taggedRows(kind)} JOIN principals AS p ON p.id = u.principal
      WHERE u.${within.replace('AND at', 'AND u.at')} AND u.tags IS NOT NULL GROUP BY 2, 3, 4`,
  )
  const upstream = UPSTREAM_MEASURES.map((name) => {
    if (name === 'calls') return 'count(*)'
    return name === 'unpriced' ? 'count(*) - count(cost)' : `coalesce(sum(${name}), 0)`
  })
  await runSql(
    trx,
    `INSERT INTO usage_upstream_days (day, provider, model, ${UPSTREAM_MEASURES.join(', ')})
      SELECT ${Math.floor(start / DAY) * DAY}, provider, provider_model, ${upstream.join(', ')} FROM usage WHERE ${within} GROUP BY provider, provider_model
      ON CONFLICT (provider, day, model) DO UPDATE SET ${UPSTREAM_MEASURES.map((name) => `${name} = usage_upstream_days.${name} + excluded.${name}`).join(', ')}`,
  )
  for (const [span, length] of Object.entries({ hour: HOUR, day: DAY })) {
    const table = `usage_first_byte_${span}s`
    await runSql(
      trx,
      `INSERT INTO ${table} (${span}, principal, ${FIRST_BYTE_CLASSES.join(', ')})
        SELECT ${Math.floor(start / length) * length}, principal, ${FIRST_BYTE_COUNTS.join(', ')} FROM usage AS u
        WHERE ${HAS_FIRST_BYTE} AND u.${within.replace('AND at', 'AND u.at')} GROUP BY principal
        ON CONFLICT (${span}, principal) DO UPDATE SET ${FIRST_BYTE_CLASSES.map((name) => `${name} = ${table}.${name} + excluded.${name}`).join(', ')}`,
    )
  }
  await runSql(
    trx,
    `UPDATE usage_groups SET last_at = ${start} WHERE id IN (SELECT group_id FROM usage WHERE ${within})`,
  )
}

async function fillDay(trx: WriteTransaction, date: string): Promise<void> {
  const start = Date.parse(date)
  await runSql(
    trx,
    `INSERT INTO usage_days (day, ${DIMENSIONS}, ${MEASURES.join(', ')})
      SELECT '${date}', ${DIMENSIONS}, ${MEASURES.map((name) => `sum(${name})`).join(', ')} FROM usage_hours
      WHERE hour >= ${start} AND hour < ${start + 24 * HOUR} GROUP BY ${DIMENSIONS}`,
  )
  await runSql(
    trx,
    `INSERT INTO usage_tag_days (day, project, tag, value, ${MEASURES.join(', ')})
      SELECT '${date}', project, tag, value, ${MEASURES.map((name) => `sum(${name})`).join(', ')} FROM usage_tag_hours
      WHERE hour >= ${start} AND hour < ${start + DAY} GROUP BY project, tag, value`,
  )
  const without = {
    usage_model_days: 'day, provider, model, family, status',
    usage_key_status_days: 'day, principal, family, status',
  }
  for (const [table, of] of Object.entries(without))
    await runSql(
      trx,
      `INSERT INTO ${table} (${of}, ${MEASURES.join(', ')})
        SELECT ${of}, ${MEASURES.map((name) => `sum(${name})`).join(', ')} FROM usage_days WHERE day = '${date}' GROUP BY ${of}`,
    )
  await fillKeyDays(trx, date)
}

/** Fills the sums by key, and by key, model and provider, from the sums of the day. */
export async function fillKeyDays(trx: WriteTransaction, date: string): Promise<void> {
  for (const [table, names] of [
    ['usage_key_days', 'principal'],
    ['usage_key_model_days', 'principal, model, provider'],
  ])
    await runSql(
      trx,
      `INSERT INTO ${table} (day, ${names}, ${MEASURES.join(', ')}, failed)
        SELECT '${date}', ${names}, ${MEASURES.map((name) => `sum(${name})`).join(', ')}, sum(${FAILED_REQUESTS})
        FROM usage_days AS u WHERE day = '${date}' GROUP BY ${names}`,
    )
}

/** Maintenance that Postgres otherwise performs over time. */
async function finish(connection: StoreConnection): Promise<void> {
  await connection.db.connection().execute(async (db) => {
    await runSql(db, 'DROP TABLE bench_slots')
    if (connection.kind === 'sqlite') return
    await runSql(db, 'SET statement_timeout = 0')
    await runSql(db, 'VACUUM ANALYZE')
  })
}
