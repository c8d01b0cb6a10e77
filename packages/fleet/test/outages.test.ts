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
const LIMIT = { requestsPerMinute: 100, tokensPerMinute: 10_000 }

describe('Nodes whose store does not answer', () => {
  it('exceed a used-up limit by at most one request per node, at any duration', { timeout: 120_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.record({
          nodes: fc.integer({ min: 1, max: 5 }),
          seed: fc.integer({ min: 1, max: 1_000_000 }),
          before: fc.integer({ min: 10_000, max: 100_000 }),
          away: fc.constantFrom(100, 700, 3_000, 20_000, 70_000, 130_000),
          requestsPerMinute: fc.integer({ min: 1, max: 80 }),
        }),
        async ({ nodes, seed, before, away, requestsPerMinute }) => {
          const fleet = createTestFleet({ nodes, random: createRandom(seed) })
          const limit = { requestsPerMinute }
          await load(fleet, limit, { ms: before, perSecond: 15, seed })
          fleet.isAway = true
          await load(fleet, limit, { ms: away, perSecond: 15, seed: seed + 1 })
          fleet.isAway = false
          await load(fleet, limit, { ms: 70_000, perSecond: 15, seed: seed + 2 })
          expect(mostInMinute(requestsOf(fleet.admitted))).toBeLessThanOrEqual(requestsPerMinute + nodes)
        },
      ),
      { numRuns: 20, seed: 29 },
    )
  })

  it('exceed a saturated limit of tokens by at most one request per node', async () => {
    const fleet = createTestFleet({ nodes: 3 })
    await load(fleet, LIMIT, { ms: 90_000, perSecond: 20, tokens: 200 })
    fleet.isAway = true
    await load(fleet, LIMIT, { ms: 100_000, perSecond: 20, tokens: 200, seed: 8 })
    fleet.isAway = false
    await load(fleet, LIMIT, { ms: 70_000, perSecond: 20, tokens: 200, seed: 9 })
    expect(mostInMinute(tokensOf(fleet.admitted))).toBeLessThanOrEqual(10_000 + 3 * 400)
  })

  it('refuse nothing if the limit has enough, and no request waits longer than one deadline', async () => {
    const fleet = createTestFleet({ nodes: 3 })
    const limit = { requestsPerMinute: 10_000, tokensPerMinute: 1_000_000, concurrent: 1_000 }
    await load(fleet, limit, { ms: 20_000, perSecond: 20, tokens: 100 })
    fleet.isAway = true
    await load(fleet, limit, { ms: 100_000, perSecond: 20, tokens: 100, seed: 8 })
    expect(fleet.refused).toEqual([])
    expect(Math.max(...fleet.admitted.map(({ waitedMs }) => waitedMs))).toBeLessThanOrEqual(60)
    for (const { counters } of fleet.nodes)
      expect(counters.state()).toEqual({
        isShared: false,
        reasons: ['The shared store of rate limits is unreachable: timeout'],
      })
  })

  it('count for all nodes again within a second after it answers', async () => {
    const fleet = createTestFleet({ nodes: 3 })
    await load(fleet, LIMIT, { ms: 5_000, perSecond: 20, tokens: 50 })
    fleet.isAway = true
    await load(fleet, LIMIT, { ms: 30_000, perSecond: 20, tokens: 50, seed: 8 })
    fleet.isAway = false
    const at = fleet.clock.now()
    await load(fleet, LIMIT, { ms: 2_000, perSecond: 20, tokens: 50, seed: 9 })
    for (const { changes } of fleet.nodes) {
      expect(changes.map(({ isShared }) => isShared)).toEqual([false, true])
      expect((changes[1]?.at ?? 0) - at).toBeLessThanOrEqual(1_000)
    }
  })

  it('serve a limit that they did not know before', async () => {
    const fleet = createTestFleet({ nodes: 2 })
    await fleet.run(3_000)
    fleet.isAway = true
    await fleet.run(3_000)
    fleet.send(0, { requestsPerMinute: 60 })
    await fleet.run(30_000)
    for (let nth = 0; nth < 20; nth++) fleet.send(0, { requestsPerMinute: 60 })
    await fleet.run(100)
    // Half of the minute has passed, and half of the limit is this node's.
    expect(fleet.admitted.length).toBeGreaterThan(10)
    expect(fleet.admitted.length).toBeLessThanOrEqual(16)
    await fleet.run(70_000)
    fleet.admitted.length = 0
    for (let nth = 0; nth < 40; nth++) fleet.send(0, { requestsPerMinute: 60 })
    await fleet.run(100)
    expect(fleet.admitted).toHaveLength(30)
  })

  it('keep their places, and get no more than their part', async () => {
    const fleet = createTestFleet({ nodes: 2 })
    const limit = { concurrent: 10 }
    for (let nth = 0; nth < 8; nth++) fleet.send(0, limit, { endMs: 20_000 })
    await fleet.run(5_000)
    fleet.isAway = true
    await fleet.run(3_000)
    for (let nth = 0; nth < 20; nth++) fleet.send(nth % 2, limit, { endMs: 10_000 })
    await fleet.run(1_000)
    expect(mostConcurrent(fleet.admitted)).toBeLessThanOrEqual(10)
    expect(fleet.admitted.length).toBeGreaterThanOrEqual(9)
  })
})

describe('Limits that were used up before an outage', () => {
  it('are not exceeded in an outage of a few seconds', async () => {
    for (const seed of [1, 2, 3]) {
      const fleet = createTestFleet({ nodes: 3, random: createRandom(seed) })
      const limit = { requestsPerMinute: 60, concurrent: 4 }
      for (let round = 0; round < 4; round++) {
        await load(fleet, { concurrent: 4 }, { ms: 8_000, perSecond: 30, seed })
        fleet.isAway = true
        await load(fleet, { concurrent: 4 }, { ms: 900 * seed, perSecond: 30, seed: seed + round })
        fleet.isAway = false
      }
      expect(mostConcurrent(fleet.admitted)).toBe(limit.concurrent)
    }
  })

  it('are refused by a node that has not admitted anything, with the time after which it may', async () => {
    const fleet = createTestFleet({ nodes: 2 })
    const limit = { requestsPerMinute: 5 }
    for (let nth = 0; nth < 8; nth++) fleet.send(0, limit)
    await fleet.run(1_500)
    fleet.send(1, limit)
    await fleet.run(500)
    fleet.isAway = true
    await fleet.run(3_000)
    fleet.refused.length = 0
    fleet.send(1, limit)
    await fleet.run(100)
    expect(fleet.admitted).toHaveLength(5)
    const [{ refusal } = { refusal: undefined }] = fleet.refused
    expect(refusal).toMatchObject({ unit: 'requests', remaining: 0 })
    expect(refusal?.retryAfterMs).toBeGreaterThan(5_000)
    await fleet.run(refusal?.retryAfterMs ?? 0)
    fleet.send(1, limit)
    await fleet.run(100)
    expect(fleet.admitted).toHaveLength(6)
  })
})

describe('Places above the limit after an outage', () => {
  it('are given up, although requests wait for them', async () => {
    const fleet = createTestFleet({ nodes: 3 })
    const limit = { concurrent: 2 }
    await fleet.run(2_000)
    fleet.isAway = true
    await fleet.run(3_000)
    // No node knows of the others: each admits one request.
    for (let nth = 0; nth < 3; nth++) fleet.send(nth, limit, { endMs: 5_000 })
    await fleet.run(500)
    expect(mostConcurrent(fleet.admitted)).toBe(3)
    fleet.isAway = false
    for (let nth = 0; nth < 600; nth++) {
      fleet.send(nth % 3, limit, { endMs: 1_000 })
      await fleet.run(20)
    }
    const later = fleet.admitted.filter(({ at }) => at > 8_000)
    expect(mostConcurrent(later)).toBeLessThanOrEqual(2)
    expect(later.length).toBeGreaterThan(12)
  })
})

describe('A process that was paused until other nodes got its places', () => {
  it.each([9_000, 12_000, 40_000])('does not use them, after %d ms', async (pauseMs) => {
    const fleet = createTestFleet({ nodes: 2 })
    const limit = { concurrent: 6 }
    for (let nth = 0; nth < 6; nth++) fleet.send(0, limit, { endMs: 200 })
    await fleet.run(210)
    const [paused] = fleet.nodes
    if (paused) paused.pausedUntil = fleet.clock.now() + pauseMs
    const until = fleet.clock.now() + pauseMs + 3_000
    for (let nth = 0; fleet.clock.now() < until; nth++) {
      fleet.send(nth % 2, limit, { endMs: 300 })
      await fleet.run(20)
    }
    await fleet.run(2_000)
    expect(mostConcurrent(fleet.admitted)).toBe(6)
  })
})

describe('A node that alone does not reach the store', () => {
  it('adds at most its part of the limit', async () => {
    const fleet = createTestFleet({ nodes: 3 })
    await load(fleet, { requestsPerMinute: 90 }, { ms: 90_000, perSecond: 20 })
    fleet.lostReplies = 0.05
    await load(fleet, { requestsPerMinute: 90 }, { ms: 180_000, perSecond: 20, seed: 8 })
    expect(mostInMinute(requestsOf(fleet.admitted))).toBeLessThanOrEqual(90 + 3 * 30)
  })
})

describe('Counts that the store lost', () => {
  it('are declared again: the limit is exceeded by at most one request per node', async () => {
    for (const seed of [1, 2, 3, 4]) {
      const fleet = createTestFleet({ nodes: 3, random: createRandom(seed) })
      await load(fleet, LIMIT, { ms: 40_000 + 7_000 * seed, perSecond: 20, tokens: 50, seed })
      fleet.clearStore()
      await load(fleet, LIMIT, { ms: 130_000, perSecond: 20, tokens: 50, seed: seed + 1 })
      expect(mostInMinute(requestsOf(fleet.admitted))).toBeLessThanOrEqual(100 + 3)
      for (const { counters } of fleet.nodes) expect(counters.state().isShared).toBe(true)
      const last = fleet.admitted.filter(({ at }) => at > fleet.clock.now() - MINUTE)
      expect(last.length).toBeGreaterThanOrEqual(80)
    }
  })

  it('are awaited by a node that starts right afterwards', async () => {
    for (const seed of [1, 2, 3]) {
      const fleet = createTestFleet({ nodes: 2, random: createRandom(seed) })
      const limit = { requestsPerMinute: 100, concurrent: 8 }
      await load(fleet, limit, { ms: 40_000, perSecond: 20, seed })
      fleet.clearStore()
      fleet.startNode()
      const clearedAt = fleet.clock.now()
      let readyAt = Number.POSITIVE_INFINITY
      void fleet.nodes[2]?.counters.ready().then(() => {
        readyAt = fleet.clock.now()
      })
      for (let nth = 0; nth < 200; nth++) fleet.send(2, limit, { endMs: 1_000 })
      await load(fleet, limit, { ms: 90_000, perSecond: 20, seed: seed + 1 })
      expect(mostInMinute(requestsOf(fleet.admitted))).toBeLessThanOrEqual(100 + 3)
      expect(mostConcurrent(fleet.admitted)).toBeLessThanOrEqual(8 + 3)
      expect(fleet.admitted.some(({ node }) => node === 2)).toBe(true)
      expect(readyAt - clearedAt).toBeGreaterThanOrEqual(2_500)
      expect(readyAt - clearedAt).toBeLessThanOrEqual(3_100)
      for (const { counters } of fleet.nodes) expect(counters.state().isShared).toBe(true)
    }
  })
})
