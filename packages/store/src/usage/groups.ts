import { type RawBuilder, sql } from 'kysely'
import type { StoreConnection } from '../database/connection.ts'
import { sumOf } from '../database/sum.ts'
import { TABLES } from '../schema/tables.ts'
import { FAILED_REQUESTS, MEASURES } from '../schema/usage.ts'
import { partsOf, type RangePart } from './range-parts.ts'
import { isOverflow, point, type SeriesPoint, type SeriesRecord, usedOf, withMemory } from './series.ts'
import type { SeriesQuery } from './series-query.ts'
import { rowsBetween, type SeriesSource, sourceOf } from './series-source.ts'
import { columnsOf, ownersOf, SUMMED, type SumOf, sumsOf } from './series-statements.ts'

export interface GroupsQuery extends Pick<SeriesQuery, 'from' | 'to' | 'by' | 'filters' | 'zone'> {
  /** Maximum number of groups, those with the highest charges; all others are one group. */
  readonly limit: number
}

/**
 * Usage of a range by group, highest charge first, with the rest last. Exact for any range: whole days are read from
 * daily sums, whole hours around them from hourly sums, and the remaining minutes from rows. Sums by tag cover whole
 * hours.
 * @returns a point for each group, whose `start` is the start of the range
 * @throws HeadgateError `invalid-request` for an invalid combination of dimensions or filters
 */
export async function usageGroups(connection: StoreConnection, query: GroupsQuery): Promise<SeriesPoint[]> {
  const asked: SeriesQuery = { ...query, step: 'day', top: undefined }
  const source = sourceOf(connection.kind, asked)
  const parts = partsOf(query, Date.now())
  const hasDays = parts.some(({ kind }) => kind === 'days') && source.table !== 'usage_model_days'
  const used = hasDays ? await usedOf(connection, asked) : undefined
  const read = (sum: (value: string) => string) =>
    grouped(connection, query, source, parts, (name, value) => (used?.has(name) === false ? '0' : sum(value)))
  const rows = await read((value) => `sum(${value})`).catch((error: unknown) => {
    if (!isOverflow(error)) throw error
    return read((value) => sumOf(connection.kind, value))
  })
  return rows.map((row) => point(row, 'hour', source, () => query.from))
}

async function grouped(
  connection: StoreConnection,
  { limit }: GroupsQuery,
  source: SeriesSource,
  parts: readonly RangePart[],
  sum: SumOf,
): Promise<SeriesRecord[]> {
  const { names, where } = source
  const columns = columnsOf(source)
  const listed = sql.join(names.map((name, index) => sql`${name} AS ${columns[index]}`))
  const sums = sumsOf(source.failed === undefined ? undefined : 'u.failed', sum)
  const from = sql`(${sql.join(
    parts.map((part) => selected(connection.kind, source, part)),
    sql` UNION ALL `,
  )}) AS u`
  const places = sql.raw(names.map((_, index) => index + 1).join())
  const statement = sql<SeriesRecord>`SELECT ${listed}, ${sums} FROM ${from}${ownersOf(source)}
    WHERE ${where} GROUP BY ${places} ORDER BY charged DESC, requests DESC, ${places} LIMIT ${limit + 1}`
  const rows = await withMemory(connection, (db) => statement.execute(db))
  if (rows.length <= limit) return rows
  const top = rows.slice(0, limit)
  const total = await sql<SeriesRecord>`SELECT ${sums} FROM ${from} WHERE ${where}`.execute(connection.db)
  return [...top, { ...restOf(total.rows[0] ?? {}, top), isRest: true }]
}

/** Difference of the total and the sum of some groups. */
function restOf(total: SeriesRecord, groups: readonly SeriesRecord[]): SeriesRecord {
  const rest = SUMMED.map((name) =>
    groups.reduce((sum, row) => sum - BigInt(String(row[name])), BigInt(String(total[name] ?? 0))),
  )
  return Object.fromEntries(SUMMED.map((name, index) => [name, rest[index]]))
}

/** Dimensions and measures of a part of the range. */
function selected(
  kind: StoreConnection['kind'],
  { table, failed }: SeriesSource,
  part: RangePart,
): RawBuilder<unknown> {
  const isTag = table === 'usage_tag_days'
  const dimensions = dimensionsIn(table)
  const columns = sql.join([...dimensions, ...MEASURES].map((name) => sql`u.${sql.ref(name)}`))
  const list = (value: string | undefined) => sql`SELECT ${columns}, ${sql.raw(value ?? '0')} AS failed`
  if (part.kind === 'days')
    return sql`${list(failed)} FROM ${sql.table(table)} AS u WHERE u.day >= ${part.first} AND u.day <= ${part.last}`
  const status = isTag ? undefined : FAILED_REQUESTS
  if (part.kind === 'hours')
    return sql`${list(status)} FROM ${sql.table(isTag ? 'usage_tag_hours' : 'usage_hours')} AS u WHERE u.hour >= ${part.from} AND u.hour < ${part.to}`
  return sql`${list(status)} FROM ${rowsBetween(kind, part)} AS u`
}

/** Dimensions of a daily roll-up. */
function dimensionsIn(table: string): readonly string[] {
  const known = Object.entries(TABLES).find(([name]) => name === table)
  const others: ReadonlySet<string> = new Set(['day', ...SUMMED])
  return Object.keys(known?.[1].columns ?? {}).filter((name) => !others.has(name))
}
