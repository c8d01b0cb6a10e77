import { describe, expect, it } from 'vitest'
import {
  createRanking,
  type RankInput,
  type Ranking,
  type RankTarget,
  sizeClassOf,
} from '../../src/routing/policies/rank.ts'
import { seeded } from './simulation/random.ts'

const NOW = 1_700_000_000_000
const PRICE = { id: 'p', input: 3_000_000_000, cacheRead: 300_000_000, output: 15_000_000_000 }
const NO_DRAWS = () => 0.99

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
  return { policy: 'priority', targets, expected: { input: 10_000, output: 100 }, now: NOW, ...changes }
}

function keys(ranking: Ranking, given: RankInput): string[] {
  return ranking.rank(given).map(({ target: { key } }) => key)
}

function whys(ranking: Ranking, given: RankInput): Record<string, string> {
  return Object.fromEntries(ranking.rank(given).map(({ target: { key }, why }) => [key, why]))
}

/** Serves requests one after the other, 100 ms apart. Returns the keys of the first places. */
function serve(ranking: Ranking, given: RankInput, count: number, from = 0): string[] {
  return Array.from({ length: count }, (_, i) => {
    const one = { ...given, now: NOW + (from + i) * 100 }
    const key = keys(ranking, one)[0] ?? ''
    ranking.picked(one, key)
    return key
  })
}

function countOf(served: readonly string[], key: string): number {
  return served.filter((one) => one === key).length
}

describe('The order of conditions', () => {
  const targets = [
    target('ejected', { state: 'ejected', until: NOW + 12_000 }),
    target('full', { inFlight: 5, limit: 5 }),
    target('low', { state: 'low' }),
    target('well', { tier: 9 }),
  ]

  it.each(['priority', 'weighted', 'cheapest', 'fastest', 'least-busy'] as const)('applies to %s', (policy) => {
    expect(keys(createRanking(), input(targets, { policy }))).toEqual(['well', 'low', 'full', 'ejected'])
  })

  it('is explained', () => {
    expect(whys(createRanking(), input(targets))).toEqual({
      well: 'place 2 in the configuration',
      low: 'close to a rate limit of the upstream',
      full: 'full: 5 of 5 calls in progress',
      ejected: 'in cooldown for 12 s',
    })
  })

  it('restores the targets whose cooldown ends first if more than half are ejected', () => {
    const ejected = [300, 100, 200].map((s) => target(`${s}`, { state: 'ejected', until: NOW + s * 1_000 }))
    const given = input([...ejected, target('well')])
    expect(keys(createRanking(), given)).toEqual(['well', '100', '300', '200'])
    expect(whys(createRanking(), given)['100']).toBe('in cooldown, as more than half of the endpoints are')
  })

  it('never ejects the only target', () => {
    const [only] = createRanking().rank(input([target('a', { state: 'ejected', until: NOW + 1_000 })]))
    expect(only?.why).toBe('in cooldown, as more than half of the endpoints are')
    expect(createRanking().rank(input([target('a')]))[0]?.why).toBe('the only endpoint')
    expect(createRanking().rank(input([]))).toEqual([])
  })
})

describe('priority', () => {
  it('uses tiers in order', () => {
    const given = input([target('b', { tier: 1 }), target('a'), target('c', { tier: 2 })])
    expect(keys(createRanking(), given)).toEqual(['a', 'b', 'c'])
    expect(whys(createRanking(), given)).toEqual({
      a: 'first in the configuration',
      b: 'place 2 in the configuration',
      c: 'place 3 in the configuration',
    })
  })

  it('shares requests within a tier by weight, in turns', () => {
    const given = input([target('a', { weight: 3 }), target('b', { weight: 2 }), target('c', { tier: 1 })])
    const served = serve(createRanking(), given, 50)
    expect(served.slice(0, 5)).toEqual(['a', 'b', 'a', 'b', 'a'])
    expect(countOf(served, 'a')).toBe(30)
    expect(countOf(served, 'c')).toBe(0)
    expect(whys(createRanking(), given)['b']).toBe('weight 2 of 5')
  })

  it('gives weights of 0.001 their share', () => {
    const given = input([target('a'), target('b', { weight: 0.001 }), target('c', { weight: 0.002 })])
    const served = serve(createRanking(), given, 10_030)
    expect(countOf(served, 'b')).toBe(10)
    expect(countOf(served, 'c')).toBe(20)
  })

  it('gives no flood of requests to a target that was away', () => {
    const ranking = createRanking()
    const both = input([target('a'), target('b')])
    serve(ranking, both, 100)
    serve(ranking, input([target('a', { state: 'ejected' }), target('b'), target('c')]), 1_000, 100)
    // The share of a returning target grows with its weight.
    const served = serve(ranking, input([target('a', { weight: 0.1 }), target('b'), target('c')]), 42, 1_100)
    expect(countOf(served, 'a')).toBeLessThanOrEqual(4)
  })
})

describe('weighted', () => {
  it('shares all requests by weight, over all tiers', () => {
    const targets = [target('a', { weight: 1 }), target('b', { weight: 4, tier: 1 })]
    const served = serve(createRanking(), input(targets, { policy: 'weighted' }), 100)
    expect(countOf(served, 'b')).toBe(80)
    expect(whys(createRanking(), input(targets, { policy: 'weighted' }))).toEqual({
      a: 'weight 1 of 5',
      b: 'weight 4 of 5',
    })
  })

  it('changes nothing without a call', () => {
    const ranking = createRanking()
    const given = input([target('a'), target('b')], { policy: 'weighted' })
    for (let i = 0; i < 10; i++) expect(keys(ranking, given)).toEqual(['a', 'b'])
  })
})

describe('fastest', () => {
  const fastest = (targets: readonly RankTarget[], now = NOW) => input(targets, { policy: 'fastest', now })
  const size = sizeClassOf(10_000)

  it('orders by the time to the first token, in the size class of the request', () => {
    const ranking = createRanking({ random: NO_DRAWS })
    ranking.measured('a', size, 400, NOW)
    ranking.measured('b', size, 212, NOW)
    ranking.measured('a', sizeClassOf(100), 10, NOW)
    expect(keys(ranking, fastest([target('a'), target('b')]))).toEqual(['b', 'a'])
    expect(whys(ranking, fastest([target('a'), target('b')]))['b']).toBe('212 ms to the first token')
    expect([10, 1_000, 8_000, 64_000].map(sizeClassOf)).toEqual([0, 1, 2, 3])
  })

  it('counts a longer time immediately, and forgets it slowly', () => {
    const ranking = createRanking({ random: NO_DRAWS })
    ranking.measured('a', size, 200, NOW)
    ranking.measured('b', size, 300, NOW)
    ranking.measured('a', size, 1_000, NOW + 1_000)
    expect(keys(ranking, fastest([target('a'), target('b')]))).toEqual(['b', 'a'])
    ranking.measured('a', size, 200, NOW + 61_000)
    expect(whys(ranking, fastest([target('a'), target('b')]))['a']).toBe('600 ms to the first token')
    for (let i = 2; i < 12; i++) ranking.measured('a', size, 200, NOW + i * 60_000)
    expect(keys(ranking, fastest([target('a'), target('b')]))).toEqual(['a', 'b'])
  })

  it('counts calls in progress', () => {
    const ranking = createRanking({ random: NO_DRAWS })
    ranking.measured('a', size, 200, NOW)
    ranking.measured('b', size, 300, NOW)
    expect(keys(ranking, fastest([target('a', { inFlight: 4 }), target('b')]))).toEqual(['a', 'b'])
    expect(keys(ranking, fastest([target('a', { inFlight: 6 }), target('b')]))).toEqual(['b', 'a'])
  })

  it('gives targets without a measurement the median of the others', () => {
    const ranking = createRanking({ random: NO_DRAWS })
    for (const [key, ms] of [
      ['a', 100],
      ['b', 200],
      ['c', 300],
    ] as const)
      ranking.measured(key, size, ms, NOW)
    const targets = ['c', 'b', 'a', 'new'].map((key) => target(key))
    expect(keys(ranking, fastest(targets))).toEqual(['a', 'new', 'b', 'c'])
  })

  it('finds an idle target that has become fast', () => {
    const ranking = createRanking({ random: seeded(1) })
    const ms = { fast: 300, idle: 2_000 }
    const targets = [target('fast'), target('idle')]
    for (const key of ['fast', 'idle'] as const) ranking.measured(key, size, ms[key], NOW)
    ms.idle = 100
    const served: string[] = []
    for (let i = 1; i <= 6_000; i++) {
      const given = fastest(targets, NOW + i * 1_000)
      const [first] = ranking.rank(given)
      const key = first?.target.key === 'idle' ? 'idle' : 'fast'
      ranking.picked(given, key)
      ranking.measured(key, size, ms[key], given.now)
      served.push(key)
    }
    expect(countOf(served.slice(-1_000), 'idle')).toBeGreaterThan(900)
    // Before, at most 2 % of the calls measure it.
    expect(countOf(served.slice(0, 60), 'idle')).toBe(0)
  })

  it('explains a call that measures a target again', () => {
    const ranking = createRanking({ random: () => 0 })
    ranking.measured('a', size, 100, NOW - 1_000)
    ranking.measured('b', size, 900, NOW - 70_000)
    const given = fastest([target('a'), target('b')])
    expect(keys(ranking, given)).toEqual(['b', 'a'])
    expect(whys(ranking, given)['b']).toBe('no call of it in the last minute: measured again')
  })
})

describe('least-busy', () => {
  const leastBusy = (targets: readonly RankTarget[]) => input(targets, { policy: 'least-busy' })

  it('takes the one of two random targets with fewer calls in progress', () => {
    const ranking = createRanking({ random: seeded(1) })
    const targets = [target('a', { inFlight: 3 }), target('b', { inFlight: 1 })]
    for (let i = 0; i < 20; i++) expect(keys(ranking, leastBusy(targets))).toEqual(['b', 'a'])
    expect(whys(ranking, leastBusy(targets))).toEqual({ a: '3 calls in progress', b: '1 call in progress' })
  })

  it('spreads equal targets, and avoids the busiest', () => {
    const ranking = createRanking({ random: seeded(2) })
    const targets = [0, 0, 0, 9].map((inFlight, i) => target(`${i}`, { inFlight }))
    const firsts = Array.from({ length: 900 }, () => keys(ranking, leastBusy(targets))[0] ?? '')
    for (const key of ['0', '1', '2']) expect(countOf(firsts, key)).toBeGreaterThan(200)
    expect(countOf(firsts, '3')).toBe(0)
  })

  it('respects weights', () => {
    const ranking = createRanking({ random: seeded(3) })
    const targets = [target('a', { weight: 9 }), target('b', { weight: 1 })]
    const firsts = Array.from({ length: 1_000 }, () => keys(ranking, leastBusy(targets))[0] ?? '')
    expect(countOf(firsts, 'b')).toBeGreaterThan(60)
    expect(countOf(firsts, 'b')).toBeLessThan(140)
  })
})
