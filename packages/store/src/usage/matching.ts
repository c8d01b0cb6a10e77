import { type RawBuilder, sql } from 'kysely'
import type { StoreConnection } from '../database/connection.ts'
import type { TableRow } from '../schema/tables.ts'
import {
  all,
  type Conditions,
  isLong,
  ofDimensions,
  ofRows,
  ofRowsAlone,
  type RowFilters,
  TOKENS_OF_ROW,
} from './filters.ts'

/** Position of the last row of a page. */
export interface PageEnd {
  readonly at: number
  readonly id: string
  /** Value by which rows are sorted; absent = by time. */
  readonly value?: number | undefined
}

/** Order of rows: newest first, or the greatest value first. */
export type RowSort = 'newest' | keyof typeof SORTED

/** SQL of the values by which rows are sorted. Unknown values come last. */
const SORTED = {
  cost: 'COALESCE(cost, -1)',
  duration: 'duration_ms',
  tokens: `COALESCE(${TOKENS_OF_ROW}, -1)`,
} as const

export interface MatchingQuery {
  /** Start in whole Unix milliseconds, inclusive. */
  readonly from?: number | undefined
  /** End in whole Unix milliseconds, exclusive. */
  readonly to?: number | undefined
  readonly filters: RowFilters
  /** End of the previous page. */
  readonly before?: PageEnd | undefined
  readonly limit: number
}

/** Query whose range begins at the earliest possible row of its page. */
type NarrowedQuery = Omit<MatchingQuery, 'from'> & { readonly from?: number | bigint | undefined }

export type UsageRecord = TableRow<'usage'>

export interface MatchResult {
  readonly rows: UsageRecord[]
  /** Time down to which rows were searched, if the search stopped early. */
  readonly until?: number
}

const HOUR = 3_600_000
/** Maximum number of combinations to look up separately. Above it, the newest rows are tried first. */
const FEW_GROUPS = 300
/** Number of newest rows that are tried if many combinations match. */
const LOOKED_THROUGH = 3_000
/** Factor of rows to consider for the oldest row of a page: a quarter of the combinations must have their part. */
const QUARTERS = 4
/** Approximate maximum of rows to search by conditions without an index. Several rows can share a millisecond. */
export const SEARCHED = 20_000
/** Approximate maximum of rows to sort by another value than their time. */
const SORTED_ROWS = 100_000

/**
 * Newest matching rows, newest first.
 *
 * Rare matches are as fast as frequent ones: `usage_groups` lists the matching combinations, and each is looked up by
 * its own index, for as many rows as the page has. Conditions without an index search a bounded number of rows.
 */
export async function matching(connection: StoreConnection, query: MatchingQuery): Promise<MatchResult> {
  const { filters } = query
  const alone = [...ofRowsAlone(connection.kind, filters), ...(isLong(filters) ? ofRows(filters) : [])]
  const groups = ofDimensions(filters).length > 0 ? await matchingGroups(connection, query) : undefined
  if (groups?.length === 0) return { rows: [] }
  if (alone.length > 0) return searched(connection, query, groups, alone)
  if (!groups) return { rows: await newest(connection, query) }
  if (groups.length > FEW_GROUPS) {
    const from = await nth(connection, query, LOOKED_THROUGH)
    const near = await newest(connection, { ...query, from: from ?? query.from }, ofRows(filters))
    if (near.length === query.limit) return { rows: near }
  }
  return { rows: await ofGroups(connection, { ...query, from: await oldest(connection, query, groups) }, groups) }
}

/** Rows with the greatest values of a range, of which a bounded number of the newest rows is sorted. */
export async function greatest(
  connection: StoreConnection,
  query: MatchingQuery & { readonly sort: keyof typeof SORTED },
): Promise<MatchResult> {
  const { filters, before, limit, sort, ...range } = query
  const inRange = { ...range, filters, limit }
  const conditions = [...ofRows(filters), ...ofRowsAlone(connection.kind, filters)]
  const groups = ofDimensions(filters).length > 0 ? await matchingGroups(connection, inRange) : undefined
  if (groups?.length === 0) return { rows: [] }
  const few = groups && groups.length <= FEW_GROUPS ? groups : undefined
  const until = few
    ? (await nthOfGroups(connection, inRange, few, Math.ceil(SORTED_ROWS / few.length)))[0]
    : await nth(connection, inRange, SORTED_ROWS)
  const value = sql.raw<number>(SORTED[sort])
  const where = all([
    within({ ...inRange, from: until ?? range.from }),
    ...conditions,
    ...(few ? [sql<boolean>`group_id IN (SELECT g.id FROM ${groupList(connection.kind, few)})`] : []),
    ...(before ? [sql<boolean>`(${value}, at, id) < (${before.value ?? 0}, ${before.at}, ${before.id})`] : []),
  ])
  const page = sql<UsageRecord>`SELECT * FROM usage WHERE ${where} ORDER BY ${value} DESC, at DESC, id DESC LIMIT ${limit}`
  const { rows } = await page.execute(connection.db)
  return { rows, ...(until !== undefined && { until: Number(until) }) }
}

/** Value of a row by which it is sorted. */
export function sortValueOf(
  { cost, duration_ms, input, output }: Pick<UsageRecord, 'cost' | 'duration_ms' | 'input' | 'output'>,
  sort: keyof typeof SORTED,
): number {
  if (sort === 'cost') return Number(cost ?? -1)
  if (sort === 'duration') return Number(duration_ms)
  return input === null && output === null ? -1 : Number((input ?? 0n) + (output ?? 0n))
}

/** Rows by conditions without an index: in the rows of matching combinations if these are few, else in all rows. */
async function searched(
  connection: StoreConnection,
  query: MatchingQuery,
  groups: readonly bigint[] | undefined,
  alone: Conditions,
): Promise<MatchResult> {
  if (!groups || groups.length > FEW_GROUPS) {
    const until = await nth(connection, query, SEARCHED)
    const rows = await newest(connection, { ...query, from: until ?? query.from }, [...alone, ...ofRows(query.filters)])
    return { rows, ...(until !== undefined && { until: Number(until) }) }
  }
  const shares = await nthOfGroups(connection, query, groups, Math.ceil(SEARCHED / groups.length))
  const [until] = shares
  const rows = await ofGroups(connection, { ...query, from: until ?? query.from }, groups, alone)
  return { rows, ...(until !== undefined && { until: Number(until) }) }
}

/**
 * Earliest possible start of a row of the page. If many combinations have enough newer rows to fill the page, older
 * rows are not looked up. Uses the index only, without reading rows.
 */
async function oldest(
  connection: StoreConnection,
  query: MatchingQuery,
  groups: readonly bigint[],
): Promise<NarrowedQuery['from']> {
  const { limit, from } = query
  const each = Math.ceil((QUARTERS * limit) / groups.length)
  if (each >= limit) return from
  return (await nthOfGroups(connection, query, groups, each))[Math.ceil(limit / each) - 1] ?? from
}

/** Start of the nth newest row of each combination, latest first. Combinations with fewer rows are left out. */
async function nthOfGroups(
  { db, kind }: StoreConnection,
  query: MatchingQuery,
  groups: readonly bigint[],
  place: number,
): Promise<bigint[]> {
  const one = sql`SELECT at FROM usage WHERE group_id = g.id AND ${within(query)} ORDER BY at DESC LIMIT 1 OFFSET ${place - 1}`
  const found = await sql<{ at: bigint | null }>`SELECT (${one}) AS at FROM ${groupList(kind, groups)}`.execute(db)
  return found.rows.flatMap(({ at }) => (at === null ? [] : [at])).sort((first, other) => (first < other ? 1 : -1))
}

/** Combinations as rows `g` with an `id`. */
function groupList(kind: StoreConnection['kind'], groups: readonly bigint[]): RawBuilder<unknown> {
  if (kind === 'postgres') return sql`unnest(${groups.map(String)}::int8[]) AS g(id)`
  return sql`(SELECT value AS id FROM json_each(${`[${groups.join()}]`})) AS g`
}

/** Newest rows in the order of the primary key. Stops when the page is full. */
async function newest(
  { db }: StoreConnection,
  query: NarrowedQuery,
  conditions: Conditions = [],
): Promise<UsageRecord[]> {
  const page = sql<UsageRecord>`SELECT * FROM usage WHERE ${all([within(query), ...conditions])} ORDER BY at DESC, id DESC LIMIT ${query.limit}`
  return (await page.execute(db)).rows
}

/**
 * Start of the nth newest row of the range; undefined if there are fewer rows. Uses the primary key only, without
 * reading rows.
 */
async function nth({ db }: StoreConnection, query: MatchingQuery, place: number): Promise<bigint | undefined> {
  const one = sql<{
    at: bigint
  }>`SELECT at FROM usage WHERE ${within(query)} ORDER BY at DESC, id DESC LIMIT 1 OFFSET ${place - 1}`
  return (await one.execute(db)).rows[0]?.at
}

async function matchingGroups({ db }: StoreConnection, { from, filters }: MatchingQuery): Promise<bigint[]> {
  const since = from === undefined ? [] : [sql<boolean>`last_at > ${Math.floor(from) - HOUR}`]
  const groups = sql<{ id: bigint }>`SELECT id FROM usage_groups WHERE ${all([...since, ...ofDimensions(filters)])}`
  return (await groups.execute(db)).rows.map(({ id }) => id)
}

/** Newest rows of combinations: a full page of each by the index `usage_by_group`, then the newest of these. */
async function ofGroups(
  { db, kind }: StoreConnection,
  query: NarrowedQuery,
  groups: readonly bigint[],
  conditions: Conditions = [],
): Promise<UsageRecord[]> {
  const { limit } = query
  const own = sql`${all([within(query), ...conditions])} ORDER BY at DESC, id DESC LIMIT ${limit}`
  const page =
    kind === 'sqlite'
      ? sql<UsageRecord>`SELECT u.* FROM ${groupList(kind, groups)}
          JOIN usage AS u ON u.rowid IN (SELECT rowid FROM usage WHERE group_id = g.id AND ${own})
          ORDER BY u.at DESC, u.id DESC LIMIT ${limit}`
      : sql<UsageRecord>`SELECT u.* FROM ${groupList(kind, groups)}
          CROSS JOIN LATERAL (SELECT * FROM usage WHERE group_id = g.id AND ${own}) AS u ORDER BY u.at DESC, u.id DESC LIMIT ${limit}`
  return (await page.execute(db)).rows
}

function within({ from, to, before }: NarrowedQuery): RawBuilder<boolean> {
  return all([
    ...(from === undefined ? [] : [sql<boolean>`at >= ${from}`]),
    ...(to === undefined ? [] : [sql<boolean>`at < ${to}`]),
    ...(before ? [sql<boolean>`(at, id) < (${before.at}, ${before.id})`] : []),
  ])
}
