import { HeadgateError } from '@headgate/core/errors'
import { now } from '../clock.ts'
import { offStop, onStop } from '../edge/stop.ts'
import type { RateEstimate } from '../ports/rates.ts'
import type { QueueRefusal } from '../routing/call-queue.ts'
import { type Candidate, subjectOf } from '../routing/candidates.ts'
import { placeOf } from '../routing/catalog.ts'
import { type FairRequest, WITHOUT_TOKENS } from '../routing/fair-queue.ts'
import type { Cooldown } from '../routing/health.ts'
import type { Context } from './context.ts'
import type { Core } from './core.ts'
import { deadlineOf } from './deadline.ts'

/** Suggested wait in milliseconds if none is known, and the maximum. */
const RETRY_AFTER_MS = 1_000
const MAX_RETRY_AFTER_MS = 30_000
/** Longest estimate of the time until a call ends, in milliseconds. */
const MAX_CALL_MS = 1_000

function inCooldown(place: string, { kind, until }: Cooldown, moment: number): HeadgateError {
  const retryAfterMs = Math.ceil(until - moment)
  const why = kind === 'our-quota' ? 'its quota is used up' : 'its rate limit is used up'
  return new HeadgateError(
    kind,
    `Provider ${place} is not called for ${Math.ceil(retryAfterMs / 1000)} s because ${why}. Try again later, or use another model.`,
    { retryAfterMs },
  )
}

/** Failure of a candidate that has its maximum number of calls. Others are tried; the caller gets {@link allFull}. */
export const FULL = new HeadgateError('unavailable', 'The endpoint has its maximum number of calls.')

/** Error for a request whose candidates all have their maximum number of calls. */
export function allFull(): HeadgateError {
  return new HeadgateError(
    'over-limit',
    'All endpoints of this model have their maximum number of calls. Try again later, or use another model.',
    { retryAfterMs: RETRY_AFTER_MS },
  )
}

/**
 * Rejects a candidate that cannot be called now: its account has no quota left, or its provider has the maximum number
 * of requests that wait for its first byte.
 * @throws HeadgateError `over-limit`, `rate-limited` or `our-quota`
 */
export function checkAvailable({ limits, health }: Pick<Core, 'limits' | 'health'>, candidate: Candidate): void {
  const { instance, endpoint } = candidate
  const { name, waiting, mostWaiting = limits.waiting } = instance
  const moment = now()
  const cooldown = health.cooldownOf(subjectOf(candidate), moment)
  if (cooldown?.isFinal) throw inCooldown(placeOf(instance, endpoint), cooldown, moment)
  if (waiting.count >= mostWaiting)
    throw new HeadgateError(
      'over-limit',
      `${mostWaiting} requests wait for the first byte of provider ${name}. Try again later, or use another model.`,
      { retryAfterMs: RETRY_AFTER_MS },
    )
}

/** Suggested wait in milliseconds for a request that would wait `expectedMs` in a queue; undefined = unknown. */
export function retryAfterMs(expectedMs: number | undefined): number {
  return Math.min(MAX_RETRY_AFTER_MS, Math.max(RETRY_AFTER_MS, Math.ceil(expectedMs ?? 0)))
}

/** A request as a fair queue sees it. */
export function fairRequestOf(
  { principal: { id, weight = 1 }, serviceClass }: Pick<Context, 'principal' | 'serviceClass'>,
  expected: RateEstimate | undefined,
): FairRequest {
  return { key: id, weight, serviceClass, tokens: expected ? expected.input + expected.output : WITHOUT_TOKENS }
}

/** Result of a wait that ends when the request is stopped. */
export async function untilStopped<T>(
  context: Context,
  { result, leave }: { readonly result: Promise<T>; leave(): void },
): Promise<T> {
  onStop(context, leave)
  if (context.stopped) leave()
  try {
    return await result
  } finally {
    offStop(context, leave)
  }
}

/** Notes that a request is refused, for the access record. */
export function noteRefusal(context: Context, reason: QueueRefusal): void {
  context.shed = { reason, serviceClass: context.serviceClass }
}

/** Shortest time until one of the candidates may have space, in milliseconds. */
function msUntilAnyFree({ load }: Core, candidates: readonly Candidate[], tokens: number): number {
  const moment = now()
  return Math.min(...candidates.map((one) => load.msUntilFree(one, subjectOf(one), tokens, moment)))
}

/**
 * Waits in fair order until one of the candidates has space, until `times.queue` after the request's first wait. The
 * place is in `context.callPlace`.
 * @returns the candidate; undefined if the request has waited long enough, or if too many requests wait
 */
export async function waitForSpace(
  core: Core,
  context: Context,
  candidates: readonly Candidate[],
  estimate: (() => RateEstimate) | undefined,
): Promise<Candidate | undefined> {
  const moment = now()
  context.waitingSince ??= moment
  const expected = estimate?.()
  const request = fairRequestOf(context, expected)
  // Limits of endpoints do not apply to requests without tokens.
  const tokens = expected ? request.tokens : 0
  // Candidates for certain failures are tried after these only.
  const open = candidates.filter(({ on }) => !on)
  const left = Math.min(context.waitingSince + core.times.queue, deadlineOf(core.times, context).at) - moment
  // Only windows of a minute take longer.
  if (open.length === 0 || msUntilAnyFree(core, open, tokens) > Math.max(left, MAX_CALL_MS)) return undefined
  const wait = core.load.queue.wait(request, open, { tokens, ms: left })
  const result = await untilStopped(context, wait)
  if (typeof result === 'string') noteRefusal(context, result)
  if (result === undefined || typeof result === 'string') return undefined
  if (context.stopped) {
    result.leave(context.stopped, now())
    return undefined
  }
  context.callPlace = result
  return result.candidate
}
