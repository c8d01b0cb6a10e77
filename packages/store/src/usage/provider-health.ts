import { PROVIDER_FAULTS } from '@headgate/gateway/ports'
import { sql } from 'kysely'
import type { StoreConnection } from '../database/connection.ts'
import { dimension } from '../database/group.ts'
import { FIRST_BYTE_CLASSES } from '../schema/first-bytes.ts'
import type { TableRow } from '../schema/tables.ts'
import { type Latency, latencyOf } from './latency.ts'
import { MINUTE, minuteAt, rowOfKey } from './minutes.ts'

export interface ProviderHealthQuery {
  /** Current time in Unix milliseconds. */
  readonly at: number
  /** Names of the providers to report. */
  readonly providers: readonly string[]
}

/**
 * State by the calls of the last 15 minutes. `failing`: the last 5 failed, or half of at least 10. `degraded`: 5 % of at
 * least 20 failed, or all of fewer than 5. `unknown`: no calls.
 */
export type ProviderHealthState = 'healthy' | 'degraded' | 'failing' | 'unknown'

/** Calls of a provider or endpoint within 15 minutes. Canceled calls do not count. */
export interface HealthCounts {
  readonly state: ProviderHealthState
  readonly calls: number
  /** Calls that failed because of the provider. */
  readonly failed: number
}

export interface ProviderError {
  readonly kind: string
  /** HTTP status of the upstream; absent = it did not answer. */
  readonly status?: number
  /** Error code of the upstream. */
  readonly code?: string
  /** Unix milliseconds. */
  readonly at: number
  /** Id of the request; absent if its row is gone. */
  readonly request?: string
}

/** Health of a provider by the calls of all nodes. */
export interface ProviderHealth extends HealthCounts {
  readonly provider: string
  /** Failed calls of requests that another call served. */
  readonly saved: number
  /** Start of the current failures in Unix milliseconds, within a minute; absent unless it is failing or degraded. */
  readonly since?: number
  /** Last failure within 48 hours. */
  readonly lastError?: ProviderError
  /** Time to the first byte of streamed responses within 15 minutes; null without any. */
  readonly firstByteMs: Latency | null
  /** Calls by endpoint name; empty name = the provider has only one. */
  readonly endpoints: Readonly<Record<string, HealthCounts>>
  /** Calls of the last 30 minutes, oldest minute first. */
  readonly minutes: readonly { readonly start: number; readonly calls: number; readonly failed: number }[]
}

/** Minutes that decide the state. */
const DECIDING = 15
/** Minutes of the reported history. */
const SHOWN = 30
/** Range of errors and of the start of failures, in milliseconds: sums by minute are kept as long. */
const KNOWN = 172_800_000
/** Number of newest calls that are read for the last calls of each provider. */
const NEWEST = 2_000
const LAST = 5
const FAILING = { calls: 10, share: 0.5 } as const
const DEGRADED = { calls: 20, share: 0.05 } as const

type MinuteRow = TableRow<'attempt_minutes'>

/** Health of providers, in the given order. */
export async function providerHealth(
  connection: StoreConnection,
  { at, providers }: ProviderHealthQuery,
): Promise<readonly ProviderHealth[]> {
  const { db } = connection
  const current = minuteAt(at)
  const from = current - (SHOWN - 1) * MINUTE
  const rows = await db.selectFrom('attempt_minutes').selectAll().where('minute', '>=', BigInt(from)).execute()
  const counted = rows.filter(({ kind }) => kind !== 'canceled')
  const deciding = counted.filter(({ minute }) => Number(minute) > current - DECIDING * MINUTE)
  const last = deciding.length > 0 ? await lastCalls(connection, at - DECIDING * MINUTE) : []
  const latency = await latencies(connection, current - (DECIDING - 1) * MINUTE)
  return Promise.all(
    providers.map(async (name): Promise<ProviderHealth> => {
      const own = dimension(name)
      const isOwn = ({ provider }: { readonly provider: string }): boolean => provider === own
      const [calls, newest] = [deciding.filter(isOwn), last.filter(isOwn)]
      const counts = countsOf(calls, newest)
      const isWrong = counts.state === 'failing' || counts.state === 'degraded'
      const since = isWrong ? await sinceOf(connection, own, at, counts.state) : undefined
      const lastError = await lastErrorOf(connection, own, at)
      const byName = Map.groupBy(calls, ({ endpoint }) => endpoint)
      return {
        provider: name,
        ...counts,
        saved: totalOf(calls, ({ saved }) => saved),
        ...(since !== undefined && { since }),
        ...(lastError && { lastError }),
        firstByteMs: latency.get(own) ?? null,
        endpoints: Object.fromEntries(
          [...byName].map(([endpoint, some]) => [
            endpoint,
            countsOf(
              some,
              newest.filter((call) => (call.endpoint ?? '') === endpoint),
            ),
          ]),
        ),
        minutes: historyOf(counted.filter(isOwn), from),
      }
    }),
  )
}

function isFault({ kind }: Pick<MinuteRow, 'kind'>): boolean {
  return PROVIDER_FAULTS.has(kind)
}

function totalOf(rows: readonly MinuteRow[], countOf: (row: MinuteRow) => bigint): number {
  return rows.reduce((sum, row) => sum + Number(countOf(row)), 0)
}

function callsOf(rows: readonly MinuteRow[]): number {
  return totalOf(rows, ({ calls }) => calls)
}

function countsOf(rows: readonly MinuteRow[], newest: readonly NewestCall[]): HealthCounts {
  const [calls, failed] = [callsOf(rows), callsOf(rows.filter(isFault))]
  const lastFailed = newest.length >= LAST && newest.slice(0, LAST).every(({ isFailed }) => isFailed)
  return { state: stateOf(calls, failed, lastFailed), calls, failed }
}

function stateOf(calls: number, failed: number, lastFailed: boolean): ProviderHealthState {
  if (calls === 0) return 'unknown'
  if (lastFailed || (calls >= FAILING.calls && failed >= FAILING.share * calls)) return 'failing'
  const isPartial = calls >= DEGRADED.calls && failed >= DEGRADED.share * calls
  return isPartial || (calls < LAST && failed === calls) ? 'degraded' : 'healthy'
}

interface NewestCall {
  readonly provider: string
  readonly endpoint: string | null
  readonly isFailed: boolean
}

/** Newest calls of all providers, by their end, newest first. */
async function lastCalls({ db }: StoreConnection, from: number): Promise<readonly NewestCall[]> {
  const rows = await db
    .selectFrom('usage_attempts')
    .select(['provider', 'endpoint', 'failure', 'started_at', 'duration_ms'])
    .where('at', '>=', BigInt(from))
    .orderBy('at', 'desc')
    .orderBy('usage_id', 'desc')
    .orderBy('position', 'desc')
    .limit(NEWEST)
    .execute()
  return rows
    .filter(({ failure }) => failure !== 'canceled')
    .map((row) => ({ ...row, end: Number(row.started_at) + Number(row.duration_ms) }))
    .sort((one, other) => other.end - one.end)
    .map(({ provider, endpoint, failure }) => ({
      provider: dimension(provider),
      endpoint,
      isFailed: failure !== null && PROVIDER_FAULTS.has(failure),
    }))
}

/** First-byte latency since a minute, by provider. */
async function latencies({ db }: StoreConnection, from: number): Promise<ReadonlyMap<string, Latency | null>> {
  const sums = FIRST_BYTE_CLASSES.map((name) => sql`sum(${sql.ref(name)}) AS ${sql.ref(name)}`)
  const { rows } = await sql<Record<string, unknown>>`
    SELECT provider, ${sql.join(sums)} FROM usage_minutes WHERE minute >= ${from} GROUP BY provider`.execute(db)
  return new Map(
    rows.map((row) => [String(row['provider']), latencyOf(FIRST_BYTE_CLASSES.map((name) => Number(row[name] ?? 0)))]),
  )
}

/** Calls of a provider in a minute. */
interface ProviderMinute {
  readonly minute: bigint
  readonly calls: bigint
  readonly failed: bigint
  /** Ends of the last successful and of the last failed call; 0 = none. */
  readonly good_at: bigint
  readonly failed_at: bigint
}

/** Number of minutes of one query. */
const CHUNK = 180

/**
 * Start of the current failures of a provider: the first failure after the last success, or the first minute from which
 * on the share of failed calls is at least the minimum of the state.
 */
async function sinceOf(
  connection: StoreConnection,
  provider: string,
  at: number,
  state: ProviderHealthState,
): Promise<number | undefined> {
  const share = state === 'failing' ? FAILING.share : DEGRADED.share
  const rows: ProviderMinute[] = []
  for (let before = at + MINUTE; ; ) {
    const chunk = await minutesBefore(connection, provider, before, at - KNOWN)
    rows.push(...chunk)
    const isAll = chunk.length < CHUNK
    const since = failingSince(rows, share, isAll)
    if (since !== undefined || isAll) return since
    before = Number(chunk.at(-1)?.minute)
  }
}

/** Minutes with calls of a provider, newest first. */
async function minutesBefore(
  { db }: StoreConnection,
  provider: string,
  before: number,
  from: number,
): Promise<readonly ProviderMinute[]> {
  const isFailed = sql`kind IN (${sql.join([...PROVIDER_FAULTS])})`
  const { rows } = await sql<ProviderMinute>`
    SELECT minute, CAST(sum(calls) AS int8) AS calls,
      CAST(sum(CASE WHEN ${isFailed} THEN calls ELSE 0 END) AS int8) AS failed,
      max(CASE WHEN ${isFailed} THEN 0 ELSE last_at END) AS good_at,
      max(CASE WHEN ${isFailed} THEN last_at ELSE 0 END) AS failed_at
    FROM attempt_minutes WHERE provider = ${provider} AND minute < ${before} AND minute >= ${from} AND kind <> 'canceled'
    GROUP BY minute ORDER BY minute DESC LIMIT ${CHUNK}`.execute(db)
  return rows
}

/** Start of failures in minutes, newest first; undefined if earlier minutes decide. @param isAll no earlier minutes exist */
function failingSince(rows: readonly ProviderMinute[], share: number, isAll: boolean): number | undefined {
  const success = Number(rows.find(({ good_at }) => good_at > 0n)?.good_at ?? 0)
  if (success === 0 && !isAll) return undefined
  const after = rows.filter(({ failed_at }) => Number(failed_at) > success)
  const failures = after.reduce((sum, { failed }) => sum + Number(failed), 0)
  if (after.length > 0 && (failures >= LAST || success === 0)) return Math.max(Number(after.at(-1)?.minute), success)
  let [calls, failed] = [0, 0]
  let since: number | undefined
  for (const row of rows) {
    calls += Number(row.calls)
    failed += Number(row.failed)
    if (failed < share * calls) return since
    if (row.failed > 0n) since = Number(row.minute)
  }
  return isAll ? since : undefined
}

async function lastErrorOf({ db }: StoreConnection, provider: string, at: number): Promise<ProviderError | undefined> {
  const rows = await db
    .selectFrom('attempt_minutes')
    .select(['kind', 'last_at', 'last_row'])
    .where('provider', '=', provider)
    .where('minute', '>=', BigInt(at - KNOWN))
    // The index of failed calls has this condition.
    .where(sql<boolean>`kind <> ''`)
    .where('kind', 'in', [...PROVIDER_FAULTS])
    .orderBy('minute', 'desc')
    .limit(PROVIDER_FAULTS.size)
    .execute()
  const [newest] = rows.sort((one, other) => Number(other.last_at - one.last_at))
  if (!newest) return undefined
  const { kind, last_at, last_row } = newest
  const row = rowOfKey(last_row)
  const found = await db
    .selectFrom('usage_attempts as a')
    .innerJoin('usage as u', (join) => join.onRef('u.at', '=', 'a.at').onRef('u.id', '=', 'a.usage_id'))
    .select(['a.status', 'a.code', 'u.request_id'])
    .where('a.at', '=', BigInt(row.at))
    .where('a.usage_id', '=', row.id)
    .where('a.provider', '=', provider)
    .where('a.failure', '=', kind)
    .orderBy('a.position', 'desc')
    .executeTakeFirst()
  return {
    kind,
    at: Number(last_at),
    ...(found && { request: found.request_id }),
    ...(found && found.status !== null && { status: Number(found.status) }),
    ...(found && found.code !== null && { code: found.code }),
  }
}

function historyOf(rows: readonly MinuteRow[], from: number): ProviderHealth['minutes'] {
  const byMinute = Map.groupBy(rows, ({ minute }) => Number(minute))
  return Array.from({ length: SHOWN }, (_, index) => {
    const start = from + index * MINUTE
    const own = byMinute.get(start) ?? []
    return { start, calls: callsOf(own), failed: callsOf(own.filter(isFault)) }
  })
}
