import { HeadgateError } from '@headgate/core/errors'
import type { Candidate } from '../routing/candidates.ts'
import type { Core } from './core.ts'

/** Suggested wait in milliseconds. */
const RETRY_AFTER = 1_000

/**
 * Rejects a candidate whose provider has the maximum number of requests that wait for its first byte.
 * @throws HeadgateError `over-limit`
 */
export function checkWaiting(
  { limits }: Pick<Core, 'limits'>,
  { instance: { name, waiting, mostWaiting } }: Candidate,
): void {
  const most = mostWaiting ?? limits.waiting
  if (waiting.count < most) return
  throw new HeadgateError(
    'over-limit',
    `${most} requests wait for the first byte of provider ${name}. Try again later, or use another model.`,
    {
      retryAfterMs: RETRY_AFTER,
    },
  )
}
