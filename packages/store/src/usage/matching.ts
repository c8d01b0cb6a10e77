import { type RawBuilder, sql } from 'kysely'
import type { Connection } from '../database/connection.ts'
import type { Row } from '../schema/tables.ts'
import { all, type Conditions, isLong, ofDimensions, ofRows, ofRowsAlone, type UsageFilters } from './filters.ts'

/** Where a page ended: of its last row. */
export interface PageEnd {
  readonly at: number
  readonly id: string
}

export interface MatchingQuery {
  /** From this instant on, in whole Unix milliseconds. */
  readonly from?: number | undefined
  /** Before this instant. */
  readonly to?: number | undefined
  readonly filters: UsageFilters
  /** Only what comes after the page that ended there. */
  readonly before?: PageEnd | undefined
  readonly limit: number
}

/** A query whose range begins where its page can. */
type Narrowed = Omit<MatchingQuery, 'from'> & { readonly from?: number | bigint | undefined }

export type UsageRecord = Row<'usage'>

export interface Matching {
  readonly rows: UsageRecord[]
  /** The instant until which rows were looked through, where that was not all. */
  readonly until?: number
}

const HOUR = 3_600_000
/** So few combinations are looked up at once; of more, the newest rows may do. */
const FEW_GROUPS = 300
/** Newest rows that are looked through for what many combinations match. */
const LOOKED_THROUGH = 3_000
/**
 * In how many times as many rows as a page has it is looked for its oldest: a quarter of the combinations has to have
 * its share.
 */
const QUARTERS = 4
/** Most rows that are looked through for what only they know, about: some may begin in the same millisecond. */
export const SEARCHED = 20_000

/**
 * The newest rows that match, newest first.
 *
 * Rare ones cost no more than frequent ones: `usage_groups` says which combinations match, and each of these is looked
 * up by its own index, for as many rows as the page has. What only rows know is looked for in a bounded number of them.
 */
export async function matching(connection: Connection, query: MatchingQuery): Promise<Matching> {
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

/** Where few combinations match, in their rows, else in all. */
async function searched(
  connection: Connection,
  query: MatchingQuery,
  groups: readonly bigint[] | undefined,
  alone: Conditions,
): Promise<Matching> {
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
 * An instant that no row of the page began before. Where so many combinations have so many rows that began then or
 * later that these fill the page, older ones are not looked up: with the index alone, rows are not read.
 */
async function oldest(
  connection: Connection,
  query: MatchingQuery,
  groups: readonly bigint[],
): Promise<Narrowed['from']> {
  const { limit, from } = query
  const each = Math.ceil((QUARTERS * limit) / groups.length)
  if (each >= limit) return from
  return (await nthOfGroups(connection, query, groups, each))[Math.ceil(limit / each) - 1] ?? from
}

/** When the nth newest row of each combination began, latest first. Those that have fewer are left out. */
async function nthOfGroups(
  { db, kind }: Connection,
  query: MatchingQuery,
  groups: readonly bigint[],
  place: number,
): Promise<bigint[]> {
  const one = sql`SELECT at FROM usage WHERE group_id = g.id AND ${within(query)} ORDER BY at DESC LIMIT 1 OFFSET ${place - 1}`
  const found = await sql<{ at: bigint | null }>`SELECT (${one}) AS at FROM ${groupList(kind, groups)}`.execute(db)
  return found.rows.flatMap(({ at }) => (at === null ? [] : [at])).sort((first, other) => (first < other ? 1 : -1))
}

/** Combinations as rows `g` with an `id`. */
function groupList(kind: Connection['kind'], groups: readonly bigint[]): RawBuilder<unknown> {
  if (kind === 'postgres') return sql`unnest(${groups.map(String)}::int8[]) AS g(id)`
  return sql`(SELECT value AS id FROM json_each(${`[${groups.join()}]`})) AS g`
}

/** By the key, and no further than it takes. */
async function newest({ db }: Connection, query: Narrowed, conditions: Conditions = []): Promise<UsageRecord[]> {
  const page = sql<UsageRecord>`SELECT * FROM usage WHERE ${all([within(query), ...conditions])} ORDER BY at DESC, id DESC LIMIT ${query.limit}`
  return (await page.execute(db)).rows
}

/**
 * When the nth newest row of the range began; undefined where there are fewer. From the key alone: the rows themselves
 * are not read.
 */
async function nth({ db }: Connection, query: MatchingQuery, place: number): Promise<bigint | undefined> {
  const one = sql<{
    at: bigint
  }>`SELECT at FROM usage WHERE ${within(query)} ORDER BY at DESC, id DESC LIMIT 1 OFFSET ${place - 1}`
  return (await one.execute(db)).rows[0]?.at
}

async function matchingGroups({ db }: Connection, { from, filters }: MatchingQuery): Promise<bigint[]> {
  const since = from === undefined ? [] : [sql<boolean>`last_at > ${Math.floor(from) - HOUR}`]
  const groups = sql<{ id: bigint }>`SELECT id FROM usage_groups WHERE ${all([...since, ...ofDimensions(filters)])}`
  return (await groups.execute(db)).rows.map(({ id }) => id)
}

/** By `usage_by_group`: of each combination as many as the page has, and the newest of these. */
async function ofGroups(
  { db, kind }: Connection,
  query: Narrowed,
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

function within({ from, to, before }: Narrowed): RawBuilder<boolean> {
  return all([
    ...(from === undefined ? [] : [sql<boolean>`at >= ${from}`]),
    ...(to === undefined ? [] : [sql<boolean>`at < ${to}`]),
    ...(before ? [sql<boolean>`(at, id) < (${before.at}, ${before.id})`] : []),
  ])
}
