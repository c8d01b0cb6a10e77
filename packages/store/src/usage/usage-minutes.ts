import { outcomeWithoutCalls, PROVIDER_FAULTS } from '@headgate/gateway/ports'
import { type RawBuilder, sql } from 'kysely'
import type { StoreConnection } from '../database/connection.ts'
import { storable } from '../database/group.ts'
import { FIRST_BYTE_CLASSES, FIRST_BYTE_COUNTS, HAS_FIRST_BYTE } from '../schema/first-bytes.ts'
import { type Latency, latencyOf } from './latency.ts'
import { MINUTE, minuteAt } from './minutes.ts'

export interface UsageMinutesQuery {
  /** Start in Unix milliseconds. Its whole minute counts. */
  readonly from: number
  /** End in Unix milliseconds. The whole minute that contains it counts. */
  readonly to: number
  /** Owners of the keys that count; default: all keys. Only requests with stored rows count then. */
  readonly owners?: { readonly member?: string | undefined; readonly projects?: readonly string[] | undefined }
}

/** Requests that began in a minute, with and without calls, and calls that ended in it. */
export interface UsageMinute {
  /** Start of the minute in Unix milliseconds. */
  readonly start: number
  readonly requests: number
  /** Charged amount in nano-dollars, a decimal string. */
  readonly charged: string
  readonly byOutcome: Readonly<Record<string, number>>
  /** Requests with a failure, by its kind, except refused ones. */
  readonly byFailure: Readonly<Record<string, number>>
  /** Calls of each provider, and how many of them failed because of it. */
  readonly byProvider: Readonly<Record<string, { readonly calls: number; readonly failed: number }>>
}

export interface UsageMinutes {
  /** Each minute of the range, oldest first. */
  readonly minutes: readonly UsageMinute[]
  /** Refused requests of the range, by kind. Exact. */
  readonly refusals: Readonly<Record<string, number>>
  readonly firstByteMs: Latency | null
}

interface MinuteRequests {
  readonly minute: bigint
  readonly outcome: string
  readonly failure: string
  readonly requests: bigint
  readonly charged: bigint | null
}

interface MinuteRefusals {
  readonly minute: bigint
  readonly failure: string
  readonly requests: bigint
}

interface MinuteCalls {
  readonly minute: bigint
  readonly provider: string
  readonly kind: string
  readonly calls: bigint
}

/** Maximum time between the start of a request and the end of its calls, in milliseconds, for sums of rows. */
const LONGEST = 3_600_000

/** Usage by minute: from sums by minute, or from rows if only some owners count. */
export async function usageMinutes(
  connection: StoreConnection,
  { from, to, owners = {} }: UsageMinutesQuery,
): Promise<UsageMinutes> {
  const own = ownersCondition(owners)
  const range: MinuteRange = { start: minuteAt(from), end: minuteAt(to) + MINUTE }
  const { requests, calls, classes } = own ? ofRows(range, own) : ofSums(range)
  const { db } = connection
  const [requestRows, callRows, classRows, refusalRows] = [
    (await requests.execute(db)).rows,
    (await calls.execute(db)).rows,
    (await classes.execute(db)).rows,
    (await refusalsOf(range, own).execute(db)).rows,
  ]
  const [sums] = classRows
  const [refused, others] = [refusalRows.filter(isRefused), refusalRows.filter((row) => !isRefused(row))]
  const withoutCalls = [
    ...refused.map((row): MinuteRequests => ({ ...row, outcome: 'refused', failure: '', charged: null })),
    ...others.map((row): MinuteRequests => ({ ...row, outcome: outcomeWithoutCalls(row.failure), charged: null })),
  ]
  return {
    minutes: minutesOf(range, [...requestRows, ...withoutCalls], callRows),
    refusals: countsBy(refused, ({ failure }) => failure),
    firstByteMs: latencyOf(FIRST_BYTE_CLASSES.map((name) => Number(sums?.[name] ?? 0))),
  }
}

interface MinuteRange {
  readonly start: number
  /** Exclusive. */
  readonly end: number
}

interface MinuteQueries {
  readonly requests: RawBuilder<MinuteRequests>
  readonly calls: RawBuilder<MinuteCalls>
  readonly classes: RawBuilder<Record<string, unknown>>
}

function ofSums({ start, end }: MinuteRange): MinuteQueries {
  const within = sql`minute >= ${start} AND minute < ${end}`
  const sums = FIRST_BYTE_CLASSES.map((name) => sql`sum(${sql.ref(name)}) AS ${sql.ref(name)}`)
  return {
    requests: sql`SELECT minute, outcome, failure, sum(requests) AS requests, sum(charged) AS charged
      FROM usage_minutes WHERE ${within} GROUP BY minute, outcome, failure`,
    calls: sql`SELECT minute, provider, kind, sum(calls) AS calls
      FROM attempt_minutes WHERE ${within} GROUP BY minute, provider, kind`,
    classes: sql`SELECT ${sql.join(sums)} FROM usage_minutes WHERE ${within}`,
  }
}

function ofRows({ start, end }: MinuteRange, own: RawBuilder<unknown>): MinuteQueries {
  const within = sql`u.at >= ${start} AND u.at < ${end} AND u.corrects IS NULL AND u.principal IN (${own})`
  const minuteOf = (time: string): RawBuilder<unknown> => sql`${sql.raw(`((${time}) / ${MINUTE}) * ${MINUTE}`)}`
  const ended = sql.raw('a.started_at + a.duration_ms')
  const sums = FIRST_BYTE_COUNTS.map(
    (count, index) => sql`${sql.raw(count)} AS ${sql.ref(FIRST_BYTE_CLASSES[index] ?? '')}`,
  )
  return {
    requests: sql`SELECT ${minuteOf('u.at')} AS minute, u.outcome, coalesce(u.failure, '') AS failure,
        count(*) AS requests, sum(u.charged) AS charged
      FROM usage AS u WHERE ${within} GROUP BY 1, 2, 3`,
    calls: sql`SELECT ${minuteOf('a.started_at + a.duration_ms')} AS minute, a.provider,
        coalesce(a.failure, '') AS kind, count(*) AS calls
      FROM usage AS u JOIN usage_attempts AS a ON a.at = u.at AND a.usage_id = u.id
      WHERE u.at >= ${start - LONGEST} AND u.at < ${end} AND u.corrects IS NULL AND u.principal IN (${own})
        AND ${ended} >= ${start} AND ${ended} < ${end} GROUP BY 1, 2, 3`,
    classes: sql`SELECT ${sql.join(sums)} FROM usage AS u WHERE ${within} AND ${sql.raw(HAS_FIRST_BYTE)}`,
  }
}

/** Requests without calls, from exact counts. */
function refusalsOf({ start, end }: MinuteRange, own: RawBuilder<unknown> | undefined): RawBuilder<MinuteRefusals> {
  const isOwn = own ? sql`principal IN (${own})` : sql`1 = 1`
  return sql`SELECT minute, failure, sum(requests) AS requests FROM refusal_minutes
    WHERE minute >= ${start} AND minute < ${end} AND ${isOwn} GROUP BY minute, failure`
}

function isRefused({ failure }: MinuteRefusals): boolean {
  return outcomeWithoutCalls(failure) === 'refused'
}

/** Query of the ids of keys; undefined = all keys. */
function ownersCondition({
  member,
  projects,
}: NonNullable<UsageMinutesQuery['owners']>): RawBuilder<unknown> | undefined {
  if (member === undefined && projects === undefined) return undefined
  const conditions = [
    ...(member === undefined ? [] : [sql`member = ${storable(member)}`]),
    ...(projects === undefined
      ? []
      : [projects.length > 0 ? sql`project IN (${sql.join(projects.map((id) => sql`${storable(id)}`))})` : sql`1 = 0`]),
  ]
  return sql`SELECT id FROM principals WHERE ${sql.join(conditions, sql` AND `)}`
}

function minutesOf(
  { start, end }: MinuteRange,
  requests: readonly MinuteRequests[],
  calls: readonly MinuteCalls[],
): readonly UsageMinute[] {
  const [requestsAt, callsAt] = [
    Map.groupBy(requests, ({ minute }) => Number(minute)),
    Map.groupBy(calls, ({ minute }) => Number(minute)),
  ]
  return Array.from({ length: (end - start) / MINUTE }, (_, index): UsageMinute => {
    const minute = start + index * MINUTE
    const own = requestsAt.get(minute) ?? []
    return {
      start: minute,
      requests: own.reduce((sum, row) => sum + Number(row.requests), 0),
      charged: String(own.reduce((sum, { charged }) => sum + (charged ?? 0n), 0n)),
      byOutcome: countsBy(own, ({ outcome }) => outcome),
      byFailure: countsBy(
        own.filter(({ failure }) => failure !== ''),
        ({ failure }) => failure,
      ),
      byProvider: byProvider(callsAt.get(minute) ?? []),
    }
  })
}

function countsBy<Row extends Pick<MinuteRequests, 'requests'>>(
  rows: readonly Row[],
  nameOf: (row: Row) => string,
): Record<string, number> {
  const groups = Map.groupBy(rows, nameOf)
  return Object.fromEntries(
    [...groups].map(([name, some]) => [name, some.reduce((sum, row) => sum + Number(row.requests), 0)]),
  )
}

function byProvider(rows: readonly MinuteCalls[]): UsageMinute['byProvider'] {
  const count = (some: readonly MinuteCalls[]): number => some.reduce((sum, row) => sum + Number(row.calls), 0)
  const made = rows.filter(({ kind }) => kind !== 'canceled')
  return Object.fromEntries(
    [...Map.groupBy(made, ({ provider }) => provider)].map(([name, some]) => [
      name,
      { calls: count(some), failed: count(some.filter(({ kind }) => PROVIDER_FAULTS.has(kind))) },
    ]),
  )
}
