import type { RateLimit } from '@headgate/gateway'
import { memoryCounters } from '@headgate/gateway/operate'
import type { RateCounters } from '@headgate/gateway/ports'
import { type FleetParts, openFleet } from '../fleet/fleet.ts'

/** Counters of one worker, until it closes them. */
export interface OwnCounters extends RateCounters {
  close(): Promise<void>
}

/**
 * Opens counters of a worker whose primary process does not answer. The worker is a separate node in the shared
 * counts. Without shared counts it uses its part of each limit.
 * @param workers number of workers
 */
export async function openOwnCounters(parts: FleetParts, workers: number): Promise<OwnCounters> {
  const fleet = await openFleet(parts)
  if (!fleet) return countersOfPart(memoryCounters(), workers)
  const { counters, close } = fleet
  return { take: (ask) => counters.take(ask), adopt: (ask) => counters.adopt(ask), close }
}

/** Counters with a part of each limit; at least 1 of each unit. */
function countersOfPart(counters: RateCounters, parts: number): OwnCounters {
  const partOf = (most: number): number => Math.max(1, Math.floor(most / parts))
  const limitOf = ({ requestsPerMinute, tokensPerMinute, concurrent }: RateLimit): RateLimit => ({
    ...(requestsPerMinute !== undefined && { requestsPerMinute: partOf(requestsPerMinute) }),
    ...(tokensPerMinute !== undefined && { tokensPerMinute: partOf(tokensPerMinute) }),
    ...(concurrent !== undefined && { concurrent: partOf(concurrent) }),
  })
  return {
    take: ({ limits, tokens }) =>
      counters.take({ limits: limits.map(({ scope, id, limit }) => ({ scope, id, limit: limitOf(limit) })), tokens }),
    close: async () => {},
  }
}
