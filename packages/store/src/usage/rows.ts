import type { StoreConnection } from '../database/connection.ts'
import { isOnlyRefused, mayBeRefused, refusedRows, type StoredRefusal } from '../refusals/rows.ts'
import { type CursorQuery, cursorOf, readCursor } from './cursor.ts'
import type { RowFilters } from './filters.ts'
import { greatest, type MatchingQuery, matching, type RowSort, sortValueOf, type UsageRecord } from './matching.ts'
import { ownersOf, type RowOwner, UNKNOWN_OWNER } from './owners.ts'
import { FIRST_ID } from './page.ts'
import { type StoredUsage, storedUsage } from './stored.ts'

/** Usage row with the owners of its key. */
export interface OwnedUsage extends StoredRefusal, RowOwner {}

export interface RowsQuery {
  /** Start in whole Unix milliseconds, inclusive. */
  readonly from?: number | undefined
  /** End in whole Unix milliseconds, exclusive. */
  readonly to?: number | undefined
  readonly filters?: RowFilters | undefined
  /** Order; default `newest`. Another order searches a bounded number of rows, without requests that had no call. */
  readonly sort?: RowSort | undefined
  /** False to leave out requests without calls of a provider; default true. */
  readonly refused?: boolean | undefined
  /** Maximum number of rows. */
  readonly limit: number
  /** Cursor of the previous page, with the same filters. */
  readonly cursor?: string | undefined
}

export interface UsageRows {
  /** Rows, newest first. A page can have fewer rows than the limit, or none, and still have a cursor. */
  readonly rows: readonly OwnedUsage[]
  /** Cursor of the next page; absent on the last page. */
  readonly cursor?: string
  /**
   * Unix milliseconds down to which rows were searched, if a filter without an index ended the search before the page
   * was full.
   */
  readonly searchedUntil?: number
}

/** Rows of a range, in pages. @throws HeadgateError `invalid-request` for an invalid cursor */
export async function usageRows(connection: StoreConnection, query: RowsQuery): Promise<UsageRows> {
  const { from, to, filters = {}, limit, cursor, sort = 'newest', refused = true } = query
  const list: CursorQuery = { filters, sort, refused }
  const before = cursor === undefined ? undefined : readCursor(cursor, list)
  const range: MatchingQuery = { from, to, filters, before, limit: limit + 1 }
  if (sort !== 'newest') return sortedRows(connection, range, sort, list)
  const withRefused = refused && mayBeRefused(filters)
  const found = isOnlyRefused(filters) ? { rows: [] } : await matching(connection, range)
  const { until } = found
  const others = withRefused ? await refusedRows(connection, { ...range, from: until ?? from }) : []
  const rows = merged(found.rows.map(storedUsage), others)
  const page = await ownedRows(connection, rows.slice(0, limit))
  const last = page.at(-1)
  if (rows.length > limit && last) return { rows: page, cursor: cursorOf(last, list) }
  return until === undefined
    ? { rows: page }
    : { rows: page, cursor: cursorOf({ at: until, id: FIRST_ID }, list), searchedUntil: until }
}

/** Rows with the greatest values, in pages. */
async function sortedRows(
  connection: StoreConnection,
  range: MatchingQuery,
  sort: Exclude<RowSort, 'newest'>,
  list: CursorQuery,
): Promise<UsageRows> {
  const { rows: records, until } = await greatest(connection, { ...range, sort })
  const shown = records.slice(0, range.limit - 1)
  const rows = await withOwners(connection, shown)
  const [last, record] = [rows.at(-1), shown.at(-1)]
  const isMore = records.length > shown.length && last && record
  return {
    rows,
    ...(isMore && { cursor: cursorOf({ at: last.at, id: last.id, value: sortValueOf(record, sort) }, list) }),
    ...(until !== undefined && { searchedUntil: until }),
  }
}

/** Rows of two lists that are sorted newest first. */
function merged(rows: readonly StoredUsage[], others: readonly StoredRefusal[]): readonly StoredRefusal[] {
  if (others.length === 0) return rows
  return [...rows, ...others].sort((one, other) => other.at - one.at || (one.id < other.id ? 1 : -1))
}

/** Rows with the owners of their keys. */
export function withOwners(connection: StoreConnection, records: readonly UsageRecord[]): Promise<OwnedUsage[]> {
  return ownedRows(connection, records.map(storedUsage))
}

/** Read rows with the owners of their keys. */
export async function ownedRows(connection: StoreConnection, rows: readonly StoredRefusal[]): Promise<OwnedUsage[]> {
  if (rows.length === 0) return []
  const owners = await ownersOf(
    connection,
    rows.map(({ principal }) => principal),
  )
  return rows.map((row) => ({ ...row, ...(owners.get(row.principal) ?? UNKNOWN_OWNER) }))
}

/** Rows of a page of `usageEach`. */
const PAGE = 1_000

/**
 * All rows of a range, newest first, in pages that are read on demand. Nothing stays open between pages. Rows that are
 * added meanwhile before the current position are left out.
 */
export async function* usageEach(
  read: (query: RowsQuery) => Promise<UsageRows>,
  query: Pick<RowsQuery, 'from' | 'to' | 'filters' | 'refused'>,
): AsyncGenerator<readonly OwnedUsage[], void, undefined> {
  let cursor: string | undefined
  do {
    const page: UsageRows = await read({ ...query, limit: PAGE, cursor })
    if (page.rows.length > 0) yield page.rows
    cursor = page.cursor
  } while (cursor !== undefined)
}
