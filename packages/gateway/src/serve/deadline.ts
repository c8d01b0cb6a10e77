import { HeadgateError, invalid } from '@headgate/core/errors'
import { headerOf } from '../edge/sink.ts'
import { offStop, onStop, stopContext } from '../edge/stop.ts'
import type { Times } from '../ports/gateway-options.ts'
import { type AttemptOutcome, type AttemptPlan, runAttempts } from '../routing/attempts.ts'
import type { Context } from './context.ts'
import type { Core } from './core.ts'
import { timerAt } from './timer.ts'

interface Deadline {
  /** Moment of {@link now} at which the request must have ended. */
  readonly at: number
  /** True if the caller set a shorter time than the configuration. */
  readonly isShortened: boolean
}

/**
 * Deadline of a request.
 * @throws HeadgateError for an invalid `headgate-timeout-ms`
 */
export function deadlineOf({ whole }: Times, context: Context): Deadline {
  const requested = headerOf(context.incoming, 'headgate-timeout-ms')
  if (requested === undefined) return { at: context.begunAt + whole, isShortened: false }
  const ms = Number(requested)
  if (!Number.isInteger(ms) || ms <= 0)
    throw invalid('headgate-timeout-ms', 'The header headgate-timeout-ms must be an integer above 0, in milliseconds.')
  return { at: context.begunAt + Math.min(ms, whole), isShortened: ms < whole }
}

/** Waits until the time has passed or the request is stopped. */
function waiter(context: Context): (ms: number) => Promise<void> {
  return (ms) =>
    new Promise((resolve) => {
      const timer = setTimeout(done, ms)
      function done(): void {
        clearTimeout(timer)
        offStop(context, done)
        resolve()
      }
      onStop(context, done)
    })
}

/** Tries candidates in turn until one serves the request, the deadline has passed, or the caller has left. */
export async function attemptWithinDeadline<C>(
  { times, health, retries }: Core,
  context: Context,
  given: Pick<AttemptPlan<C>, 'candidates' | 'subjectOf' | 'attempt' | 'onlyAfter' | 'isNoted'>,
): Promise<AttemptOutcome> {
  const deadline = deadlineOf(times, context)
  const late = (): void => stopContext(context, new HeadgateError('timeout', 'The request exceeded its time limit.'))
  const callOff = timerAt(deadline.at, late)
  try {
    return await runAttempts({
      candidates: given.candidates,
      subjectOf: given.subjectOf,
      attempt: given.attempt,
      isNoted: given.isNoted,
      ...(given.onlyAfter && { onlyAfter: given.onlyAfter }),
      health,
      retries,
      deadline: deadline.at,
      backoff: times.backoff,
      wait: waiter(context),
      calls: () => context.attempts.length,
      isOver: () => context.stopped !== undefined,
      // Only the configured timeout counts against a provider's health: a caller's timeout must not affect other
      // callers.
      isExcused: () => context.stopped !== undefined && (deadline.isShortened || context.stopped.kind !== 'timeout'),
    })
  } finally {
    callOff()
  }
}
