import type { FailureBilling, HttpResponse, LimitHeader } from '@headgate/core/contract'
import { HeadgateError } from '@headgate/core/errors'
import { now, since } from '../clock.ts'
import { costOfFailure, isRejection, type RecordedAttempt, STARTED, sentOf, startedAttempt } from '../cost/charge.ts'
import { hopsOf } from '../edge/hops.ts'
import type { ExchangeOptions } from '../http/exchange.ts'
import type { UpstreamCall, WaitingCount } from '../http/upstream.ts'
import { type HealthTarget, keyOf } from '../routing/health.ts'
import type { Context } from './context.ts'
import type { Core } from './core.ts'
import { noteWords } from './end-record.ts'
import { callTrace } from './propagation.ts'

/** Record of a running call. */
export interface CallRecord {
  /** Row of the attempt. The caller of the function sets its status, and its cost on success. */
  readonly row: RecordedAttempt
  /** The upstream responded with a complete error response. */
  refused: boolean
  /** Newest of its upstream calls, or an earlier call if it was sent; see `sentOf`. */
  call: Pick<UpstreamCall, 'sent'> | undefined
}

/**
 * Runs one upstream call whose response is read whole, and records its attempt, even if it fails. Concurrent calls are
 * recorded in the order of their start, which is the order of their reservations.
 */
export async function recordCall<T>(
  context: Context,
  { provider, endpoint, model, billing }: HealthTarget & { readonly billing?: FailureBilling | undefined },
  call: (note: CallRecord) => Promise<T>,
): Promise<T> {
  const begunAt = now()
  const row = startedAttempt(provider, endpoint, model)
  const note: CallRecord = { row, refused: false, call: undefined }
  context.attempts.push(row)
  try {
    return await call(note)
  } catch (error) {
    const known = HeadgateError.is(error) ? error : undefined
    row.failure = known?.kind ?? 'internal'
    row.code = known?.code
    noteWords(context, row, known)
    row.cost = costOfFailure({ ...note, billing })
    row.priceId = null
    throw error
  } finally {
    row.durationMs = since(begunAt)
  }
}

/** Provider or search backend that is called, and the reader of its failures. */
export interface Callee extends HealthTarget {
  readonly billing?: FailureBilling | undefined
  readonly waiting?: WaitingCount | undefined
  /** Headers of the upstream's limits. */
  readonly limitHeaders?: readonly LimitHeader[] | undefined
  /** True if it gets the trace context; undefined = the gateway's setting. */
  readonly tracing?: boolean | undefined
  /** Name by which retries are limited. */
  readonly repeats: string
  /** Failure that a response represents; undefined = success. */
  failureOf(answer: HttpResponse): HeadgateError | undefined
}

/** Runs one exchange or one in-process call, and records its attempt. `call` receives the options of an exchange. */
export function recordExchange<T>(
  core: Pick<Core, 'limits' | 'retries' | 'upstreamLimits' | 'propagation'>,
  context: Context,
  callee: Callee,
  signal: AbortSignal,
  call: (options: Omit<ExchangeOptions, 'call'>, note: CallRecord) => Promise<T>,
): Promise<T> {
  return recordCall(context, callee, async (note) => {
    signal.throwIfAborted()
    const options: Omit<ExchangeOptions, 'call'> = {
      limit: core.limits.answer,
      signal,
      memory: context.memory,
      waiting: callee.waiting,
      firstByteMs: context.firstByteMs,
      hops: hopsOf(context.incoming),
      trace: callTrace(core, context, note.row, callee.tracing),
      // Budgets would not know of the repetition, which could be billed twice.
      mayRepeat: () => context.holding === undefined && core.retries.mayRetry(callee.repeats, now()),
      onCall(begun) {
        note.call = sentOf(note.call, begun)
        context.calledAt ??= now()
      },
      check(answer) {
        context.answeredAt = now()
        const isFirst = note.row.status === undefined
        note.row.status = answer.status
        const { limitHeaders } = callee
        if (limitHeaders) core.upstreamLimits.note(keyOf(callee), limitHeaders, answer.headers, now())
        const failure = callee.failureOf(answer)
        note.refused = isFirst && failure !== undefined && answer.status >= 400
        if (failure) throw failure
      },
    }
    return call(options, note)
  })
}

/** Runs a call in this process, and records whether it was rejected before any work. */
export function recordLocal<T>(note: CallRecord, run: () => Promise<T>): Promise<T> {
  note.call = STARTED
  return run().catch((error: unknown) => {
    note.refused = isRejection(error)
    throw error
  })
}
