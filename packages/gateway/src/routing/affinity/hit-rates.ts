/** Ends of the age groups, as multiples of the cache's lifetime. Older entries are treated as expired. */
const AGES: readonly number[] = [0.25, 0.75, 1, 1.5, 2, 4]
/** Expected share of cached tokens by age group, before any observation. Many caches keep entries for longer. */
const EXPECTED: readonly number[] = [0.97, 0.95, 0.85, 0.4, 0.25, 0.1]
/** Number of observations that the expectation is worth. */
const TRUST = 4
/** Number of observations after which older ones count less. */
const MOST_OBSERVED = 50

/** Share of the expected tokens that a target really had in its cache, by age of the entry. */
export interface HitRates {
  /** Probability that an entry is still in the cache, from 0 to 1. Ages and lifetimes are in milliseconds. */
  probability(ageMs: number, lifetimeMs: number): number
  /** Adds an observation: the share of the expected tokens that the upstream reported as cached, from 0 to 1. */
  observe(ageMs: number, lifetimeMs: number, share: number): void
}

/**
 * Creates the statistics of a target.
 *
 * @example
 * ```ts
 * const rates = createHitRates()
 * rates.observe(60_000, 300_000, 0)
 * rates.probability(60_000, 300_000) // 0.776
 * ```
 */
export function createHitRates(): HitRates {
  const rates = [...EXPECTED]
  const counts = new Array<number>(AGES.length).fill(TRUST)
  return {
    probability: (ageMs, lifetimeMs) => rates[groupOf(ageMs, lifetimeMs)] ?? 0,
    observe(ageMs, lifetimeMs, share) {
      const group = groupOf(ageMs, lifetimeMs)
      const rate = rates[group]
      if (rate === undefined) return
      const count = Math.min(MOST_OBSERVED, (counts[group] ?? TRUST) + 1)
      counts[group] = count
      rates[group] = rate + (share - rate) / count
    },
  }
}

function groupOf(ageMs: number, lifetimeMs: number): number {
  let group = 0
  for (const end of AGES) {
    if (ageMs < end * lifetimeMs) return group
    group++
  }
  return group
}
