import type { StoreConnection } from '../database/connection.ts'
import { type MatchingQuery, matching, type PageEnd } from './matching.ts'
import { type StoredAttempt, type StoredUsage, storedAttempt, storedUsage } from './stored.ts'

export interface UsagePageQuery extends Pick<MatchingQuery, 'from' | 'to' | 'before' | 'limit'> {
  readonly principal?: string
  readonly model?: string
  readonly provider?: string
  readonly family?: string
  readonly status?: number
}

/** Newest matching rows, newest first. */
export async function usagePage(connection: StoreConnection, query: UsagePageQuery): Promise<StoredUsage[]> {
  const { from, to, before, limit, principal: key, ...rest } = query
  const rows: StoredUsage[] = []
  // If a name is too long for an index, each search covers a limited number of rows.
  for (let end = before; ; ) {
    const found = await matching(connection, {
      from,
      to,
      before: end,
      limit: limit - rows.length,
      filters: { ...rest, key },
    })
    rows.push(...found.rows.map(storedUsage))
    if (found.until === undefined || rows.length >= limit) return rows
    end = { at: found.until, id: FIRST_ID }
  }
}

/** Smallest id: a page that ends here includes every row of its instant. */
export const FIRST_ID = '00000000-0000-0000-0000-000000000000'

/** Newest rows, newest first. @param principal limits them to one key */
export function lastUsage(connection: StoreConnection, limit: number, principal?: string): Promise<StoredUsage[]> {
  return usagePage(connection, { limit, ...(principal !== undefined && { principal }) })
}

/** Upstream calls of a row, in order. */
export async function attemptsOf({ db }: StoreConnection, { at, id }: PageEnd): Promise<StoredAttempt[]> {
  const rows = await db
    .selectFrom('usage_attempts')
    .selectAll()
    .where('at', '=', BigInt(at))
    .where('usage_id', '=', id)
    .orderBy('position')
    .execute()
  return rows.map(storedAttempt)
}
