import type { Price, Usage } from '@headgate/core/canonical'
import { addUnits, costOf, costOfCharges, ratesFor } from '../../cost/cost.ts'
import type { RankInput, RankTarget } from './types.ts'

/** Minimum number of input tokens that caches store. */
const LEAST_WRITTEN = 1_024

/** Tokens of a request that a target is expected to read from its cache. */
export function expectedCached({ warm }: RankTarget, { expected }: Pick<RankInput, 'expected'>): number {
  return warm ? Math.min(Math.round(expected.input), Math.round(warm.tokens * warm.probability)) : 0
}

/**
 * Expected cost of a request at a price, if `cached` of its input tokens are read from a cache: integer nano-dollars.
 * Infinity if it is unknown, so that an unknown price is never the lowest.
 *
 * @example
 * ```ts
 * const price = { id: 'p', input: 3_000_000_000, cacheRead: 300_000_000, output: 15_000_000_000 }
 * expectedCost({ expected: { input: 10_000, output: 100 } }, price, 9_000) // 7_200_000: $0.0072
 * ```
 */
export function expectedCost(
  { expected, writesCache = false }: Pick<RankInput, 'expected' | 'writesCache'>,
  price: Price | undefined,
  cached: number,
): number {
  if (!price) return Number.POSITIVE_INFINITY
  const input = Math.round(expected.input)
  const output = Math.round(expected.output)
  const writes = writesCache && input >= LEAST_WRITTEN
  if (hasMedia(expected)) {
    const usage: Usage = { ...expected, input, output, cacheRead: cached }
    if (writes) usage.cacheWrite = input - cached
    return costOf(usage, price) ?? Number.POSITIVE_INFINITY
  }
  const rates = ratesFor(expected, price)
  if (!rates) return Number.POSITIVE_INFINITY
  const charges = [
    input - cached,
    writes ? (rates.cacheWrite ?? rates.input) : rates.input,
    cached,
    rates.cacheRead ?? rates.input,
    output,
    rates.output,
  ]
  const cost = addUnits(charges, expected, price) ? costOfCharges(charges) : null
  return Math.max(price.minimum ?? 0, cost ?? Number.POSITIVE_INFINITY)
}

function hasMedia({ audioInput, audioOutput, imageInput, imageOutput }: Usage): boolean {
  return Boolean(audioInput || audioOutput || imageInput || imageOutput)
}
