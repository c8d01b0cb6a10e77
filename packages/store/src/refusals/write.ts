import { insertRows, type OnConflict, type RowValues } from '../database/bulk.ts'
import type { StoreConnection } from '../database/connection.ts'
import { dimension, storable } from '../database/group.ts'
import { runSql, transact, type WriteTransaction } from '../database/transaction.ts'
import { hourAt } from '../database/zone.ts'
import type { JournalReceiver } from '../receivers/row-receiver.ts'
import { tagsText } from '../usage/row-tags.ts'
import type { RecordedRefusal, RefusalBatch, RefusalCount, SealedWords, UnauthenticatedCount } from './batch.ts'

/** Maximum number of stored requests without calls, and number of new ones after which surplus ones are deleted. */
const ROWS = { most: 100_000, every: 1_000 }
/** Maximum number of requests with stored messages. */
const WORDS = { most: 20_000, every: 1_000 }
/** Maximum number of addresses of an hour. */
const ADDRESSES = 1_000

const ADDED: OnConflict = { set: { requests: 'add' } }
const ADDED_WITH_NEWEST: OnConflict = { set: { requests: 'add', newest: 'greatest' } }
const ADDED_WITH_TIME: OnConflict = { set: { requests: 'add', last_at: 'greatest' } }

/** Maximum numbers of stored rows; the default is for production. */
export interface RefusalBounds {
  readonly rows: typeof ROWS
  readonly words: typeof WORDS
  readonly addresses: number
}

const BOUNDS: RefusalBounds = { rows: ROWS, words: WORDS, addresses: ADDRESSES }

interface RefusalWriterOptions {
  /** Receiver of written records; default: none. */
  readonly receiver?: Pick<JournalReceiver, 'refused'> | undefined
  readonly bounds?: RefusalBounds | undefined
}

/** Writer of records of requests without calls. A batch is written once, however often it is passed. */
export function createRefusalWriter(
  connection: StoreConnection,
  { receiver, bounds = BOUNDS }: RefusalWriterOptions = {},
): (batch: RefusalBatch) => Promise<void> {
  /** Number of the newest written batch by book. */
  const written = new Map<string, number>()
  // The number of stored rows is unknown at first.
  let [rowsSince, wordsSince] = [bounds.rows.every, bounds.words.every]
  return async (batch) => {
    if (batch.number <= (written.get(batch.book) ?? 0)) return
    rowsSince += batch.rows.length
    wordsSince += batch.words.length
    await transact(connection, async (trx) => {
      const { messages } = batch
      await insertRows(
        connection,
        trx,
        'refusals',
        batch.rows.map((row) => valuesOf(row, messages?.id ?? '')),
      )
      if (messages) await insertRows(connection, trx, 'refusal_messages', [[messages.id, messages.at, messages.sealed]])
      await insertRows(connection, trx, 'refusal_minutes', minutesOf(batch.counts), ADDED)
      await insertRows(connection, trx, 'refusal_hours', hoursOf(batch.counts), ADDED_WITH_NEWEST)
      await writeUnauthenticated(connection, trx, batch.unauthenticated, bounds.addresses)
      await insertRows(connection, trx, 'request_words', batch.words.map(wordValues))
      if (rowsSince >= bounds.rows.every) await trimRefusals(trx, bounds.rows.most)
      if (wordsSince >= bounds.words.every) await trim(trx, 'request_words', 'request_id', 'ends_at', bounds.words.most)
    })
    written.set(batch.book, batch.number)
    receiver?.refused(batch.rows)
    if (rowsSince >= bounds.rows.every) rowsSince = 0
    if (wordsSince >= bounds.words.every) wordsSince = 0
  }
}

/** Deletes the oldest requests above a number, and their sentences. */
async function trimRefusals(trx: WriteTransaction, most: number): Promise<void> {
  await trim(trx, 'refusals', 'at, id', 'at', most)
  await runSql(trx, 'DELETE FROM refusal_messages WHERE at < (SELECT MIN(at) FROM refusals)')
}

/** Deletes the oldest rows above a number. */
async function trim(trx: WriteTransaction, table: string, key: string, order: string, most: number): Promise<void> {
  const old = `SELECT ${key} FROM ${table} ORDER BY ${order} DESC LIMIT 100000 OFFSET ${most}`
  await runSql(trx, `DELETE FROM ${table} WHERE (${key}) IN (${old})`)
}

function valuesOf(row: RecordedRefusal, messages: string): RowValues {
  return [
    Math.round(row.startedAt),
    row.id,
    row.requestId,
    storable(row.principal),
    row.family,
    row.format,
    dimension(row.model),
    row.status,
    row.outcome,
    row.failure,
    tagsText(row),
    row.endUser === undefined ? null : storable(row.endUser),
    row.session === undefined ? null : storable(row.session),
    Math.round(row.durationMs),
    row.limit?.kind ?? null,
    row.limit === undefined ? null : storable(row.limit.id),
    messages,
  ]
}

function wordValues({ requestId, key, at, endsAt, sealed }: SealedWords): RowValues {
  return [requestId, storable(key), at, endsAt, sealed]
}

function minutesOf(counts: readonly RefusalCount[]): RowValues[] {
  return summed(counts, ({ minute }) => minute).map(({ values, requests }) => [...values, requests])
}

function hoursOf(counts: readonly RefusalCount[]): RowValues[] {
  return summed(counts, ({ minute }) => hourAt(minute)).map(({ values, requests, newest }) => [
    ...values,
    requests,
    newest,
  ])
}

interface SummedCount {
  readonly values: RowValues
  requests: number
  newest: string
}

/** Counts by their stored key: different names can be stored alike. Sorted, so that concurrent writers cannot deadlock. */
function summed(counts: readonly RefusalCount[], startOf: (count: RefusalCount) => number): readonly SummedCount[] {
  const sums = new Map<string, SummedCount>()
  for (const count of counts) {
    const { principal, model, failure, requests, newest } = count
    const values = [startOf(count), storable(principal), dimension(model), failure]
    const key = values.join('\0')
    const known = sums.get(key) ?? { values, requests: 0, newest: '' }
    sums.set(key, known)
    known.requests += requests
    if (newest > known.newest) known.newest = newest
  }
  return [...sums].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, sum]) => sum)
}

function inOrder(rows: readonly RowValues[]): RowValues[] {
  return rows
    .map((values) => ({ values, key: values.join('\0') }))
    .sort((one, other) => (one.key < other.key ? -1 : 1))
    .map(({ values }) => values)
}

/** Adds counts by address. The addresses of an hour with the fewest requests are summed up beyond the maximum. */
async function writeUnauthenticated(
  connection: StoreConnection,
  trx: WriteTransaction,
  counts: readonly UnauthenticatedCount[],
  most: number,
): Promise<void> {
  if (counts.length === 0) return
  const rows = counts.map(({ hour, address, reason, requests, lastAt }) => [
    hour,
    storable(address).slice(0, 64),
    reason,
    requests,
    lastAt,
  ])
  await insertRows(connection, trx, 'unauthenticated_hours', inOrder(rows), ADDED_WITH_TIME)
  for (const hour of new Set(counts.map((count) => count.hour))) await foldAddresses(connection, trx, hour, most)
}

async function foldAddresses(
  connection: StoreConnection,
  trx: WriteTransaction,
  hour: number,
  most: number,
): Promise<void> {
  const ranked = `SELECT address FROM unauthenticated_hours WHERE hour = ${hour} AND address <> ''
    GROUP BY address ORDER BY SUM(requests) DESC, address LIMIT 100000 OFFSET ${most}`
  const surplus = `hour = ${hour} AND address IN (${ranked})`
  const sums = await runSql(
    trx,
    `SELECT reason, CAST(SUM(requests) AS int8) AS requests, MAX(last_at) AS last_at FROM unauthenticated_hours WHERE ${surplus} GROUP BY reason ORDER BY reason`,
  )
  if (sums.length === 0) return
  await runSql(trx, `DELETE FROM unauthenticated_hours WHERE ${surplus}`)
  const rows = (sums as { reason: string; requests: bigint; last_at: bigint }[]).map(
    ({ reason, requests, last_at }): RowValues => [hour, '', reason, requests, last_at],
  )
  await insertRows(connection, trx, 'unauthenticated_hours', rows, ADDED_WITH_TIME)
}
