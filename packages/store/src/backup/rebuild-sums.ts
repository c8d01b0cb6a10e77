import type { StoreConnection } from '../database/connection.ts'
import { LONGEST } from '../database/group.ts'
import { sumOf } from '../database/sum.ts'
import { runSql, type WriteTransaction } from '../database/transaction.ts'
import { hourAt } from '../database/zone.ts'
import { FIRST_BYTE_CLASSES, FIRST_BYTE_COUNTS, HAS_FIRST_BYTE } from '../schema/first-bytes.ts'
import { NAMED_DAYS } from '../schema/tables.ts'
import { DIMENSIONS, FAILED_REQUESTS, MEASURES, UPSTREAM_MEASURES } from '../schema/usage.ts'
import { IS_TAGGED, taggedRows, tagSumsOfRows } from '../usage/move-tag-days.ts'
import { rowSums } from '../usage/row-sums.ts'
import { MOST_NAMES, MOST_VALUES } from '../usage/tag-sums.ts'

/** Range in Unix milliseconds, with an exclusive end; infinite at the ends of the calendar. */
export interface RebuildPeriod {
  readonly start: number
  readonly end: number
}

type DatabaseKind = StoreConnection['kind']

const HOUR = 3_600_000
const GROUPED = 'usage AS u LEFT JOIN usage_groups AS g ON g.id = u.group_id'

/** Replaces the sums of one hour, except tag sums. */
export async function rebuildHour(kind: DatabaseKind, trx: WriteTransaction, period: RebuildPeriod): Promise<void> {
  const hour = hourAt(period.start)
  await runSql(trx, `DELETE FROM usage_hours WHERE hour = ${hour}`)
  await runSql(trx, `DELETE FROM usage_first_byte_hours WHERE hour = ${hour}`)
  await runSql(trx, `DELETE FROM usage_failure_hours WHERE hour = ${hour}`)
  await runSql(
    trx,
    `INSERT INTO usage_hours (hour, ${DIMENSIONS.join(', ')}, ${MEASURES.join(', ')})
      SELECT ${hour}, ${DIMENSIONS.join(', ')}, ${MEASURES.join(', ')} FROM (${sumsOfRows(kind, period)}) AS r`,
  )
  await runSql(
    trx,
    `INSERT INTO usage_first_byte_hours (hour, principal, ${FIRST_BYTE_CLASSES.join(', ')})
      SELECT ${hour}, ${own('principal')}, ${FIRST_BYTE_COUNTS.join(', ')} FROM ${GROUPED}
      WHERE ${HAS_FIRST_BYTE} AND ${within(period)} GROUP BY 2`,
  )
  await runSql(
    trx,
    `INSERT INTO usage_failure_hours (hour, failure, provider, principal, requests, newest)
      SELECT ${hour}, u.failure, ${own('provider')}, ${own('principal')}, count(*), max(u.request_id) FROM ${GROUPED}
      WHERE u.failure IS NOT NULL AND u.corrects IS NULL AND ${within(period)} GROUP BY 2, 3, 4`,
  )
}

/**
 * Replaces the sums of one day in the store's zone with the totals of its hours. Hours that belong to the day in part
 * are summed from rows.
 */
export async function rebuildDay(
  kind: DatabaseKind,
  trx: WriteTransaction,
  date: string,
  period: RebuildPeriod,
): Promise<void> {
  for (const table of NAMED_DAYS) await trx.deleteFrom(table).where('day', '=', date).execute()
  const whole: RebuildPeriod = {
    start: Math.ceil(period.start / HOUR) * HOUR,
    end: Math.floor(period.end / HOUR) * HOUR,
  }
  const hours = [
    ...(Number.isFinite(whole.start) ? [`hour >= ${whole.start}`] : []),
    ...(Number.isFinite(whole.end) ? [`hour < ${whole.end}`] : []),
  ]
  const sources = [
    `SELECT ${DIMENSIONS.join(', ')}, ${MEASURES.join(', ')} FROM usage_hours ${hours.length > 0 ? `WHERE ${hours.join(' AND ')}` : ''}`,
    ...(whole.start > period.start ? [sumsOfRows(kind, { start: period.start, end: whole.start })] : []),
    ...(whole.end < period.end ? [sumsOfRows(kind, { start: whole.end, end: period.end })] : []),
  ]
  const sums = MEASURES.map((name) => `${sumOf(kind, name)} AS ${name}`).join(', ')
  const from = (names: readonly string[], source: string): string =>
    `(day, ${names.join(', ')}, ${MEASURES.join(', ')}) SELECT '${date}', ${names.join(', ')}, ${sums} FROM ${source} GROUP BY ${names.join(', ')}`
  const ofDay = `(SELECT * FROM usage_days WHERE day = '${date}') AS d`
  await runSql(trx, `INSERT INTO usage_days ${from(DIMENSIONS, `(${sources.join(' UNION ALL ')}) AS h`)}`)
  await runSql(trx, `INSERT INTO usage_model_days ${from(['provider', 'model', 'family', 'status'], ofDay)}`)
  await runSql(trx, `INSERT INTO usage_key_status_days ${from(['principal', 'family', 'status'], ofDay)}`)
  for (const [table, names] of [
    ['usage_key_days', 'principal'],
    ['usage_key_model_days', 'principal, model, provider'],
  ])
    await runSql(
      trx,
      `INSERT INTO ${table} (day, ${names}, ${MEASURES.join(', ')}, failed)
        SELECT '${date}', ${names}, ${sums}, ${sumOf(kind, FAILED_REQUESTS)} AS failed
        FROM usage_days AS u WHERE day = '${date}' GROUP BY ${names}`,
    )
  await runSql(trx, `INSERT INTO usage_tag_days ${ofTags(kind, date, period)}`)
}

/** SQL sort key of tag names: 0 for reserved names. */
const IS_RESERVED = "CASE WHEN tag LIKE '@%' THEN 0 ELSE 1 END"

/** Tag sums of a day. If it exceeds the limit of names or values, the ones with the most requests get separate sums. */
function ofTags(kind: DatabaseKind, date: string, period: RebuildPeriod): string {
  return `(day, project, tag, value, ${MEASURES.join(', ')})
    WITH apart AS (
      SELECT coalesce(p.project, '') AS project, t.key AS tag, t.value AS value, ${rowSums(kind, 'u')}
      FROM ${taggedRows(kind)} LEFT JOIN principals AS p ON p.id = u.principal
      WHERE ${IS_TAGGED} AND ${within(period)} GROUP BY 1, 2, 3
    ), names AS (
      SELECT project, tag, row_number() OVER (PARTITION BY project ORDER BY ${IS_RESERVED}, sum(requests) DESC, tag) AS name_place
      FROM apart GROUP BY project, tag
    ), placed AS (
      SELECT a.*, n.name_place, row_number() OVER (PARTITION BY a.project, a.tag ORDER BY a.requests DESC, a.value) AS value_place
      FROM apart AS a JOIN names AS n ON n.project = a.project AND n.tag = a.tag
    ), named AS (
      SELECT project, CASE WHEN name_place <= ${MOST_NAMES} THEN tag ELSE '' END AS tag,
        CASE WHEN name_place <= ${MOST_NAMES} AND value_place <= ${MOST_VALUES} THEN value ELSE '' END AS value, ${MEASURES.join(', ')}
      FROM placed
    )
    SELECT '${date}', project, tag, value, ${MEASURES.map((name) => sumOf(kind, name)).join(', ')} FROM named GROUP BY project, tag, value`
}

/** Replaces the tag sums of one hour, under the names and values of its days. Rebuild the days first. */
export async function rebuildTagHour(
  kind: DatabaseKind,
  trx: WriteTransaction,
  hour: number,
  parts: readonly (RebuildPeriod & { readonly date: string })[],
): Promise<void> {
  await runSql(trx, `DELETE FROM usage_tag_hours WHERE hour = ${hour}`)
  const sources = parts.map((part) =>
    tagSumsOfRows(kind, (name) => `usage_tag_days AS ${name} ON ${name}.day = '${part.date}'`, within(part)),
  )
  await runSql(
    trx,
    `INSERT INTO usage_tag_hours (hour, project, tag, value, ${MEASURES.join(', ')})
      SELECT ${hour}, project, tag, value, ${MEASURES.map((name) => sumOf(kind, name)).join(', ')}
      FROM (${sources.join(' UNION ALL ')}) AS r GROUP BY project, tag, value`,
  )
}

/**
 * Replaces the sums of one day in UTC: sums by upstream from rows and calls, the first-byte histogram from its hours.
 */
export async function rebuildUtcDay(kind: DatabaseKind, trx: WriteTransaction, period: RebuildPeriod): Promise<void> {
  const day = Number.isFinite(period.start) ? period.start : 0
  const cut = (name: string): string => `substr(${name}, 1, ${LONGEST})`
  const tokens = ['input', 'output', 'cache_read', 'cache_write'] as const
  await runSql(trx, `DELETE FROM usage_upstream_days WHERE day = ${day}`)
  await runSql(trx, `DELETE FROM usage_first_byte_days WHERE day = ${day}`)
  await runSql(
    trx,
    `INSERT INTO usage_upstream_days (day, provider, model, ${UPSTREAM_MEASURES.join(', ')})
      SELECT ${day}, provider, model, ${UPSTREAM_MEASURES.map((name) => sumOf(kind, name)).join(', ')} FROM (
        SELECT ${cut('u.provider')} AS provider, ${cut('u.provider_model')} AS model, 0 AS calls, 0 AS unpriced,
          ${tokens.map((name) => `${sumOf(kind, `u.${name}`)} AS ${name}`).join(', ')}, 0 AS cost
        FROM usage AS u WHERE ${within(period)} GROUP BY 1, 2
        UNION ALL
        SELECT ${cut('a.provider')} AS provider, ${cut('CASE WHEN a.provider = u.provider THEN u.provider_model ELSE a.model END')} AS model,
          count(*) AS calls, count(*) - count(a.cost) AS unpriced, ${tokens.map((name) => `0 AS ${name}`).join(', ')}, ${sumOf(kind, 'a.cost')} AS cost
        FROM usage AS u JOIN usage_attempts AS a ON a.at = u.at AND a.usage_id = u.id WHERE ${within(period)} GROUP BY 1, 2
      ) AS r GROUP BY provider, model`,
  )
  await runSql(
    trx,
    `INSERT INTO usage_first_byte_days (day, principal, ${FIRST_BYTE_CLASSES.join(', ')})
      SELECT ${day}, principal, ${FIRST_BYTE_CLASSES.map((name) => sumOf(kind, name)).join(', ')} FROM usage_first_byte_hours
      WHERE hour >= ${day} AND hour < ${day + 24 * HOUR} GROUP BY principal`,
  )
}

/** SQL of the sums of rows by their dimensions. */
function sumsOfRows(kind: DatabaseKind, period: RebuildPeriod): string {
  const names = DIMENSIONS.map((name) => `${own(name)} AS ${name}`)
  return `SELECT ${names.join(', ')}, ${rowSums(kind, 'u')} FROM ${GROUPED} WHERE ${within(period)} GROUP BY ${DIMENSIONS.map((_, at) => at + 1).join(', ')}`
}

/** Dimension of a row, also if its group is missing. */
function own(name: (typeof DIMENSIONS)[number]): string {
  return name === 'status' ? 'u.status' : `coalesce(g.${name}, substr(u.${name}, 1, ${LONGEST}))`
}

function within({ start, end }: RebuildPeriod): string {
  const bounds = [
    ...(Number.isFinite(start) ? [`u.at >= ${start}`] : []),
    ...(Number.isFinite(end) ? [`u.at < ${end}`] : []),
  ]
  return bounds.length > 0 ? bounds.join(' AND ') : '1 = 1'
}
