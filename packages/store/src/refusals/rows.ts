import type { RefusingLimit } from '@headgate/gateway/ports'
import { sql } from 'kysely'
import type { StoreConnection } from '../database/connection.ts'
import type { TableRow } from '../schema/tables.ts'
import { all, ofRows, ofRowsAlone, type RowFilters } from '../usage/filters.ts'
import type { MatchingQuery, RowSort } from '../usage/matching.ts'
import { type StoredUsage, storedUsage } from '../usage/stored.ts'
import type { SealedMessages } from './batch.ts'

/** Row of usage, or a request without a call of a provider in its shape. */
export interface StoredRefusal extends StoredUsage {
  /** Limit that refused the request; absent for other requests. */
  readonly limit?: RefusingLimit | undefined
}

/** Columns of `usage` that conditions use and `refusals` does not have. */
const ABSENT = `outcome AS why, '' AS provider, NULL AS endpoint, 0 AS stream, 0 AS cost, 0 AS input, 0 AS output`

/** SQL of the values by which requests without calls are sorted: as of rows whose tokens are unknown. */
const SORTED: Readonly<Record<Exclude<RowSort, 'newest'>, string>> = {
  cost: 'CAST(0 AS int8)',
  duration: 'duration_ms',
  tokens: 'CAST(-1 AS int8)',
}

/** Matching requests without calls: the newest, or those with the greatest values, in this order. */
export async function refusedRows(
  { db, kind }: StoreConnection,
  { from, to, before, limit, filters, sort = 'newest' }: MatchingQuery & { readonly sort?: RowSort | undefined },
): Promise<readonly StoredRefusal[]> {
  const [value, order] = sort === 'newest' ? ['', ''] : [`${SORTED[sort]}, `, `${SORTED[sort]} DESC, `]
  const least = before && sort !== 'newest' ? sql`${before.value ?? 0}, ` : sql.raw('')
  const where = all([
    ...(from === undefined ? [] : [sql<boolean>`at >= ${from}`]),
    ...(to === undefined ? [] : [sql<boolean>`at < ${to}`]),
    ...(before ? [sql<boolean>`(${sql.raw(value)}at, id) < (${least}${before.at}, ${before.id})`] : []),
    ...ofRows(filters),
    ...ofRowsAlone(kind, filters),
  ])
  const page = sql<TableRow<'refusals'>>`SELECT * FROM (SELECT *, ${sql.raw(ABSENT)} FROM refusals) AS r
    WHERE ${where} ORDER BY ${sql.raw(order)}at DESC, id DESC LIMIT ${limit}`
  return (await page.execute(db)).rows.map(refusalOf)
}

/** Request without a call, by the `x-request-id` of its response and its start, which the id contains. */
export async function refusedRequest(
  { db }: StoreConnection,
  at: number,
  requestId: string,
): Promise<StoredRefusal | undefined> {
  const rows = db.selectFrom('refusals').selectAll().where('at', '=', BigInt(at)).where('request_id', '=', requestId)
  const row = await rows.executeTakeFirst()
  return row && refusalOf(row)
}

/** Encrypted sentences of callers, among them the one of a request without a call. */
export async function sealedMessage(
  { db }: StoreConnection,
  { at, id }: { readonly at: number; readonly id: string },
): Promise<SealedMessages | undefined> {
  const rows = db
    .selectFrom('refusals')
    .innerJoin('refusal_messages as m', 'm.id', 'refusals.messages')
    .select(['m.id', 'm.at', 'm.sealed'])
    .where('refusals.at', '=', BigInt(at))
    .where('refusals.id', '=', id)
  const row = await rows.executeTakeFirst()
  return row && { ...row, at: Number(row.at) }
}

/** False if no request without a call can match the filters. */
export function mayBeRefused({ outcome }: RowFilters): boolean {
  const isServed = (one: string): boolean => one === 'served' || one === 'failed-over' || one === 'cut'
  if (outcome === undefined) return true
  if (typeof outcome === 'string') return !isServed(outcome)
  return outcome.isNot === true || !outcome.values.every(isServed)
}

/** True if only requests without calls can match the filters. */
export function isOnlyRefused({ outcome }: RowFilters): boolean {
  if (outcome === undefined) return false
  if (typeof outcome === 'string') return outcome === 'refused'
  return outcome.isNot !== true && outcome.values.every((one) => one === 'refused')
}

function refusalOf(row: TableRow<'refusals'>): StoredRefusal {
  const stored = storedUsage({
    ...row,
    provider: '',
    endpoint: null,
    provider_model: '',
    policy: null,
    routing: null,
    why: row.outcome,
    finish: null,
    stream: 0n,
    translated: 0n,
    input: null,
    output: null,
    cache_read: null,
    cache_write: null,
    cache_write_long: null,
    reasoning: null,
    audio_input: null,
    audio_output: null,
    image_input: null,
    image_output: null,
    units: null,
    variant: null,
    estimated: 0n,
    cost: 0n,
    charged: 0n,
    held: null,
    price_id: null,
    billed: 0n,
    losses: null,
    first_byte_ms: null,
    trace_id: null,
    corrects: null,
  })
  const { limit_kind: kind, limit_id: id } = row
  if (id === null || (kind !== 'budget' && kind !== 'rate-limit')) return stored
  return { ...stored, limit: { kind, id } }
}
