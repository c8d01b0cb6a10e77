import { object } from '@headgate/gateway/ports'
import { type RawBuilder, sql } from 'kysely'
import type { StoreConnection } from '../database/connection.ts'
import { all, type Conditions, ofDimensions, type UsageFilters } from './filters.ts'

export interface ExplanationQuery {
  /** Start in Unix milliseconds. */
  readonly from: number
  /** End in Unix milliseconds, exclusive. */
  readonly to: number
  readonly filters?: Pick<UsageFilters, 'project' | 'environment' | 'member'> | undefined
}

/** Requests in which translation dropped or changed a field. */
export interface LostField {
  readonly path: string
  /** `dropped`, `changed` and so on, as in the row. */
  readonly kind: string
  readonly reason: string
  /** Format of the caller. */
  readonly format: string
  /** Id of the key. */
  readonly key: string
  readonly requests: number
}

/** Requests that were served although a call failed. */
export interface SavedRequests {
  /** Provider whose call failed first. */
  readonly provider: string
  /** Kind of the failure. */
  readonly failure: string
  /** Provider that served the requests. */
  readonly served: string
  readonly requests: number
}

/** Input tokens of calls that a provider's cache took part in. */
export interface CachedInput {
  readonly provider: string
  /** Model name at the provider. */
  readonly model: string
  readonly priceId: string | null
  /** Time of the newest request, Unix milliseconds. */
  readonly at: number
  readonly requests: number
  readonly input: number
  readonly cacheRead: number
  readonly cacheWrite: number
  /** Part of `cacheWrite` that is cached for one hour. */
  readonly cacheWriteLong: number
}

/** Effects of translation, failover and caches on the newest requests of a range. */
export interface UsageExplanation {
  /** Start of the rows that were read, Unix milliseconds: later than the range's start if it has too many rows. */
  readonly since: number
  readonly requests: number
  readonly losses: readonly LostField[]
  readonly saved: readonly SavedRequests[]
  readonly caches: readonly CachedInput[]
}

/** Maximum number of rows that are read, newest first. */
export const READ = 100_000
/** Maximum number of groups in each list, and of combinations of losses. */
const GROUPS = 500
const COMBINATIONS = 5_000

/** Losses, requests saved by failover and cached input of the newest requests, from their rows. */
export async function usageExplanation(
  connection: StoreConnection,
  { from, to, filters = {} }: ExplanationQuery,
): Promise<UsageExplanation> {
  const since = await startOfRead(connection, from, to)
  const { project, environment, member } = filters
  const within: Conditions = [
    sql<boolean>`u.at >= ${since}`,
    sql<boolean>`u.at < ${to}`,
    ...ofDimensions({ project, environment, member }),
  ]
  const count = await sql<Counted>`SELECT count(*) AS requests FROM usage AS u WHERE ${all(within)}`.execute(
    connection.db,
  )
  return {
    since,
    requests: Number(count.rows[0]?.requests ?? 0),
    losses: await lossesOf(connection, within),
    saved: await savedOf(connection, within),
    caches: await cachesOf(connection, within),
  }
}

interface Counted {
  readonly requests: unknown
}

/** Start of the newest rows. Uses the primary key only, without reading rows. */
async function startOfRead({ db }: StoreConnection, from: number, to: number): Promise<number> {
  const { rows } = await sql<{ at: unknown }>`SELECT at FROM usage WHERE at >= ${from} AND at < ${to}
    ORDER BY at DESC, id DESC LIMIT 1 OFFSET ${READ - 1}`.execute(db)
  return Number(rows[0]?.at ?? from)
}

async function lossesOf({ db }: StoreConnection, within: Conditions): Promise<LostField[]> {
  const { rows } = await sql<Counted & { format: string; principal: string; losses: string }>`
    SELECT u.format, u.principal, u.losses, count(*) AS requests FROM usage AS u
    WHERE ${all([...within, sql<boolean>`u.losses IS NOT NULL`])}
    GROUP BY u.format, u.principal, u.losses ORDER BY requests DESC LIMIT ${COMBINATIONS}`.execute(db)
  const sums = new Map<string, LostField>()
  for (const { format, principal: key, losses, requests } of rows) {
    const own = new Map(lossesIn(losses).map((loss) => [JSON.stringify([loss, format, key]), loss]))
    for (const [id, loss] of own) {
      const known = sums.get(id)?.requests ?? 0
      sums.set(id, { ...loss, format, key, requests: known + Number(requests) })
    }
  }
  return [...sums.values()].toSorted((one, other) => other.requests - one.requests).slice(0, GROUPS)
}

function lossesIn(stored: string): Pick<LostField, 'path' | 'kind' | 'reason'>[] {
  const list: unknown = JSON.parse(stored)
  if (!Array.isArray(list)) return []
  return list.flatMap((one: unknown) => {
    const loss = object(one)
    return loss ? [{ path: textOf(loss['path']), kind: textOf(loss['kind']), reason: textOf(loss['reason']) }] : []
  })
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

async function savedOf({ db }: StoreConnection, within: Conditions): Promise<SavedRequests[]> {
  const { rows } = await sql<Counted & Omit<SavedRequests, 'requests'>>`
    SELECT a.provider, a.failure, u.provider AS served, count(*) AS requests
    FROM usage AS u JOIN usage_attempts AS a ON a.at = u.at AND a.usage_id = u.id AND a.position = 0
    WHERE ${all([...within, sql<boolean>`u.outcome = 'failed-over'`, sql<boolean>`a.failure IS NOT NULL`])}
    GROUP BY a.provider, a.failure, u.provider ORDER BY requests DESC LIMIT ${GROUPS}`.execute(db)
  return rows.map((row) => ({ ...row, requests: Number(row.requests) }))
}

async function cachesOf({ db }: StoreConnection, within: Conditions): Promise<CachedInput[]> {
  const isCached = sql<boolean>`(u.cache_read > 0 OR u.cache_write > 0)`
  const sums = sql.join(
    ['input', 'cache_read', 'cache_write', 'cache_write_long'].map(
      (name): RawBuilder<unknown> => sql`coalesce(sum(${sql.ref(`u.${name}`)}), 0) AS ${sql.ref(name)}`,
    ),
  )
  const { rows } = await sql<Readonly<Record<string, unknown>>>`
    SELECT a.provider, a.model, a.price_id, max(u.at) AS at, count(*) AS requests, ${sums}
    FROM usage AS u JOIN usage_attempts AS a ON a.at = u.at AND a.usage_id = u.id AND a.failure IS NULL
    WHERE ${all([...within, isCached])} GROUP BY a.provider, a.model, a.price_id
    ORDER BY cache_read DESC LIMIT ${GROUPS}`.execute(db)
  return rows.map((row) => ({
    provider: String(row['provider']),
    model: String(row['model']),
    priceId: row['price_id'] === null ? null : String(row['price_id']),
    at: Number(row['at']),
    requests: Number(row['requests']),
    input: Number(row['input']),
    cacheRead: Number(row['cache_read']),
    cacheWrite: Number(row['cache_write']),
    cacheWriteLong: Number(row['cache_write_long']),
  }))
}
