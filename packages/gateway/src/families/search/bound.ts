import type { Price } from '@headgate/core/canonical'
import type { UsageBound } from '../../cost/bound.ts'
import type { SearchCandidate } from './engines.ts'

/** Worst-case cost of one call of a backend. */
export const BOUND: UsageBound = { input: 0, output: 0, units: { searches: 1 } }

/** Price of the calls of a backend. */
export function priceOf({ price }: Pick<SearchCandidate, 'price'>): Price | undefined {
  return price && { id: price.id, input: 0, output: 0, units: { searches: price.calls } }
}
