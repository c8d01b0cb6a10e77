import { type RawBuilder, type Selectable, sql } from 'kysely'
import type { Connection } from '../database/connection.ts'
import { dimension, LONGEST, storable } from '../database/group.ts'
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

/** A query whose range begins where its page can. */
type Narrowed = Omit<PageQuery, 'from'> & { readonly from?: number | bigint | undefined }

type Row = Selectable<UsageTable>
type Filters = readonly RawBuilder<boolean>[]

const HOUR = 3_600_000

/** So few combinations are looked up at once; of more, the newest rows may do. */
const FEW_GROUPS = 300
/** Newest rows that are looked through for what many combinations match. */
const LOOKED_THROUGH = 3_000
/** In how many times as many rows as a page has it is looked for its oldest: a quarter of the combinations has to have its share. */
const QUARTERS = 4

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
  if (filtersOf(query).length === 0) return newest(connection, query)
  const groups = await matchingGroups(connection, query)
  if (groups.length === 0) return []
  const filters = isLong(query) ? filtersOf(query) : []
  if (groups.length > FEW_GROUPS) {
    const near = await newest(connection, { ...query, from: await nearStart(connection, query) }, filtersOf(query))
    if (near.length === query.limit) return near
  }
  return ofGroups(connection, { ...query, from: await oldest(connection, query, groups, filters) }, groups, filters)
}

/**
 * An instant that no row of the page began before. Where so many combinations have so many rows that began then or later that these
 * fill the page, older ones are not looked up: with the index alone, rows are not read.
 */
async function oldest({ db, kind }: Connection, query: PageQuery, groups: readonly bigint[], filters: Filters): Promise<Narrowed['from']> {
  const { limit, from } = query
  const each = Math.ceil((QUARTERS * limit) / groups.length)
  if (each >= limit) return from
  const nth = sql`SELECT at FROM usage WHERE group_id = g.id AND ${all([within(query), ...filters])} ORDER BY at DESC LIMIT 1 OFFSET ${each - 1}`
  const found = await sql<{ at: bigint | null }>`SELECT (${nth}) AS at FROM ${groupList(kind, groups)}`.execute(db)
  const instants = found.rows.flatMap(({ at }) => (at === null ? [] : [at])).sort((one, other) => (one < other ? 1 : -1))
  return instants[Math.ceil(limit / each) - 1] ?? from
}

/** Combinations as rows `g` with an `id`. */
function groupList(kind: Connection['kind'], groups: readonly bigint[]): RawBuilder<unknown> {
  if (kind === 'postgres') return sql`unnest(${groups.map(String)}::int8[]) AS g(id)`
  return sql`(SELECT value AS id FROM json_each(${`[${groups.join()}]`})) AS g`
}

/** By the key, and no further than it takes. */
async function newest({ db }: Connection, query: Narrowed, filters: Filters = []): Promise<Row[]> {
  const page = sql<Row>`SELECT * FROM usage WHERE ${all([within(query), ...filters])} ORDER BY at DESC, id DESC LIMIT ${query.limit}`
  return (await page.execute(db)).rows
}

/** When the newest rows of the range begin that are looked through. From the key alone: the rows themselves are not read. */
async function nearStart({ db }: Connection, query: PageQuery): Promise<Narrowed['from']> {
  const nth = sql<{ at: bigint }>`SELECT at FROM usage WHERE ${within(query)} ORDER BY at DESC, id DESC LIMIT 1 OFFSET ${LOOKED_THROUGH}`
  const [found] = (await nth.execute(db)).rows
  return found?.at ?? query.from
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
async function ofGroups({ db, kind }: Connection, query: Narrowed, groups: readonly bigint[], filters: Filters): Promise<Row[]> {
  const { limit } = query
  const own = sql`${all([within(query), ...filters])} ORDER BY at DESC, id DESC LIMIT ${limit}`
  const page =
    kind === 'sqlite'
      ? sql<Row>`SELECT u.* FROM ${groupList(kind, groups)}
          JOIN usage AS u ON u.rowid IN (SELECT rowid FROM usage WHERE group_id = g.id AND ${own})
          ORDER BY u.at DESC, u.id DESC LIMIT ${limit}`
      : sql<Row>`SELECT u.* FROM ${groupList(kind, groups)}
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

/** Of a name that is too long for a group, only the row itself knows the end. */
function isLong({ principal, model, provider, family }: PageQuery): boolean {
  return [principal, model, provider, family].some((name) => name !== undefined && name.length >= LONGEST)
}

function filtersOf({ principal, model, provider, family, status }: PageQuery): Filters {
  return Object.entries({ principal, model, provider, family, status }).flatMap(([name, value]) =>
    value === undefined ? [] : [sql<boolean>`${sql.ref(name)} = ${typeof value === 'string' ? storable(value) : value}`],
  )
}

function all(conditions: readonly RawBuilder<boolean>[]): RawBuilder<boolean> {
  return conditions.length > 0 ? sql`(${sql.join(conditions, sql` AND `)})` : sql`TRUE`
}
