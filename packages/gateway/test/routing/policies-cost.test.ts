import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Price } from '../../../core/src/canonical/target.ts'
import { createRanking, type RankInput, type RankTarget } from '../../src/routing/policies/rank.ts'

const NOW = 1_700_000_000_000

function target(key: string, price: Price | undefined, warm?: RankTarget['warm']): RankTarget {
  return { key, tier: 0, weight: 1, price, inFlight: 0, limit: Number.POSITIVE_INFINITY, state: 'well', warm }
}

function cheapest(targets: readonly RankTarget[], changes: Partial<RankInput> = {}): RankInput {
  return { policy: 'cheapest', targets, expected: { input: 50_000, output: 500 }, now: NOW, ...changes }
}

const rate = fc.integer({ min: 0, max: 80_000_000_000 })
const optionalRate = fc.option(rate, { nil: undefined })
const rates = fc
  .record({ input: rate, output: rate, cacheRead: optionalRate, cacheWrite: optionalRate })
  .map(({ cacheRead, cacheWrite, ...given }) => ({
    ...given,
    ...(cacheRead !== undefined && { cacheRead }),
    ...(cacheWrite !== undefined && { cacheWrite }),
  }))
const price = fc
  .record({
    rates,
    long: fc.option(fc.record({ rates, above: fc.integer({ min: 1_000, max: 200_000 }) }), { nil: undefined }),
    flex: fc.option(fc.constantFrom(0.5, 0.25, 2), { nil: undefined }),
    searches: fc.option(fc.integer({ min: 0, max: 50_000_000_000_000 }), { nil: undefined }),
    minimum: fc.option(fc.integer({ min: 0, max: 5_000_000_000 }), { nil: undefined }),
  })
  .map(
    ({ rates, long, flex, searches, minimum }): Price => ({
      id: 'p',
      ...rates,
      ...(long && { long: { ...long.rates, above: long.above } }),
      ...(flex !== undefined && { tiers: { flex: { factor: flex } } }),
      ...(searches !== undefined && { units: { searches } }),
      ...(minimum !== undefined && { minimum }),
    }),
  )
const warm = fc.option(
  fc.record({
    tokens: fc.integer({ min: 1_024, max: 300_000 }),
    probability: fc.integer({ min: 0, max: 100 }).map((percent) => percent / 100),
  }),
  { nil: undefined },
)
const request = fc.record({
  input: fc.integer({ min: 0, max: 300_000 }),
  output: fc.integer({ min: 0, max: 64_000 }),
  tier: fc.constantFrom(undefined, undefined, 'flex'),
  searches: fc.constantFrom(undefined, undefined, 0, 3),
})

/** The expected cost, calculated with integers of any size, in millionths of nano-dollars. */
function independent(
  { price, warm }: RankTarget,
  expected: { input: number; output: number; tier?: string | undefined; searches?: number | undefined },
  writes: boolean,
): bigint | undefined {
  if (!price) return undefined
  let factor = 1
  if (expected.tier !== undefined) {
    const tier = price.tiers?.[expected.tier]
    if (!tier || !('factor' in tier)) return undefined
    factor = tier.factor
  }
  const scaled = price.long && expected.input > price.long.above ? price.long : price
  const of = (value: number) => BigInt(Math.round(value * factor))
  const hit = warm ? Math.min(expected.input, Math.round(warm.tokens * warm.probability)) : 0
  const fresh = writes && expected.input >= 1_024 ? (scaled.cacheWrite ?? scaled.input) : scaled.input
  let total = BigInt(expected.output) * of(scaled.output)
  total += BigInt(hit) * of(scaled.cacheRead ?? scaled.input)
  total += BigInt(expected.input - hit) * of(fresh)
  const searchRate = price.units?.['searches']
  if (expected.searches && searchRate === undefined) return undefined
  if (expected.searches) total += BigInt(expected.searches) * BigInt(searchRate ?? 0)
  const nanos = (total + 500_000n) / 1_000_000n
  const least = BigInt(price.minimum ?? 0)
  return nanos > least ? nanos : least
}

describe('cheapest', () => {
  it('orders as an independent calculation does', () => {
    const pair = fc.record({ price: fc.option(price, { nil: undefined }), warm })
    fc.assert(
      fc.property(
        fc.array(pair, { minLength: 2, maxLength: 8 }),
        request,
        fc.boolean(),
        (pairs, { input, output, tier, searches }, writesCache) => {
          const targets = pairs.map(({ price, warm }, i) => target(`${i}`, price, warm))
          const expected = {
            input,
            output,
            ...(tier !== undefined && { tier }),
            ...(searches !== undefined && { units: { searches } }),
          }
          const order = createRanking().rank(cheapest(targets, { expected, writesCache }))
          const costs = order.map((one) => independent(one.target, { input, output, tier, searches }, writesCache))
          const known = costs.filter((cost) => cost !== undefined)
          // Unknown ones are last.
          expect(costs.slice(0, known.length)).toEqual(known)
          expect(known).toEqual(known.toSorted((one, other) => (one < other ? -1 : one > other ? 1 : 0)))
        },
      ),
      { numRuns: 2_000 },
    )
  })

  it('explains the cost, and what warm tokens save', () => {
    const list = { id: 'p', input: 3_000_000_000, cacheRead: 300_000_000, output: 15_000_000_000 }
    const targets = [
      target('unknown', undefined),
      target('low', { id: 'q', input: 2_000_000_000, output: 10_000_000_000 }),
      target('warm', list, { tokens: 41_200, probability: 1 }),
    ]
    const order = createRanking().rank(cheapest(targets))
    expect(order.map(({ target: { key }, why }) => [key, why])).toEqual([
      ['warm', '$0.0463 expected; 41,200 tokens are warm there: $0.111 saved'],
      ['low', '$0.105 expected'],
      ['unknown', 'its price is unknown'],
    ])
  })

  it('takes turns among equal prices', () => {
    const list = { id: 'p', input: 3_000_000_000, output: 15_000_000_000 }
    const ranking = createRanking()
    const given = cheapest([target('a', list), target('b', list), target('c', { ...list, input: 4_000_000_000 })])
    const served = Array.from({ length: 4 }, () => {
      const key = ranking.rank(given)[0]?.target.key ?? ''
      ranking.picked(given, key)
      return key
    })
    expect(served).toEqual(['a', 'b', 'a', 'b'])
  })

  it('counts images and sounds at their prices', () => {
    const list = { id: 'p', input: 1_000_000_000, output: 1_000_000_000 }
    const targets = [
      target('a', { ...list, input: 900_000_000, audioInput: 90_000_000_000 }),
      target('b', { ...list, audioInput: 2_000_000_000 }),
    ]
    const first = (expected: RankInput['expected']) =>
      createRanking().rank(cheapest(targets, { expected }))[0]?.target.key
    expect(first({ input: 10_000, output: 10 })).toBe('a')
    expect(first({ input: 10_000, output: 10, audioInput: 5_000 })).toBe('b')
  })
})
