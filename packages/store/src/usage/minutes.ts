import { outcomeOf } from '@headgate/gateway/ports'
import { insertRows, type OnConflict, type RowValues } from '../database/bulk.ts'
import type { StoreConnection } from '../database/connection.ts'
import { dimension } from '../database/group.ts'
import type { WriteTransaction } from '../database/transaction.ts'
import { FIRST_BYTE_CLASSES } from '../schema/first-bytes.ts'
import { ATTEMPT_MEASURES, REQUEST_MEASURES } from '../schema/minutes.ts'
import { firstByteClass } from './first-bytes.ts'
import { beginningOf, type LedgerRow } from './row.ts'

export const MINUTE = 60_000

const ADD_REQUESTS: OnConflict = {
  set: Object.fromEntries([...REQUEST_MEASURES, ...FIRST_BYTE_CLASSES].map((name) => [name, 'add' as const])),
}
const ADD_ATTEMPTS: OnConflict = {
  set: Object.assign(Object.fromEntries(ATTEMPT_MEASURES.map((name) => [name, 'add' as const])), {
    last_at: 'greatest' as const,
    last_row: 'greatest' as const,
  }),
}

/** Start of the minute that contains an instant. */
export function minuteAt(at: number): number {
  return Math.floor(at / MINUTE) * MINUTE
}

/** Adds new rows to the sums by minute. Corrections change only amounts, so they do not count. */
export async function writeMinutes(
  connection: StoreConnection,
  trx: WriteTransaction,
  rows: Iterable<LedgerRow>,
): Promise<void> {
  const [requests, attempts] = [new Map<string, RequestSum>(), new Map<string, AttemptSum>()]
  for (const row of rows) {
    if (row.corrects !== undefined) continue
    const outcome = outcomeOf(row)
    addRequest(requests, row, outcome)
    addAttempts(attempts, row, outcome === 'failed-over')
  }
  await insertRows(connection, trx, 'usage_minutes', inOrder(requests).map(requestValues), ADD_REQUESTS)
  await insertRows(connection, trx, 'attempt_minutes', inOrder(attempts).map(attemptValues), ADD_ATTEMPTS)
}

interface RequestSum {
  readonly key: readonly (string | number)[]
  requests: number
  charged: bigint
  readonly classes: number[]
}

function addRequest(sums: Map<string, RequestSum>, row: LedgerRow, outcome: string): void {
  const { provider, model, failure = '', charged } = row
  const key = [minuteAt(beginningOf(row) ?? 0), dimension(provider), dimension(model), outcome, failure]
  const text = key.join('\0')
  const sum = sums.get(text) ?? { key, requests: 0, charged: 0n, classes: FIRST_BYTE_CLASSES.map(() => 0) }
  sums.set(text, sum)
  sum.requests += 1
  sum.charged += BigInt(charged ?? 0)
  const place = firstByteClass(row)
  if (place !== undefined) sum.classes[place] = (sum.classes[place] ?? 0) + 1
}

/** Key of a row as text that sorts by time. */
export function rowKey(at: number, id: string): string {
  return `${String(at).padStart(15, '0')}/${id}`
}

/** Start and id of the row with a key. */
export function rowOfKey(key: string): { readonly at: number; readonly id: string } {
  return { at: Number(key.slice(0, 15)), id: key.slice(16) }
}

interface AttemptSum {
  readonly key: readonly (string | number)[]
  calls: number
  saved: number
  durationMs: number
  lastAt: number
  lastRow: string
}

function addAttempts(sums: Map<string, AttemptSum>, row: LedgerRow, isServed: boolean): void {
  const own = rowKey(beginningOf(row) ?? 0, row.id)
  for (const { provider, endpoint = '', startedAt, durationMs, failure = '' } of row.attempts) {
    const end = Math.round(startedAt + durationMs)
    if (!Number.isSafeInteger(end)) continue
    const key = [dimension(provider), minuteAt(end), dimension(endpoint), failure]
    const text = key.join('\0')
    const sum = sums.get(text) ?? { key, calls: 0, saved: 0, durationMs: 0, lastAt: 0, lastRow: '' }
    sums.set(text, sum)
    sum.calls += 1
    if (isServed && failure !== '') sum.saved += 1
    sum.durationMs += Math.max(Math.round(durationMs), 0)
    sum.lastAt = Math.max(sum.lastAt, end)
    if (own > sum.lastRow) sum.lastRow = own
  }
}

function requestValues({ key, requests, charged, classes }: RequestSum): RowValues {
  return [...key, requests, charged, ...classes]
}

function attemptValues({ key, calls, saved, durationMs, lastAt, lastRow }: AttemptSum): RowValues {
  return [...key, calls, saved, durationMs, lastAt, lastRow]
}

/** Sums sorted by key, so that concurrent writers cannot deadlock. */
function inOrder<Sum>(sums: ReadonlyMap<string, Sum>): Sum[] {
  return [...sums].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, sum]) => sum)
}
