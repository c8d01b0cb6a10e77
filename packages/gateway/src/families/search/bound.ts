import type { Price } from '@headgate/core/canonical'
import type { Bound } from '../../cost/bound.ts'
import type { Candidate } from './engines.ts'

/** One call of a backend. */
export const BOUND: Bound = { input: 0, output: 0, units: { searches: 1 } }

/** What a call of a backend costs, as a price. */
export function priceOf({ price }: Pick<Candidate, 'price'>): Price | undefined {
  return price && { id: price.id, input: 0, output: 0, units: { searches: price.call } }
}
