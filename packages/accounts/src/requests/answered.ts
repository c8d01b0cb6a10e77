import { hash } from 'node:crypto'
import { HeadgateError } from '@headgate/gateway/ports'
import type { Parts } from '../parts.ts'
import { inTransaction } from '../transaction.ts'

/** A request that is answered once, however often it is sent. */
export interface OnceRequest {
  /** Who asks: ids of kind and caller. */
  readonly caller: string
  /** What they call the request. */
  readonly key: string
  /** All that makes it this request: method, path, body. */
  readonly request: string
}

/** What was answered, without secrets. */
export interface OnceAnswer {
  readonly status: number
  readonly body: string
  readonly etag?: string | undefined
}

/** How long an answer is given again, in milliseconds. */
const LASTS = 86_400_000

/**
 * Begins a request, or resolves with what was answered to it before.
 * @throws HeadgateError `conflict` while it is under way, or where nobody knows what became of it; 422 for another
 * request of that name.
 */
export function beginOnce(parts: Parts, { caller, key, request }: OnceRequest): Promise<OnceAnswer | undefined> {
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
      const message = 'Another request had this `Idempotency-Key` within a day. Give this one a key of its own.'
      throw new HeadgateError('invalid-request', message, { param: 'Idempotency-Key', status: 422 })
    }
    if (row.status === null || row.body === null)
      throw new HeadgateError(
        'conflict',
        'The same request is under way, or was cut off. Look what has become of it before you ask anew.',
      )
    return { status: Number(row.status), body: row.body, ...(row.etag !== null && { etag: row.etag }) }
  })
}

/** Remembers what was answered; without an answer nothing came of the request, and it may be sent again. */
export function endOnce(
  parts: Parts,
  { caller, key }: Pick<OnceRequest, 'caller' | 'key'>,
  answer?: OnceAnswer,
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
