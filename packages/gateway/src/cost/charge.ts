import type { Price } from '@headgate/core/canonical'
import { isCount, type Usage } from '@headgate/core/canonical'
import type { FailureBilling } from '@headgate/core/contract'
import { type ErrorKind, HeadgateError } from '@headgate/core/errors'
import type { UpstreamCall } from '../http/upstream.ts'
import type { AttemptRow } from '../ports/ledger.ts'
import { costOf } from './cost.ts'

/** Recorded attempt whose cost may still be set. */
export type RecordedAttempt = { -readonly [K in keyof AttemptRow]: AttemptRow[K] }

/** Record of a call that starts now, with an unknown cost. An empty `endpoint` means that the provider has only one. */
export function startedAttempt(provider: string, endpoint: string, model: string): RecordedAttempt {
  return {
    family: undefined,
    provider,
    endpoint: endpoint || undefined,
    model,
    startedAt: Date.now(),
    durationMs: 0,
    status: undefined,
    failure: undefined,
    code: undefined,
    cost: null,
    priceId: null,
    spanId: undefined,
  }
}

/** Record of a call that was reserved and not sent. */
export function unsentAttempt(provider: string, endpoint: string, model: string, failure: ErrorKind): RecordedAttempt {
  const row = startedAttempt(provider, endpoint, model)
  row.failure = failure
  row.cost = 0
  return row
}

/** Facts that decide whether the upstream may charge for a failed attempt. */
export interface FailedAttempt {
  /** Call of the upstream; undefined = no call was started. */
  readonly call: Pick<UpstreamCall, 'sent'> | undefined
  /** The upstream responded with a complete error response: a status of 400 or more, read to its end. */
  readonly refused: boolean
  /** Billing of failures, as the adapter declares it. */
  readonly billing: FailureBilling | undefined
}

/**
 * Cost of a failed attempt without usage: 0 if nothing was sent, or if the upstream responded with a complete error
 * response. Null, which is unknown, for every other attempt (timeout, reset, cancellation, response over a limit, cut
 * stream, unusable response): callers can cause these after the work is done.
 */
export function costOfFailure({ call, refused, billing }: FailedAttempt): 0 | null {
  if (call?.sent() !== true) return 0
  if (refused) return billing?.errors === 'billed' ? null : 0
  return billing?.aborted === 'free' ? 0 : null
}

/** Call in this process, which counts as sent: its adapter may have called something that charges. */
export const STARTED: Pick<UpstreamCall, 'sent'> = { sent: () => true }

/** The call of an exchange that shows whether any of its requests was sent. */
export function sentOf(
  before: Pick<UpstreamCall, 'sent'> | undefined,
  call: Pick<UpstreamCall, 'sent'>,
): Pick<UpstreamCall, 'sent'> {
  return before?.sent() ? before : call
}

/**
 * Failures with which an in-process adapter rejects a request before it does any work. They count like a complete error
 * response.
 */
const REJECTIONS: ReadonlySet<ErrorKind> = new Set<ErrorKind>([
  ...(['invalid-request', 'content-policy', 'context-too-long', 'unknown-model'] as const),
  ...(['our-credential', 'our-quota', 'rate-limited', 'overloaded'] as const),
])

export function isRejection(error: unknown): boolean {
  return HeadgateError.is(error) && REJECTIONS.has(error.kind)
}

/** Records the cost of an attempt at the price of its model. `estimated`: the upstream did not report the usage. */
export function charge(
  attempt: RecordedAttempt | undefined,
  usage: Usage | undefined,
  price: Price | undefined,
  estimated = false,
): void {
  if (!attempt) return
  if (estimated) attempt.estimated = true
  attempt.cost = costOf(usage, price)
  attempt.priceId = isCount(attempt.cost) ? (price?.id ?? null) : null
}

/**
 * Sum of the costs of attempts, beginning with index `from`, in nano-dollars. Null if the cost of any of them is
 * unknown. Above 2^53 the result is not a valid count.
 */
export function sumOf(attempts: readonly Pick<AttemptRow, 'cost'>[], from: number): number | null {
  let sum = 0
  for (let at = from; at < attempts.length; at++) {
    const cost = attempts[at]?.cost ?? null
    if (cost === null) return null
    sum += cost
  }
  return sum
}
