import { describe, expect, it } from 'vitest'
import { createRandom } from '../../packages/gateway/test/faults/random.ts'
import { createVirtualClock } from '../simulate/clock.ts'
import { createDraw, createZipf } from '../simulate/draw.ts'
import { simulate } from '../simulate/simulation.ts'

describe('Virtual time', () => {
  it('runs events in the order of their times, and promises before later events', async () => {
    const clock = createVirtualClock()
    const seen: string[] = []
    const draw = createDraw(createRandom(1))
    for (let nth = 0; nth < 200; nth += 1) {
      const ms = Math.ceil(draw.fraction() * 1_000) + 1
      clock.after(ms, () => {
        void Promise.resolve().then(() => seen.push(`${clock.now()}`))
        if (clock.now() !== ms) seen.push('wrong')
      })
    }
    await clock.runUntil(2_000)
    expect(seen).toHaveLength(200)
    expect(seen).toEqual(seen.toSorted((a, b) => Number(a) - Number(b)))
    expect([clock.now(), clock.events]).toEqual([2_000, 200])
  })

  it('draws by Zipf: the first is twice as frequent as the second', () => {
    const pick = createZipf(100)
    const draw = createDraw(createRandom(2))
    const counts = new Map<number, number>()
    for (let nth = 0; nth < 20_000; nth += 1) {
      const index = pick(draw.fraction())
      counts.set(index, (counts.get(index) ?? 0) + 1)
    }
    expect((counts.get(0) ?? 0) / (counts.get(1) ?? 1)).toBeCloseTo(2, 0)
    expect(Math.max(...counts.keys())).toBeLessThan(100)
  })
})

// `pnpm bench simulate` has 1,000 nodes.
describe('A simulation of 50 nodes', () => {
  it('exceeds no limit, uses nearly all of each, and finds its way around outages', { timeout: 60_000 }, async () => {
    const { rates, outages, reads } = await simulate({
      seed: 7,
      nodes: 50,
      callers: 500,
      perSecond: 200,
      ratesMs: 120_000,
      providers: 10,
      callsPerSecond: 100,
      outageMs: 30_000,
      readsMs: 20_000,
    })
    expect(rates.over).toBe(0)
    expect(rates.saturated).toBeGreaterThan(2)
    expect(Math.max(rates.unused.requests, rates.unused.tokens)).toBeLessThan(0.15)
    expect(reads.readsPerSecond).toBeLessThan(2_000)
    expect(reads.spread.most).toBeLessThan(1_000)
    for (const { name, requests, failures, load } of outages) {
      expect(requests).toBeGreaterThan(100)
      expect({ name, isServed: failures / requests < 0.25 }).toEqual({ name, isServed: true })
      expect({ name, isRelieved: load < 2 }).toEqual({ name, isRelieved: true })
    }
  })
})
