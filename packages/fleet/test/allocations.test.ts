import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  createRandom,
  createTestFleet,
  load,
  mostConcurrent,
  mostInMinute,
  requestsOf,
  tokensOf,
} from './support/fleet.ts'

const MINUTE = 60_000

describe('Three nodes with one limit', () => {
  it('use at least 97 % of a saturated limit of requests, and never exceed it', async () => {
    const fleet = createTestFleet({ nodes: 3 })
    await load(fleet, { requestsPerMinute: 100 }, { ms: 5 * MINUTE, perSecond: 30 })
    expect(mostInMinute(requestsOf(fleet.admitted))).toBeLessThanOrEqual(100)
    expect(fleet.admitted.length).toBeGreaterThanOrEqual(0.97 * 500)
    // The first burst repeats each minute. From then on the limit is used as well.
    const later = fleet.admitted.filter(({ at }) => at >= MINUTE / 2)
    expect(later.length).toBeGreaterThanOrEqual(0.97 * 400)
  })

  it('use at least 97 % of a saturated limit of tokens, and never exceed it', async () => {
    const fleet = createTestFleet({ nodes: 3 })
    await load(fleet, { tokensPerMinute: 10_000 }, { ms: 5 * MINUTE, perSecond: 30, tokens: 50 })
    expect(mostInMinute(tokensOf(fleet.admitted))).toBeLessThanOrEqual(10_000)
    expect(fleet.admitted.reduce((sum, { tokens }) => sum + tokens, 0)).toBeGreaterThanOrEqual(0.97 * 50_000)
  })

  it('use at least 97 % of a limit of tokens if requests use less than their estimate, too', async () => {
    const fleet = createTestFleet({ nodes: 3 })
    for (let nth = 0; fleet.clock.now() < 4 * MINUTE; nth++) {
      fleet.send(nth % 3, { tokensPerMinute: 10_000 }, { tokens: 135, used: 120, endMs: 5 })
      await fleet.run(25)
    }
    expect(mostInMinute(tokensOf(fleet.admitted))).toBeLessThanOrEqual(10_000)
    const later = fleet.admitted.filter(({ at }) => at >= MINUTE)
    expect(later.reduce((sum, { tokens }) => sum + tokens, 0)).toBeGreaterThanOrEqual(0.97 * 30_000)
  })

  it('use it when its load is even, too', async () => {
    const fleet = createTestFleet({ nodes: 3 })
    const limit = { requestsPerMinute: 100, tokensPerMinute: 10_000 }
    // Less than the limit for a minute, so that the use is spread over the minute.
    await load(fleet, limit, { ms: MINUTE, perSecond: 1.5, tokens: 60 })
    await load(fleet, limit, { ms: 4 * MINUTE, perSecond: 20, tokens: 60 })
    const later = fleet.admitted.filter(({ at }) => at >= MINUTE)
    const part = Math.max(later.length / 400, later.reduce((sum, { tokens }) => sum + tokens, 0) / 40_000)
    expect(part).toBeGreaterThanOrEqual(0.97)
    expect(mostInMinute(requestsOf(fleet.admitted))).toBeLessThanOrEqual(100)
    expect(mostInMinute(tokensOf(fleet.admitted))).toBeLessThanOrEqual(10_000)
  })

  it.each([
    ['far below the limit', 100_000, 100],
    ['at the limit', 100, 30],
    ['rarely', 100, 0.3],
  ])('need at most two exchanges a second and node, %s', async (_, requestsPerMinute, perSecond) => {
    const fleet = createTestFleet({ nodes: 3 })
    await load(fleet, { requestsPerMinute }, { ms: 5 * MINUTE, perSecond })
    for (const { counters } of fleet.nodes) expect(counters.exchanges).toBeLessThanOrEqual(2 * 300 + 20)
    if (requestsPerMinute > 100) expect(fleet.refused).toEqual([])
  })
})

const fleets = fc.record({
  nodes: fc.integer({ min: 1, max: 4 }),
  seed: fc.integer({ min: 1, max: 1_000_000 }),
  delayMs: fc.constantFrom(0.1, 5, 24),
  limit: fc.record({
    requestsPerMinute: fc.integer({ min: 1, max: 60 }),
    tokensPerMinute: fc.integer({ min: 100, max: 3_000 }),
    concurrent: fc.integer({ min: 1, max: 20 }),
  }),
  phases: fc.array(
    fc.record({
      ms: fc.integer({ min: 100, max: 40_000 }),
      perSecond: fc.constantFrom(0.5, 3, 20),
      tokens: fc.constantFrom(1, 20, 200),
      pauseMs: fc.constantFrom(0, 0, 300, 4_000),
    }),
    { minLength: 2, maxLength: 6 },
  ),
})

describe('Nodes over a reachable store', () => {
  it('exceed no limit in any 60 seconds, at any delay, when processes are paused', { timeout: 120_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(fleets, async ({ nodes, seed, delayMs, limit, phases }) => {
        const fleet = createTestFleet({ nodes, delayMs, random: createRandom(seed) })
        for (const [index, { ms, perSecond, tokens, pauseMs }] of phases.entries()) {
          const node = fleet.nodes[index % nodes]
          if (node) node.pausedUntil = fleet.clock.now() + pauseMs
          await load(fleet, limit, { ms, perSecond, tokens, isUsed: false, seed: seed + index })
        }
        expect(mostInMinute(requestsOf(fleet.admitted))).toBeLessThanOrEqual(limit.requestsPerMinute)
        expect(mostInMinute(tokensOf(fleet.admitted))).toBeLessThanOrEqual(limit.tokensPerMinute)
        expect(mostConcurrent(fleet.admitted)).toBeLessThanOrEqual(limit.concurrent)
      }),
      { numRuns: 30, seed: 29 },
    )
  })
})
