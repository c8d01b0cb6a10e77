import { sql } from 'kysely'
import type { StoreConnection } from '../database/connection.ts'
import { hourAt } from '../database/zone.ts'
import { all, ofDimensions, type RowFilters } from '../usage/filters.ts'
import { ownersOf } from '../usage/owners.ts'

/** Filters of failures: keys and their owners. */
export type FailureFilters = Pick<
  RowFilters,
  'key' | 'project' | 'environment' | 'member' | 'onlyMember' | 'onlyProject'
>

export interface FailuresQuery {
  /** Start in Unix milliseconds. Its whole hour counts. */
  readonly from: number
  /** End in Unix milliseconds, exclusive. */
  readonly to: number
  /** Grouping in addition to the kind of failure; absent = by kind only. */
  readonly by?: 'provider' | 'key' | undefined
  readonly filters?: FailureFilters | undefined
}

/** Number of failed requests of an hour and a group. */
export interface FailureCount {
  /** Start of the hour in Unix milliseconds. */
  readonly hour: number
  readonly failure: string
  /** Provider or id of the key; empty if no provider was called, or without a grouping. */
  readonly name: string
  /** Name of the key; null = unknown; absent if the groups are not keys. */
  readonly keyName?: string | null | undefined
  readonly requests: number
  /** Id of the newest recorded request; empty = none. */
  readonly newest: string
}

/** Failed and refused requests by hour, kind of failure and group, in the order of the hours. */
export async function failureCounts(
  connection: StoreConnection,
  { from, to, by, filters = {} }: FailuresQuery,
): Promise<readonly FailureCount[]> {
  const where = all([sql<boolean>`hour >= ${hourAt(from)}`, sql<boolean>`hour < ${to}`, ...ofDimensions(filters)])
  const [name, refusedName] =
    by === 'key' ? ['principal', 'principal'] : by === 'provider' ? ['provider', "''"] : ["''", "''"]
  const part = (table: string, column: string) =>
    sql`SELECT hour, failure, ${sql.raw(column)} AS name, requests, newest FROM ${sql.table(table)} WHERE ${where}`
  const found = await sql<{ hour: bigint; failure: string; name: string; requests: bigint; newest: string }>`
    SELECT hour, failure, name, CAST(SUM(requests) AS int8) AS requests, MAX(newest) AS newest
    FROM (${part('usage_failure_hours', name ?? "''")} UNION ALL ${part('refusal_hours', refusedName ?? "''")}) AS f
    GROUP BY hour, failure, name ORDER BY hour, failure, name`.execute(connection.db)
  const counts = found.rows.map((row) => ({ ...row, hour: Number(row.hour), requests: Number(row.requests) }))
  if (by !== 'key') return counts
  const owners = await ownersOf(
    connection,
    counts.map((count) => count.name),
  )
  return counts.map((count) => ({ ...count, keyName: owners.get(count.name)?.keyName ?? null }))
}

export interface UnauthenticatedQuery {
  /** Start in Unix milliseconds. Its whole hour counts. */
  readonly from: number
  /** End in Unix milliseconds, exclusive. */
  readonly to: number
  /** Maximum number of entries. */
  readonly limit: number
}

/** Refused requests of unknown callers from one address. */
export interface UnauthenticatedAddress {
  /** IP address; empty = all others. */
  readonly address: string
  readonly reason: string
  readonly requests: number
  /** Unix milliseconds. */
  readonly lastAt: number
}

/** Refused requests of unknown callers by address and reason, the most first. */
export async function unauthenticatedAddresses(
  { db }: StoreConnection,
  { from, to, limit }: UnauthenticatedQuery,
): Promise<readonly UnauthenticatedAddress[]> {
  const found = await sql<{ address: string; reason: string; requests: bigint; last_at: bigint }>`
    SELECT address, reason, CAST(SUM(requests) AS int8) AS requests, MAX(last_at) AS last_at FROM unauthenticated_hours
    WHERE hour >= ${hourAt(from)} AND hour < ${to} GROUP BY address, reason
    ORDER BY 3 DESC, address, reason LIMIT ${limit}`.execute(db)
  return found.rows.map(({ address, reason, requests, last_at }) => ({
    address,
    reason,
    requests: Number(requests),
    lastAt: Number(last_at),
  }))
}
