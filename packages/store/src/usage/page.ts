import { type RawBuilder, type Selectable, sql } from 'kysely'
import type { Connection } from '../database/connection.ts'
import { dimension } from '../database/group.ts'
import type { UsageTable } from '../database/tables.ts'
import { type StoredAttempt, type StoredUsage, storedAttempt, storedUsage } from './stored.ts'

/** Where a page ended: of its last row. */
export interface PageEnd {
  readonly at: number
  readonly id: string
}

export interface PageQuery {
  /** From this instant on, in whole Unix milliseconds. */
  readonly from?: number
  /** Before this instant. */
  readonly to?: number
  readonly principal?: string
  readonly model?: string
  readonly provider?: string
  readonly family?: string
  readonly status?: number
  /** Only what comes after the page that ended there. */
  readonly before?: PageEnd
  readonly limit: number
}

type Row = Selectable<UsageTable>

const HOUR = 3_600_000

/** So few combinations are looked up at once; of more, the newest rows may do. */
const FEW_GROUPS = 300
/** Newest rows that are looked through for what many combinations match. */
const LOOKED_THROUGH = 10_000

/**
 * The newest rows that match, newest first.
 *
 * Rare ones cost no more than frequent ones: `usage_groups` says which combinations match, and each of these is looked up by its own
 * index, for as many rows as the page has.
 */
export async function usagePage(connection: Connection, query: PageQuery): Promise<StoredUsage[]> {
  return (await matching(connection, query)).map(storedUsage)
}

/** The newest rows, newest first; with `principal`, those of one key. */
export function lastUsage(connection: Connection, limit: number, principal?: string): Promise<StoredUsage[]> {
  return usagePage(connection, { limit, ...(principal !== undefined && { principal }) })
}

/** The calls of upstreams that a row is made of, in their order. */
export async function attemptsOf({ db }: Connection, { at, id }: PageEnd): Promise<StoredAttempt[]> {
  const rows = await db
    .selectFrom('usage_attempts')
    .selectAll()
    .where('at', '=', BigInt(at))
    .where('usage_id', '=', id)
    .orderBy('position')
    .execute()
  return rows.map(storedAttempt)
}

async function matching(connection: Connection, query: PageQuery): Promise<Row[]> {
  const filters = filtersOf(query)
  if (filters.length === 0) return newest(connection, query, query.limit)
  const groups = await matchingGroups(connection, query)
  if (groups.length === 0) return []
  if (groups.length > FEW_GROUPS) {
    const near = await newest(connection, query, LOOKED_THROUGH, filters)
    if (near.length === query.limit) return near
  }
  return ofGroups(connection, query, await newestGroups(connection, query, groups, filters), filters)
}

/** Of many combinations, those that the page can be of: as many as it has rows, by the newest row of each. */
async function newestGroups(
  { db, kind }: Connection,
  query: PageQuery,
  groups: readonly bigint[],
  filters: readonly RawBuilder<boolean>[],
): Promise<readonly bigint[]> {
  if (groups.length <= query.limit) return groups
  const newest = sql`SELECT at FROM usage WHERE group_id = g.id AND ${within(query)} AND ${all(filters)} ORDER BY at DESC LIMIT 1`
  const heads = await sql<{
    id: bigint
    head: bigint | null
  }>`SELECT g.id AS id, (${newest}) AS head FROM ${groupList(kind, groups)}`.execute(db)
  const found = heads.rows
    .flatMap(({ id, head }) => (head === null ? [] : [{ id, head }]))
    .sort((one, other) => (one.head < other.head ? 1 : -1))
  const least = found[query.limit - 1]?.head
  return found.filter(({ head }) => least === undefined || head >= least).map(({ id }) => id)
}

/** Combinations as rows `g` with an `id`. */
function groupList(kind: Connection['kind'], groups: readonly bigint[]): RawBuilder<unknown> {
  if (kind === 'postgres') return sql`unnest(${groups.map(String)}::int8[]) AS g(id)`
  return sql`(SELECT value AS id FROM json_each(${`[${groups.join()}]`})) AS g`
}

/** By the key: the `count` newest of the range; with filters, those of them that match. */
async function newest({ db }: Connection, query: PageQuery, count: number, filters: readonly RawBuilder<boolean>[] = []): Promise<Row[]> {
  const rows = sql`SELECT * FROM usage WHERE ${within(query)} ORDER BY at DESC, id DESC LIMIT ${count}`
  if (filters.length === 0) return (await sql<Row>`${rows}`.execute(db)).rows
  const page = sql<Row>`SELECT * FROM (${rows}) AS u WHERE ${all(filters)} ORDER BY at DESC, id DESC LIMIT ${query.limit}`
  return (await page.execute(db)).rows
}

async function matchingGroups({ db }: Connection, { from, principal, model, provider, family, status }: PageQuery): Promise<bigint[]> {
  let groups = db.selectFrom('usage_groups').select('id')
  if (from !== undefined) groups = groups.where('last_at', '>', BigInt(Math.floor(from) - HOUR))
  if (principal !== undefined) groups = groups.where('principal', '=', dimension(principal))
  if (model !== undefined) groups = groups.where('model', '=', dimension(model))
  if (provider !== undefined) groups = groups.where('provider', '=', dimension(provider))
  if (family !== undefined) groups = groups.where('family', '=', dimension(family))
  if (status !== undefined) groups = groups.where('status', '=', BigInt(status))
  return (await groups.execute()).map(({ id }) => id)
}

/** By `usage_by_group`: of each combination as many as the page has, and the newest of these. */
async function ofGroups(
  { db, kind }: Connection,
  query: PageQuery,
  groups: readonly bigint[],
  filters: readonly RawBuilder<boolean>[],
): Promise<Row[]> {
  const { limit } = query
  const own = sql`${within(query)} AND ${all(filters)} ORDER BY at DESC, id DESC LIMIT ${limit}`
  const page =
    kind === 'sqlite'
      ? sql<Row>`SELECT u.* FROM ${groupList(kind, groups)}
          JOIN usage AS u ON u.rowid IN (SELECT rowid FROM usage WHERE group_id = g.id AND ${own})
          ORDER BY u.at DESC, u.id DESC LIMIT ${limit}`
      : sql<Row>`SELECT u.* FROM ${groupList(kind, groups)}
          CROSS JOIN LATERAL (SELECT * FROM usage WHERE group_id = g.id AND ${own}) AS u ORDER BY u.at DESC, u.id DESC LIMIT ${limit}`
  return (await page.execute(db)).rows
}

function within({ from, to, before }: PageQuery): RawBuilder<boolean> {
  return all([
    ...(from === undefined ? [] : [sql<boolean>`at >= ${from}`]),
    ...(to === undefined ? [] : [sql<boolean>`at < ${to}`]),
    ...(before ? [sql<boolean>`(at, id) < (${before.at}, ${before.id})`] : []),
  ])
}

/** Of a name that is too long for a group, only the row itself knows the end. */
function filtersOf({ principal, model, provider, family, status }: PageQuery): RawBuilder<boolean>[] {
  return Object.entries({ principal, model, provider, family, status }).flatMap(([name, value]) =>
    value === undefined ? [] : [sql<boolean>`${sql.ref(name)} = ${value}`],
  )
}

function all(conditions: readonly RawBuilder<boolean>[]): RawBuilder<boolean> {
  return conditions.length > 0 ? sql`(${sql.join(conditions, sql` AND `)})` : sql`TRUE`
}
