import { describe, expect, it } from 'vitest'
import { jainIndex, runFairness } from './support/fairness.ts'

const BUSY = Number.POSITIVE_INFINITY
/** Exchanges of a node per second without a limit that is used up: it reports that it exists. */
const HEARTBEATS = 0.5
const LIMITS = [4, 20, 100]
const FLEETS = [2, 6, 20]
const DURATIONS = [200, 1_000, 3_000]

function busy(nodes: number): readonly number[] {
  return Array.from({ length: nodes }, () => BUSY)
}

const CASES = LIMITS.flatMap((places) =>
  FLEETS.flatMap((nodes) => DURATIONS.map((durationMs) => ({ places, nodes, durationMs }))),
)

describe('Concurrent places of a limit', () => {
  it.each(CASES)('$places are used by $nodes nodes in equal parts, in requests of $durationMs ms', async (options) => {
    const { places, nodes, durationMs } = options
    const { used, use, most, exchanges } = await runFairness({ places, durationMs, demands: busy(nodes) })
    expect(most).toBe(places)
    expect(jainIndex(used)).toBeGreaterThanOrEqual(0.95)
    expect(use).toBeGreaterThanOrEqual(0.97)
    expect(exchanges).toBeLessThanOrEqual(HEARTBEATS * nodes + 2.5)
  })

  it.each([200, 1_000])(
    'are given to nodes that want few, and the rest to the others, in requests of %d ms',
    async (durationMs) => {
      const demands = [1, 2, BUSY, BUSY, BUSY, BUSY]
      const { used, use, most } = await runFairness({ places: 20, durationMs, demands })
      const [one = 0, two = 0, ...rest] = used
      expect(most).toBe(20)
      expect(one).toBeGreaterThanOrEqual(0.97)
      expect(two).toBeGreaterThanOrEqual(2 * 0.97)
      expect(jainIndex(rest)).toBeGreaterThanOrEqual(0.95)
      expect(use).toBeGreaterThanOrEqual(0.97)
    },
  )

  it.each([200, 3_000])(
    'are shared through a store that cannot wake nodes up, in requests of %d ms',
    async (durationMs) => {
      const { used, use, most } = await runFairness({ places: 4, durationMs, demands: busy(6), isWoken: false })
      expect(most).toBe(4)
      expect(jainIndex(used)).toBeGreaterThanOrEqual(0.95)
      expect(use).toBeGreaterThanOrEqual(0.96)
    },
  )
})
