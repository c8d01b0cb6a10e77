import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isCount } from '../../src/canonical/usage.ts'
import { costOf } from '../../src/pipeline/cost.ts'

/** 3 dollars a million in, 15 out: in nano-dollars. */
const price = { id: 'list@2026-01-01', input: 3_000_000_000, output: 15_000_000_000 }

describe('The cost of an answer', () => {
  it('is in whole nano-dollars', () => {
    expect(costOf({ input: 1000, output: 100 }, price)).toBe(3_000_000 + 1_500_000)
    expect(costOf({ input: 1, output: 0 }, { ...price, input: 1_500_001 })).toBe(2)
    expect(costOf({ input: 0, output: 0 }, price)).toBe(0)
  })

  it('is unknown, not zero, where the price or the usage is', () => {
    expect([costOf(undefined, price), costOf({ input: 1, output: 1 }, undefined)]).toEqual([null, null])
  })

  it('counts each kind of token once, at its own rate or else at that of its total', () => {
    const usage = { input: 1000, output: 100, cacheRead: 500, cacheWrite: 300, cacheWriteLong: 100, audioInput: 50, audioOutput: 40 }
    expect(costOf(usage, price)).toBe(3_000_000 + 1_500_000)
    const rates = {
      cacheRead: 300_000_000,
      cacheWrite: 4_000_000_000,
      cacheWriteLong: 6_000_000_000,
      audioInput: 10_000_000_000,
      audioOutput: 20_000_000_000,
    }
    expect(costOf(usage, { ...price, ...rates })).toBe(
      150 * 3000 + 500 * 300 + 200 * 4000 + 100 * 6000 + 50 * 10_000 + 60 * 15_000 + 40 * 20_000,
    )
  })

  it('rises for all tokens where the price does beyond some length', () => {
    const long = { ...price, long: { above: 1000, input: 6_000_000_000, output: 22_500_000_000 } }
    expect(costOf({ input: 1000, output: 10 }, long)).toBe(3_150_000)
    expect(costOf({ input: 1001, output: 10 }, long)).toBe(1001 * 6000 + 10 * 22_500)
  })

  it('is exact where tokens times rate pass 2^53', () => {
    expect(costOf({ input: 1_000_001, output: 0 }, { ...price, input: 15_000_000_001 })).toBe(15_000_015_001)
    expect(costOf({ input: 0, output: 1_000_000_000 }, price)).toBe(15_000_000_000_000)
  })

  it('is what whole numbers without end say, half up, whatever the numbers', () => {
    const tokens = fc.oneof(fc.nat(2_000_000), fc.maxSafeNat())
    const rate = fc.oneof(fc.nat(100_000_000_000), fc.maxSafeNat())
    const isHeld = (exact: bigint) => exact <= Number.MAX_SAFE_INTEGER
    fc.assert(
      fc.property(tokens, tokens, rate, rate, (input, output, forInput, forOutput) => {
        const exact = (BigInt(input) * BigInt(forInput) + BigInt(output) * BigInt(forOutput) + 500_000n) / 1_000_000n
        const cost = costOf({ input, output }, { id: 'any', input: forInput, output: forOutput })
        expect(isCount(cost) && BigInt(cost)).toBe(isHeld(exact) && exact)
      }),
      { numRuns: 2_000 },
    )
  })

  it('is unknown where a rate is no amount', () => {
    for (const input of [Number.NaN, Number.POSITIVE_INFINITY, -1_000_000])
      expect(isCount(costOf({ input: 1, output: 0 }, { ...price, input }))).toBe(false)
  })
})
