import type { Connection } from '../database/connection.ts'
import { cursorOf, readCursor } from './cursor.ts'
import type { UsageFilters } from './filters.ts'
import { matching, type UsageRecord } from './matching.ts'
import { NOBODY, ownersOf, type RowOwner } from './owners.ts'
import { FIRST_ID } from './page.ts'
import { type StoredUsage, storedUsage } from './stored.ts'

/** A row, and whose key it was. */
export interface OwnedUsage extends StoredUsage, RowOwner {}

export interface RowsQuery {
  /** From this instant on, in whole Unix milliseconds. */
  readonly from?: number | undefined
  /** Before this instant. */
  readonly to?: number | undefined
  readonly filters?: UsageFilters | undefined
  /** Most rows. */
  readonly limit: number
  /** Of the page before, with the same filters. */
  readonly cursor?: string | undefined
}

export interface UsageRows {
  /** Newest first. There may be fewer than the limit, or none, and a cursor all the same. */
  readonly rows: readonly OwnedUsage[]
  /** For the next page; absent where there is none. */
  readonly cursor?: string
  /**
   * Unix milliseconds: so far back it was looked, where a filter that no index serves has ended the search before the
   * page was full.
   */
  readonly searchedUntil?: number
}

/** Rows of a range, in pages. @throws HeadgateError `invalid-request` for a cursor that is none. */
export async function usageRows(
  connection: Connection,
  { from, to, filters = {}, limit, cursor }: RowsQuery,
): Promise<UsageRows> {
  const before = cursor === undefined ? undefined : readCursor(cursor, filters)
  const found = await matching(connection, { from, to, filters, before, limit: limit + 1 })
  const rows = await owned(connection, found.rows.slice(0, limit))
  const last = rows.at(-1)
  if (found.rows.length > limit && last) return { rows, cursor: cursorOf(last, filters) }
  const { until } = found
  return until === undefined
    ? { rows }
    : { rows, cursor: cursorOf({ at: until, id: FIRST_ID }, filters), searchedUntil: until }
}

/** Rows with what their keys belong to. */
export async function owned(connection: Connection, records: readonly UsageRecord[]): Promise<OwnedUsage[]> {
  if (records.length === 0) return []
  const owners = await ownersOf(
    connection,
    records.map(({ principal }) => principal),
  )
  return records.map((record) => ({ ...storedUsage(record), ...(owners.get(record.principal) ?? NOBODY) }))
}

/** Rows of a page of `usageEach`. */
const PAGE = 1_000

/**
 * All rows of a range, newest first, in pages that are asked for as they are taken: nothing is held open between two of
 * them. A row that comes meanwhile, before where it is, is left out.
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
