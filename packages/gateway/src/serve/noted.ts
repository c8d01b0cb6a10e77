import type { FailureBilling, HttpResponse } from '@headgate/core/contract'
import { HeadgateError } from '@headgate/core/errors'
import { now, since } from '../clock.ts'
import { costOfFailure, isRejection, type NotedAttempt, STARTED, sentOf } from '../cost/charge.ts'
import { hopsOf } from '../edge/hops.ts'
import type { ExchangeOptions } from '../http/exchange.ts'
import type { UpstreamCall, Waiting } from '../http/upstream.ts'
import type { Subject } from '../routing/health.ts'
import type { Context } from './context.ts'
import type { Core } from './core.ts'

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

/** A provider or a search backend that is called, and how its failures are read. */
export interface Callee extends Subject {
  readonly billing?: FailureBilling | undefined
  readonly waiting?: Waiting | undefined
  /** Name by which its repetitions are limited. */
  readonly repeats: string
  /** The failure that an answer is; undefined = none. */
  failureOf(answer: HttpResponse): HeadgateError | undefined
}

/** Runs one exchange, or one call in this process, and notes its attempt. `call` gets what an exchange needs. */
export function callNoted<T>(
  core: Pick<Core, 'limits' | 'retries'>,
  context: Context,
  callee: Callee,
  signal: AbortSignal,
  call: (options: Omit<ExchangeOptions, 'call'>, note: CallNote) => Promise<T>,
): Promise<T> {
  return noted(context, callee, async (note) => {
    signal.throwIfAborted()
    const options: Omit<ExchangeOptions, 'call'> = {
      limit: core.limits.answer,
      signal,
      memory: context.memory,
      waiting: callee.waiting,
      hops: hopsOf(context.incoming),
      // A repetition that budgets do not know of could be charged twice.
      mayRepeat: () => context.holding === undefined && core.retries.mayAgain(callee.repeats, now()),
      onCall(begun) {
        note.call = sentOf(note.call, begun)
      },
      check(answer) {
        const isFirst = note.row.status === undefined
        note.row.status = answer.status
        const failure = callee.failureOf(answer)
        note.refused = isFirst && failure !== undefined && answer.status >= 400
        if (failure) throw failure
      },
    }
    return call(options, note)
  })
}

/** Notes that a call runs in this process, and whether it was rejected before it did any work. */
export function notedLocal<T>(note: CallNote, run: () => Promise<T>): Promise<T> {
  note.call = STARTED
  return run().catch((error: unknown) => {
    note.refused = isRejection(error)
    throw error
  })
}
