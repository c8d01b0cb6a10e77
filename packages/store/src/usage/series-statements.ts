import { type RawBuilder, sql } from 'kysely'
import { dayAt, hourAt } from '../database/zone.ts'
import { MEASURES } from '../schema/usage.ts'
import type { SeriesQuery } from './series-query.ts'
import { minuteAt, type SeriesSource } from './series-source.ts'

/** SQL of the sum of a measure. @param value SQL of the measure in a row `u` */
export type SumOf = (measure: string, value: string) => string

/** Summed columns. */
export const SUMMED = [...MEASURES, 'failed'] as const
const DAY = 86_400_000
/** Longest list of days. */
const LISTED_DAYS = 400

/** Sums of all groups by period and names. */
export function allGroups(query: SeriesQuery, source: SeriesSource, sum: SumOf): RawBuilder<unknown> {
  const { names, where } = source
  const columns = columnsOf(source)
  const listed = sql.join(names.map((name, index) => sql`${name} AS ${columns[index]}`))
  const grouped = sql.raw(['period', ...names].map((_, index) => index + 1).join())
  return sql`SELECT ${periodOf(query)} AS period, ${listed}, ${sumsOf(source.failed, sum)} FROM ${tableOf(source)}${ownersOf(source)}
    WHERE ${within(query)} AND ${where} GROUP BY ${grouped} ORDER BY period, ${sql.join(columns)}`
}

/**
 * Sums of the groups with the highest charges by period and names, and totals of each period with `is_total` 1. The
 * names are found by two measures only, and only their rows are summed.
 */
export function topGroups(query: SeriesQuery, source: SeriesSource, sum: SumOf): RawBuilder<unknown> {
  const { where, isOwned, totals } = source
  const columns = columnsOf(source)
  const own = sql.join(columns.map((name) => sql`k.${name}`))
  const chosen = isOwned
    ? sql`SELECT p.id, ${sql.join(columns.map((name) => sql`t.${name}`))} FROM t JOIN principals AS p ON ${joined(source, 'p')}`
    : sql`SELECT ${sql.join(columns.map((name) => sql`t.${name}`))} FROM t`
  const ofTotals = { ...source, ...totals }
  const none = sql.join(columns.map((name) => sql`NULL AS ${name}`))
  const from = isNarrow(query)
    ? sql`k JOIN ${tableOf(source)} ON ${joined(source, 'u')} WHERE ${listedDays(query)}`
    : // SQLite reads the tables of a cross join in this order.
      sql`${tableOf(source)} CROSS JOIN k WHERE ${joined(source, 'u')} AND ${within(query)}`
  return sql`WITH t AS MATERIALIZED (${topNames(query, source, sum)}), k AS MATERIALIZED (${chosen})
    SELECT ${periodOf(query)} AS period, 0 AS is_total, ${own}, ${sumsOf(source.failed, sum)}
    FROM ${from} AND ${where} GROUP BY ${periodOf(query)}, ${own}
    UNION ALL
    SELECT ${periodOf(query)} AS period, 1 AS is_total, ${none}, ${sumsOf(totals.failed, sum)} FROM ${tableOf(ofTotals)}
    WHERE ${within(query)} AND ${where} GROUP BY ${periodOf(query)}
    ORDER BY 1, 2, ${sql.raw(columns.map((_, index) => index + 3).join())}`
}

/** Names of the groups with the highest charges. Unknown owners and the rest of tags belong to the rest. */
function topNames(query: SeriesQuery, source: SeriesSource, sum: SumOf): RawBuilder<unknown> {
  const { names, isUnknown, rest, isOwned, where } = source
  const columns = columnsOf(source)
  const apart = names.flatMap((name, index) => (isUnknown[index] || rest === '' ? [sql`${name} <> ''`] : []))
  const owners = isOwned ? sql` JOIN principals AS p ON p.id = u.principal` : sql``
  const listed = sql.join(names.map((name, index) => sql`${name} AS ${columns[index]}`))
  const most = sql.join(['charged', 'requests'].map((name) => sql`${sql.raw(sum(name, `u.${name}`))} DESC`))
  return sql`SELECT ${listed} FROM ${tableOf(source)}${owners}
    WHERE ${sql.join([within(query), where, ...apart], sql` AND `)} GROUP BY ${sql.raw(names.map((_, index) => index + 1).join())}
    ORDER BY ${most}, ${sql.raw(names.map((_, index) => index + 1).join())} LIMIT ${query.top}`
}

/** Condition that joins rows `u` with the chosen groups `k`, or owners `p` with the top names `t`. */
function joined({ names, isUnknown, isOwned }: SeriesSource, to: 'u' | 'p'): RawBuilder<unknown> {
  const ofNames = names.flatMap((name, index) => {
    const column = sql.ref(`n${index}`)
    if (isUnknown[index]) return to === 'p' ? [sql`${name} = t.${column}`] : []
    return to === 'u' ? [sql`${name} = k.${column}`] : []
  })
  return sql.join([...(isOwned && to === 'u' ? [sql`u.principal = k.id`] : []), ...ofNames], sql` AND `)
}

export function columnsOf({ names }: SeriesSource): readonly RawBuilder<unknown>[] {
  return names.map((_, index) => sql.ref(`n${index}`))
}

export function sumsOf(failed = '0', sum: SumOf): RawBuilder<unknown> {
  const sums = SUMMED.map((name) => sum(name, name === 'failed' ? failed : `u.${name}`))
  return sql.join(sums.map((value, index) => sql`${sql.raw(value)} AS ${sql.ref(SUMMED[index] ?? '')}`))
}

function tableOf({ table, made = sql.table(table) }: Pick<SeriesSource, 'table' | 'made'>): RawBuilder<unknown> {
  return sql`${made} AS u`
}

export function ownersOf({ isOwned }: SeriesSource): RawBuilder<unknown> {
  return isOwned ? sql` LEFT JOIN principals AS p ON p.id = u.principal` : sql``
}

function periodOf({ step }: SeriesQuery): RawBuilder<unknown> {
  return sql`u.${sql.ref(step)}`
}

function within({ from, to, step, zone = 'UTC' }: SeriesQuery): RawBuilder<boolean> {
  if (step === 'minute') return sql<boolean>`u.minute >= ${minuteAt(from)} AND u.minute < ${to}`
  if (step === 'hour') return sql<boolean>`u.hour >= ${hourAt(from)} AND u.hour < ${to}`
  return sql<boolean>`u.day >= ${dayAt(zone, from).date} AND u.day <= ${dayAt(zone, to - 1).date}`
}

/** True if the top groups have few keys, so that the rows of each day and key are looked up. */
function isNarrow({ from, to, step, by }: SeriesQuery): boolean {
  const has = (...names: readonly string[]) => (Array.isArray(by) ? by : [by]).some((one) => names.includes(one))
  return step === 'day' && to - from <= LISTED_DAYS * DAY && has('key', 'project', 'member') && !has('environment')
}

/** Days of a range as a list, with which an index by day and key is used. */
function listedDays({ from, to, zone = 'UTC' }: SeriesQuery): RawBuilder<boolean> {
  const last = dayAt(zone, to - 1).date
  const days = [dayAt(zone, from).date]
  for (let day = days[0] ?? last; day < last; days.push(day))
    day = new Date(Date.parse(day) + DAY).toISOString().slice(0, 10)
  return sql<boolean>`u.day IN (${sql.join(days)})`
}
