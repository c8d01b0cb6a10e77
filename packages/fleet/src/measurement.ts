import type { AppliedLimit, RateLimit } from '@headgate/gateway/ports'
import { createMemorySharedRates } from './counts.ts'
import { createAllocations } from './node-allocations.ts'

/** Cost of admitted requests. */
export interface Measurement {
  /** Nanoseconds of the thread per admitted request, its end included. */
  readonly nsPerRequest: number
  readonly requests: number
  readonly exchanges: number
}

const LIMIT: RateLimit = { requestsPerMinute: 1_000_000_000, tokensPerMinute: 1_000_000_000_000, concurrent: 1_000_000 }
/** Requests between two turns of the event loop. */
const TURN = 500

/**
 * Measures how long the thread is busy with an admitted request, with a store in memory.
 * @param options number of requests, default 500,000; number of limits of each request, default 2
 * @example
 * ```ts
 * const { nsPerRequest } = await measureAllocations()
 * ```
 */
export async function measureAllocations({ requests = 500_000, limits = 2 } = {}): Promise<Measurement> {
  const counters = createAllocations({ shared: createMemorySharedRates(), node: 'measurement' })
  const applied = Array.from(
    { length: limits },
    (_, index): AppliedLimit => ({ scope: 'key', id: `key-${index}`, limit: LIMIT }),
  )
  const ask = { limits: applied, tokens: { input: 1_000, output: 1_000 } }
  let busyMs = 0
  let admitted = 0
  while (admitted < requests) {
    // The first request after an allocation has expired waits for an exchange.
    const first = await counters.take(ask)
    if (!('leave' in first)) throw new Error(`A request was refused: ${first.unit}`)
    first.leave(1_500)
    const begun = performance.now()
    let count = 0
    for (; count < TURN; count++) {
      const slot = counters.take(ask)
      if (!('leave' in slot)) {
        await slot
        break
      }
      slot.leave(1_500)
    }
    if (count === TURN) {
      busyMs += performance.now() - begun
      admitted += count
    }
  }
  await counters.end()
  return { nsPerRequest: (busyMs * 1_000_000) / admitted, requests: admitted, exchanges: counters.exchanges }
}
