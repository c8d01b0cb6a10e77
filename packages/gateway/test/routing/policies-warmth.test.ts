import { describe, expect, it } from 'vitest'
import { createRanking, type RankInput, type Ranking, type RankTarget } from '../../src/routing/policies/rank.ts'
import { seeded } from './simulation/random.ts'

const NOW = 1_700_000_000_000
const PRICE = { id: 'p', input: 3_000_000_000, cacheRead: 300_000_000, output: 15_000_000_000 }
const WARM = { tokens: 41_200, probability: 0.95 }

function target(key: string, changes: Partial<RankTarget> = {}): RankTarget {
  return {
    key,
    tier: 0,
    weight: 1,
    price: PRICE,
    inFlight: 0,
    limit: Number.POSITIVE_INFINITY,
    state: 'well',
    ...changes,
  }
}

function input(targets: readonly RankTarget[], changes: Partial<RankInput> = {}): RankInput {
  return { policy: 'priority', targets, expected: { input: 44_000, output: 400 }, now: NOW, ...changes }
}

function firstOf(ranking: Ranking, given: RankInput): string {
  return ranking.rank(given)[0]?.target.key ?? ''
}

describe('A warm target', () => {
  it.each(['priority', 'weighted', 'least-busy'] as const)('comes first with %s', (policy) => {
    const ranking = createRanking({ random: seeded(1) })
    const given = input([target('a'), target('b', { warm: WARM, inFlight: 2 }), target('c')], { policy })
    expect(firstOf(ranking, given)).toBe('b')
    expect(ranking.rank(given)[0]?.why).toBe('39,140 tokens are warm there: $0.106 saved')
  })

  it('does not come first with fastest', () => {
    const ranking = createRanking({ random: () => 0.99 })
    ranking.measured('a', 2, 100, NOW)
    ranking.measured('b', 2, 200, NOW)
    expect(firstOf(ranking, input([target('a'), target('b', { warm: WARM })], { policy: 'fastest' }))).toBe('a')
  })

  it('comes first for all requests of one conversation, also if they are frequent', () => {
    const ranking = createRanking()
    for (let i = 0; i < 500; i++) {
      const given = input([target('a'), target('b', { warm: WARM, inFlight: 1 }), target('c')], {
        now: NOW + i * 5_000,
      })
      expect(firstOf(ranking, given)).toBe('b')
      ranking.picked(given, 'b')
    }
  })

  it.each([
    { state: 'ejected', until: NOW + 1_000 },
    { state: 'full' },
    { inFlight: 3, limit: 3 },
    { state: 'low' },
  ] as const)('does not come first if it is %j', (changes) => {
    const given = input([target('a'), target('b', { warm: WARM, ...changes }), target('c')])
    expect(firstOf(createRanking(), given)).toBe('a')
  })

  it('comes first within its tier only', () => {
    const given = input([target('a'), target('b'), target('c', { tier: 1, warm: WARM })])
    expect(firstOf(createRanking(), given)).toBe('a')
    expect(firstOf(createRanking(), { ...given, policy: 'weighted' })).toBe('c')
  })

  it('with the lowest expected cost comes first', () => {
    const targets = [
      target('more', { warm: { tokens: 40_000, probability: 0.2 } }),
      target('sure', { warm: { tokens: 30_000, probability: 0.9 } }),
      target('costly', { warm: WARM, price: { ...PRICE, input: 6_000_000_000, cacheRead: 3_000_000_000 } }),
    ]
    expect(firstOf(createRanking(), input(targets))).toBe('sure')
  })

  it('does not come first if cached tokens are not cheaper there', () => {
    const price = { id: 'q', input: 3_000_000_000, output: 15_000_000_000 }
    const given = input([target('a', { price }), target('b', { price, warm: WARM })])
    expect(firstOf(createRanking(), given)).toBe('a')
  })

  it('comes first without a known price', () => {
    const given = input([target('a', { price: undefined }), target('b', { price: undefined, warm: WARM })])
    const [first] = createRanking().rank(given)
    expect(first?.target.key).toBe('b')
    expect(first?.why).toBe('39,140 tokens are warm there')
  })

  it('is followed by the other warm targets, for a failover', () => {
    const targets = [
      target('a'),
      target('b', { warm: { tokens: 12_000, probability: 0.9 } }),
      target('c', { warm: WARM }),
      target('d', { warm: { tokens: 20_000, probability: 0.9 } }),
    ]
    const order = createRanking().rank(input(targets))
    expect(order.map(({ target: { key } }) => key)).toEqual(['c', 'd', 'b', 'a'])
  })

  it('gives way if it has too many calls in progress', () => {
    const given = input([target('a', { inFlight: 10 }), target('b', { warm: WARM, inFlight: 60 })])
    const order = createRanking().rank(given)
    expect(order.map(({ target: { key } }) => key)).toEqual(['a', 'b'])
    expect(order[1]?.why).toBe('39,140 tokens are warm there, but it has too many calls for its weight')
    expect(firstOf(createRanking({ mostLoad: Number.POSITIVE_INFINITY }), given)).toBe('b')
  })
})

describe('The load of warm targets', () => {
  it('stays below 1.25 times the mean over a long trace, also if all requests share their beginning', () => {
    const ranking = createRanking()
    const weights = { a: 1, b: 1, c: 2 }
    const counts = { a: 0, b: 0, c: 0 }
    // Only one target has the shared beginning, again and again.
    for (let i = 0; i < 20_000; i++) {
      const targets = (['a', 'b', 'c'] as const).map((key) =>
        target(key, { weight: weights[key], warm: key === 'a' ? WARM : undefined }),
      )
      const given = input(targets, { now: NOW + i * 5 })
      const key = firstOf(ranking, given) as 'a' | 'b' | 'c'
      counts[key]++
      ranking.picked(given, key)
    }
    const mean = 20_000 / 4
    // The slack of a few calls is small compared with the load.
    expect(counts.a / mean).toBeGreaterThan(1.1)
    expect(counts.a / mean).toBeLessThan(1.27)
    for (const key of ['b', 'c'] as const) expect(counts[key] / weights[key] / mean).toBeGreaterThan(0.8)
  })

  it('is even among equally warm targets', () => {
    const ranking = createRanking()
    const counts = { a: 0, b: 0, c: 0 }
    for (let i = 0; i < 3_000; i++) {
      const given = input(
        (['a', 'b', 'c'] as const).map((key) => target(key, { warm: WARM })),
        { now: NOW + i * 50 },
      )
      const key = firstOf(ranking, given) as 'a' | 'b' | 'c'
      counts[key]++
      ranking.picked(given, key)
    }
    for (const count of Object.values(counts)) expect(Math.abs(count - 1_000)).toBeLessThan(20)
  })

  it('moves short conversations before long ones', () => {
    const ranking = createRanking()
    const given = (length: number, inFlight: number) =>
      input(
        [
          target('a', { inFlight, warm: { tokens: length * 0.9, probability: 0.95 } }),
          target('b', { inFlight: 20 }),
          target('c', { inFlight: 20 }),
        ],
        { expected: { input: length, output: 400 } },
      )
    // Requests have 50,000 tokens on average.
    for (let i = 0; i < 300; i++) ranking.picked({ ...given(50_000, 20), now: NOW - 3_600_000 }, 'a')
    const limitOf = (length: number): number => {
      let inFlight = 20
      while (firstOf(ranking, given(length, inFlight)) === 'a') inFlight++
      return inFlight
    }
    expect(limitOf(4_000)).toBeLessThan(limitOf(8_000))
    expect(limitOf(8_000)).toBeLessThan(limitOf(100_000))
  })
})
