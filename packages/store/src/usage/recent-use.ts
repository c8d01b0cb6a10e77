import { sql } from 'kysely'
import type { StoreConnection } from '../database/connection.ts'

export interface RecentUseQuery {
  /** Current time in Unix milliseconds. */
  readonly at: number
}

/** Requests of a key that began within a minute and have ended, on all nodes. */
export interface RecentUse {
  /** Id of the key. */
  readonly key: string
  /** Project of the key; null = unknown. */
  readonly project: string | null
  readonly requests: number
  /** Input and output tokens; unknown counts are zero. */
  readonly tokens: number
}

const MINUTE = 60_000

/** Use of each key within the last minute, to compare with its rate limits. */
export async function recentUse({ db }: StoreConnection, { at }: RecentUseQuery): Promise<readonly RecentUse[]> {
  const { rows } = await sql<{ principal: string; project: string | null; requests: bigint; tokens: bigint }>`
    SELECT u.principal, p.project, u.requests, u.tokens FROM (
      SELECT principal, count(*) AS requests, CAST(sum(coalesce(input, 0) + coalesce(output, 0)) AS int8) AS tokens
      FROM usage WHERE at > ${at - MINUTE} AND at <= ${at} AND corrects IS NULL GROUP BY principal
    ) AS u LEFT JOIN principals AS p ON p.id = u.principal`.execute(db)
  return rows.map(({ principal, project, requests, tokens }) => ({
    key: principal,
    project,
    requests: Number(requests),
    tokens: Number(tokens),
  }))
}
