import type { Bound } from '../../pipeline/bound.ts'

/** One call of a backend. */
export const BOUND: Bound = { input: 0, output: 0, units: { searches: 1 } }
