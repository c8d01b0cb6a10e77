import { HeadgateError } from '@headgate/core/errors'
import { now } from '../clock.ts'
import type { Times } from '../ports/gateway-options.ts'
import type { RateEstimate } from '../ports/rates.ts'
import type { QueueRefusal } from '../routing/call-queue.ts'
import type { Capacity } from '../routing/capacity.ts'
import type { Context } from './context.ts'
import { deadlineOf } from './deadline.ts'
import { fairRequestOf, noteRefusal, retryAfterMs, untilStopped } from './waiting.ts'

function refused(reason: QueueRefusal, { expectedMs }: Capacity): HeadgateError {
  const why =
    reason === 'queue-full' ? 'too many requests wait already' : 'this request has waited for the maximum time'
  return new HeadgateError(
    'over-limit',
    `The gateway serves its maximum number of requests, and ${why}. Try again later.`,
    { retryAfterMs: retryAfterMs(expectedMs()) },
  )
}

async function waitToEnter(
  capacity: Capacity,
  times: Times,
  context: Context,
  estimate: (() => RateEstimate) | undefined,
): Promise<void> {
  context.waitingSince = now()
  const ms = Math.min(times.queue, deadlineOf(times, context).at - context.waitingSince)
  const result = await untilStopped(context, capacity.wait(fairRequestOf(context, estimate?.()), ms))
  if (result === 'entered') context.leaveCapacity = capacity.leave
  if (context.stopped) throw context.stopped
  if (result === 'entered' || result === undefined) return
  noteRefusal(context, result)
  throw refused(result, capacity)
}

/**
 * Takes a place among the requests in progress. It is freed when the request has ended. A dry run takes none.
 *
 * @returns a promise to wait for; undefined = nothing
 * @throws HeadgateError `over-limit`
 */
export function enterGateway(
  capacity: Capacity,
  times: Times,
  context: Context,
  estimate: (() => RateEstimate) | undefined,
): Promise<void> | undefined {
  if (context.isDryRun) return undefined
  if (!capacity.enter()) return waitToEnter(capacity, times, context, estimate)
  context.leaveCapacity = capacity.leave
  return undefined
}
