import { HeadgateError } from '@headgate/core/errors'
import { now } from '../clock.ts'
import { type Candidate, subjectOf } from '../routing/candidates.ts'
import { placeOf } from '../routing/catalog.ts'
import type { Cooldown } from '../routing/health.ts'
import type { Core } from './core.ts'

/** Suggested wait in milliseconds. */
const RETRY_AFTER_MS = 1_000

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
