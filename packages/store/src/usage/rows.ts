import type { StoreConnection } from '../database/connection.ts'
import { cursorOf, readCursor } from './cursor.ts'
import type { UsageFilters } from './filters.ts'
import { matching, type UsageRecord } from './matching.ts'
import { ownersOf, type RowOwner, UNKNOWN_OWNER } from './owners.ts'
import { FIRST_ID } from './page.ts'
import { type StoredUsage, storedUsage } from './stored.ts'

/** Budget or rate limit that refused a request. */
export interface RefusingLimit {
  readonly kind: 'budget' | 'rate-limit'
  readonly id: string
}

/** Usage row with the owners of its key. */
export interface OwnedUsage extends StoredUsage, RowOwner {
  /** Limit that refused the request; absent for other requests. */
  readonly limit?: RefusingLimit | undefined
}

export interface RowsQuery {
  /** Start in whole Unix milliseconds, inclusive. */
  readonly from?: number | undefined
  /** End in whole Unix milliseconds, exclusive. */
  readonly to?: number | undefined
  readonly filters?: UsageFilters | undefined
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
export async function usageRows(
  connection: StoreConnection,
  { from, to, filters = {}, limit, cursor }: RowsQuery,
): Promise<UsageRows> {
  const before = cursor === undefined ? undefined : readCursor(cursor, filters)
  const found = await matching(connection, { from, to, filters, before, limit: limit + 1 })
  const rows = await withOwners(connection, found.rows.slice(0, limit))
  const last = rows.at(-1)
  if (found.rows.length > limit && last) return { rows, cursor: cursorOf(last, filters) }
  const { until } = found
  return until === undefined
    ? { rows }
    : { rows, cursor: cursorOf({ at: until, id: FIRST_ID }, filters), searchedUntil: until }
}

/** Rows with the owners of their keys. */
export async function withOwners(connection: StoreConnection, records: readonly UsageRecord[]): Promise<OwnedUsage[]> {
  if (records.length === 0) return []
  const owners = await ownersOf(
    connection,
    records.map(({ principal }) => principal),
  )
  return records.map((record) => ({ ...storedUsage(record), ...(owners.get(record.principal) ?? UNKNOWN_OWNER) }))
}

/** Rows of a page of `usageEach`. */
const PAGE = 1_000

/**
 * All rows of a range, newest first, in pages that are read on demand. Nothing stays open between pages. Rows that are
 * added meanwhile before the current position are left out.
 */
export async function* usageEach(
  read: (query: RowsQuery) => Promise<UsageRows>,
  query: Pick<RowsQuery, 'from' | 'to' | 'filters'>,
): AsyncGenerator<readonly OwnedUsage[], void, undefined> {
  let cursor: string | undefined
  do {
    const page: UsageRows = await read({ ...query, limit: PAGE, cursor })
    if (page.rows.length > 0) yield page.rows
    cursor = page.cursor
  } while (cursor !== undefined)
}
