import type { FailureBilling } from '@headgate/core/contract'
import { HeadgateError } from '@headgate/core/errors'
import { now, since } from '../clock.ts'
import { costOfFailure, type NotedAttempt } from '../cost/charge.ts'
import type { UpstreamCall } from '../http/upstream.ts'
import type { Subject } from '../routing/health.ts'
import type { Context } from './context.ts'

/** What a call tells of itself while it runs. */
export interface CallNote {
  /** Its row: whoever makes the call says its status, and what it costs where it succeeds. */
  readonly row: NotedAttempt
  /** The upstream answered with a complete error response. */
  refused: boolean
  /** Newest of its calls of an upstream, or an earlier one that was sent; see `sentOf`. */
  call: Pick<UpstreamCall, 'sent'> | undefined
}

/**
 * Runs one call of an upstream whose answer is read whole, and notes its attempt, whatever comes of it. Calls that run
 * beside each other are noted in the order in which they begin: that of what is reserved for them.
 */
export async function noted<T>(
  context: Context,
  { provider, model, billing }: Subject & { readonly billing?: FailureBilling | undefined },
  call: (note: CallNote) => Promise<T>,
): Promise<T> {
  const begunAt = now()
  const row: NotedAttempt = {
    provider,
    model,
    startedAt: Date.now(),
    durationMs: 0,
    status: undefined,
    failure: undefined,
    cost: null,
    priceId: null,
  }
  const note: CallNote = { row, refused: false, call: undefined }
  context.attempts.push(row)
  try {
    return await call(note)
  } catch (error) {
    row.failure = HeadgateError.is(error) ? error.kind : 'internal'
    row.cost = costOfFailure({ ...note, billing })
    row.priceId = null
    throw error
  } finally {
    row.durationMs = since(begunAt)
  }
}
