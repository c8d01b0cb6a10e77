import { hash } from 'node:crypto'
import { HeadgateError } from '@headgate/gateway/ports'
import type { Parts } from '../parts.ts'
import { inTransaction } from '../transaction.ts'

/** Request that runs once, however often it is sent. */
export interface IdempotencyRecord {
  /** Kind and id of the caller. */
  readonly caller: string
  /** Idempotency key. */
  readonly key: string
  /** Identity of the request: method, path and body. */
  readonly request: string
}

/** Response without secrets. */
export interface IdempotentResponse {
  readonly status: number
  readonly body: string
  readonly etag?: string | undefined
}

/** Time that a response is repeated, in milliseconds. */
const LASTS = 86_400_000

/**
 * Begins a request, or resolves with the earlier response.
 * @throws HeadgateError `conflict` while the request is in progress, or if its result is unknown; 422 for a different
 * request with the same key.
 */
export function beginOnce(
  parts: Parts,
  { caller, key, request }: IdempotencyRecord,
): Promise<IdempotentResponse | undefined> {
  return inTransaction(parts, async (trx, now) => {
    const id = idOf(caller, key)
    const digest = hash('sha256', request, 'buffer')
    await trx.deleteFrom('answered_requests').where('id', '=', id).where('expires_at', '<=', BigInt(now)).execute()
    const insert = trx.insertInto('answered_requests')
    const values = { id, hash: digest, status: null, body: null, etag: null, created_at: now, expires_at: now + LASTS }
    const begun = await insert
      .values(values)
      .onConflict((conflict) => conflict.column('id').doNothing())
      .returning('id')
      .executeTakeFirst()
    if (begun) return undefined
    const row = await trx.selectFrom('answered_requests').selectAll().where('id', '=', id).executeTakeFirst()
    if (!row)
      throw new HeadgateError('conflict', 'The same request has just failed. Send it again.', { retryAfterMs: 1_000 })
    if (!digest.equals(row.hash)) {
      const message = 'Another request used this `Idempotency-Key` within the last day. Use a different key.'
      throw new HeadgateError('invalid-request', message, { param: 'Idempotency-Key', status: 422 })
    }
    if (row.status === null || row.body === null)
      throw new HeadgateError(
        'conflict',
        'The same request is in progress, or was interrupted. Check its result before you retry.',
      )
    return { status: Number(row.status), body: row.body, ...(row.etag !== null && { etag: row.etag }) }
  })
}

/** Stores the response. Without a response the request had no effect and can be sent again. */
export function endOnce(
  parts: Parts,
  { caller, key }: Pick<IdempotencyRecord, 'caller' | 'key'>,
  answer?: IdempotentResponse,
): Promise<void> {
  return inTransaction(parts, async (trx) => {
    const id = idOf(caller, key)
    if (!answer) await trx.deleteFrom('answered_requests').where('id', '=', id).where('status', 'is', null).execute()
    else {
      const { status, body, etag } = answer
      await trx
        .updateTable('answered_requests')
        .set({ status, body, etag: etag ?? null })
        .where('id', '=', id)
        .execute()
    }
  })
}

function idOf(caller: string, key: string): string {
  return hash('sha256', JSON.stringify([caller, key]), 'hex')
}
