import { beginningOfRequest } from '@headgate/gateway/ports'
import { sql } from 'kysely'
import type { StoreConnection } from '../database/connection.ts'
import { storable } from '../database/group.ts'
import { refusedRequest } from '../refusals/rows.ts'
import { SEARCHED, type UsageRecord } from './matching.ts'
import { attemptsOf } from './page.ts'
import { type OwnedUsage, ownedRows, withOwners } from './rows.ts'
import type { StoredAttempt, StoredUsage } from './stored.ts'

interface WithAttempts {
  /** Upstream calls of the request, in order. */
  readonly attempts: readonly StoredAttempt[]
}

/** Usage of one request. */
export interface RequestUsage extends OwnedUsage, WithAttempts {
  /** Rows that correct its cost. */
  readonly corrections: readonly (StoredUsage & WithAttempts)[]
}

export interface RequestQuery {
  readonly requestId: string
  /**
   * Range to search if the request id does not contain a time, in Unix milliseconds. Default: the newest 20,000 rows.
   */
  readonly within?: { readonly from?: number | undefined; readonly to?: number | undefined } | undefined
}

/** Maximum time between the start of a lost request and its row, whose id is the request's id. */
const LONGEST = 3_600_000
const UUID_V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/

/**
 * Usage of a request, by the id of its response, which contains its start time. A lost request is found by the id of
 * its row. For an id without a time, a bounded number of rows is searched.
 */
export async function requestUsage(
  connection: StoreConnection,
  { requestId, within }: RequestQuery,
): Promise<RequestUsage | undefined> {
  const at = beginningOfRequest(requestId)
  let rows = at === undefined ? [] : await ofInstant(connection, at, requestId)
  const refused = at === undefined || rows.length > 0 ? undefined : await refusedRequest(connection, at, requestId)
  if (refused) {
    const [own] = await ownedRows(connection, [refused])
    return own && { ...own, attempts: [], corrections: [] }
  }
  if (rows.length === 0 && UUID_V7.test(requestId)) rows = await lost(connection, requestId)
  if (rows.length === 0) rows = await among(connection, storable(requestId), within ?? {})
  const first = rows.find(({ corrects }) => corrects === null)
  const corrected = first ? undefined : await correctedBy(connection, rows[0])
  const main = first ?? corrected ?? rows[0]
  if (!main) return undefined
  const [own] = await withOwners(connection, [main])
  if (!own) return undefined
  const corrections = await withOwners(
    connection,
    rows.filter((row) => row !== main),
  )
  return {
    ...(await withAttempts(connection, own)),
    corrections: await Promise.all(corrections.map((row) => withAttempts(connection, row))),
  }
}

async function withAttempts<Row extends StoredUsage>(
  connection: StoreConnection,
  row: Row,
): Promise<Row & WithAttempts> {
  return { ...row, attempts: await attemptsOf(connection, row) }
}

/** Rows of one millisecond, by the primary key of the table. */
async function ofInstant({ db }: StoreConnection, at: number, requestId: string): Promise<UsageRecord[]> {
  return db
    .selectFrom('usage')
    .selectAll()
    .where('at', '=', BigInt(at))
    .where('request_id', '=', requestId)
    .orderBy('id')
    .execute()
}

/** Lost rows have a separate status, so few combinations are looked up. */
async function lost({ db }: StoreConnection, id: string): Promise<UsageRecord[]> {
  const made = Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16)
  const groups = db.selectFrom('usage_groups').select('id').where('status', '=', 0n)
  const rows = db.selectFrom('usage').selectAll().where('group_id', 'in', groups).where('id', '=', id)
  return rows
    .where('at', '>=', BigInt(made - LONGEST))
    .where('at', '<=', BigInt(made + LONGEST))
    .execute()
}

async function among(
  { db }: StoreConnection,
  requestId: string,
  { from, to }: NonNullable<RequestQuery['within']>,
): Promise<UsageRecord[]> {
  const range = sql`at >= ${from ?? 0} AND at < ${to ?? Number.MAX_SAFE_INTEGER}`
  const newest = sql`SELECT at, id, request_id FROM usage WHERE ${range} ORDER BY at DESC, id DESC LIMIT ${SEARCHED}`
  const found = await sql<{
    at: bigint
    id: string
  }>`SELECT at, id FROM (${newest}) AS n WHERE request_id = ${requestId} LIMIT 100`.execute(db)
  const rows = await Promise.all(found.rows.map(({ at, id }) => byKey(db, at, id)))
  return rows.flat()
}

async function correctedBy({ db }: StoreConnection, row: UsageRecord | undefined): Promise<UsageRecord | undefined> {
  return row?.corrects ? (await byKey(db, row.at, row.corrects))[0] : undefined
}

function byKey(db: StoreConnection['db'], at: bigint, id: string): Promise<UsageRecord[]> {
  return db.selectFrom('usage').selectAll().where('at', '=', at).where('id', '=', id).execute()
}
