import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isCount, isOvercounted } from '../../../core/src/canonical/usage.ts'
import { costOf, explainCost } from '../../src/cost/cost.ts'

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
    const usage = {
      input: 1000,
      output: 100,
      cacheRead: 500,
      cacheWrite: 300,
      cacheWriteLong: 100,
      audioInput: 50,
      audioOutput: 40,
    }
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
    expect(costOf({ input: 999, output: 10 }, long)).toBe(999 * 3000 + 150_000)
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

  it('does not count what was read from a cache as input again, nor make it free where it has no rate', () => {
    const cached = { input: 1000, output: 0, cacheRead: 900 }
    expect(costOf(cached, { ...price, cacheRead: 300_000_000 })).toBe(100 * 3000 + 900 * 300)
    expect(costOf(cached, price)).toBe(1000 * 3000)
    expect(
      costOf(
        { input: 1000, output: 0, cacheRead: 400, cacheWrite: 500, cacheWriteLong: 200 },
        { ...price, cacheWrite: 1_000_000_000 },
      ),
    ).toBe(100 * 3000 + 400 * 3000 + 500 * 1000)
  })

  it('never falls below what the shares cost, where a vendor says more of them than of the whole', () => {
    const usage = { input: 100, output: 10, cacheRead: 150, audioOutput: 20 }
    const rates = { ...price, cacheRead: 1_000_000_000, audioOutput: 40_000_000_000 }
    expect(costOf(usage, rates)).toBe(150 * 1000 + 20 * 40_000)
    expect([
      isOvercounted(usage),
      isOvercounted({ input: 100, output: 20, cacheRead: 100, audioInput: 40, audioOutput: 20 }),
    ]).toEqual([true, false])
  })

  it('has reasoning within the output', () => {
    expect(costOf({ input: 0, output: 100, reasoning: 90 }, price)).toBe(100 * 15_000)
  })

  it('has images and sound at rates of their own, and what of sound was cached at its own', () => {
    const rates = {
      ...price,
      cacheRead: 300_000_000,
      audioInput: 10_000_000_000,
      audioCached: 1_000_000_000,
      imageInput: 5_000_000_000,
      imageOutput: 60_000_000_000,
    }
    expect(costOf({ input: 1000, output: 100, imageInput: 600, imageOutput: 90 }, rates)).toBe(
      400 * 3000 + 600 * 5000 + 10 * 15_000 + 90 * 60_000,
    )
    const heard = { input: 1000, output: 0, cacheRead: 500, audioInput: 400 }
    expect(costOf({ ...heard, audioCached: 300 }, rates)).toBe(400 * 3000 + 200 * 300 + 100 * 10_000 + 300 * 1000)
    // Where it is not said how much of it was cached, the dearest: none.
    expect(costOf(heard, rates)).toBe(100 * 3000 + 500 * 300 + 400 * 10_000)
    // Here at least 300 of it must have been.
    expect(costOf({ ...heard, cacheRead: 900 }, rates)).toBe(600 * 300 + 100 * 10_000 + 300 * 1000)
  })

  describe('of a tier of service', () => {
    const usage = { input: 1000, output: 100, cacheRead: 400, reasoning: 50 }
    const tiered = {
      ...price,
      cacheRead: 300_000_000,
      long: { above: 1000, input: 6_000_000_000, output: 20_000_000_000 },
      tiers: {
        flex: { factor: 0.5 },
        priority: { input: 5_000_000_000, output: 30_000_000_000, cacheRead: 500_000_000 },
      },
    }
    const base = 600 * 3000 + 400 * 300 + 100 * 15_000

    it('is that of the tier, each kind at its own rate', () => {
      expect(costOf(usage, tiered)).toBe(base)
      expect(costOf({ ...usage, tier: 'flex' }, tiered)).toBe(base / 2)
      expect(costOf({ ...usage, tier: 'priority' }, tiered)).toBe(600 * 5000 + 400 * 500 + 100 * 30_000)
    })

    it('is not known where the price does not have the tier, rather than that of another one', () => {
      expect([costOf({ ...usage, tier: 'fast' }, tiered), costOf({ ...usage, tier: 'flex' }, price)]).toEqual([
        null,
        null,
      ])
      expect(costOf({ ...usage, tier: 'constructor' }, tiered)).toBeNull()
    })

    it('rises with long requests as well, and not for units', () => {
      const long = { input: 1001, output: 10, tier: 'flex', units: { searches: 2 } }
      expect(costOf(long, { ...tiered, units: { searches: 10_000_000_000_000 } })).toBe(
        (1001 * 6000 + 10 * 20_000) / 2 + 20_000_000,
      )
    })
  })

  it('has what else was used at the price of its unit, and is not known where that has none', () => {
    const searched = { input: 1000, output: 0, units: { searches: 3 } }
    expect(costOf(searched, { ...price, units: { searches: 10_000_000_000_000 } })).toBe(3_000_000 + 30_000_000)
    expect([costOf(searched, price), costOf(searched, { ...price, units: { images: 1 } })]).toEqual([null, null])
    expect(costOf({ ...searched, units: { searches: 0 } }, price)).toBe(3_000_000)
    expect(
      costOf(
        { input: 0, output: 0, units: { seconds: 8, characters: 100, pages: 2 } },
        { ...price, units: { seconds: 5_000_000, characters: 3_000_000, pages: 100_000_000 } },
      ),
    ).toBe(540)
  })

  it('has prices of units below a nano-dollar, with one rounding, exactly', () => {
    // $0.04 an hour, and a tenth of a nano-dollar per pixel.
    const spoken = { ...price, units: { milliseconds: 11_111_111, pixels: 100_000 } }
    expect(costOf({ input: 0, output: 0, units: { milliseconds: 3_600_000 } }, spoken)).toBe(40_000_000)
    expect(costOf({ input: 0, output: 0, units: { pixels: 4 } }, spoken)).toBe(0)
    expect(costOf({ input: 0, output: 0, units: { pixels: 5 } }, spoken)).toBe(1)
    // 0.4 of a token and 0.4 of pixels are 0.8 together.
    const tiny = { id: 'p', input: 400_000, output: 0, units: { pixels: 100_000 } }
    expect(costOf({ input: 1, output: 0, units: { pixels: 4 } }, tiny)).toBe(1)
    // $40 per piece, three times: above 2^53 per million.
    const dear = { ...price, units: { films: 40_000_000_000_000_000 } }
    expect(costOf({ input: 0, output: 0, units: { films: 3 } }, dear)).toBe(120_000_000_000)
  })

  it('depends on what was made, and is unknown for what has no price', () => {
    const images = {
      id: 'p',
      input: 0,
      output: 0,
      units: { images: 1, inputImages: 2_000_000 },
      variants: { 'high:1024x1024': { images: 133_000_000 }, '2K': { images: 50_000_000 } },
    }
    const made = (variant?: string) =>
      costOf({ input: 0, output: 0, units: { images: 2, inputImages: 1 }, ...(variant && { variant }) }, images)
    expect([made('high:1024x1024'), made('2K')]).toEqual([268, 102])
    // The price of `images` outside of the variants does not apply.
    expect([made('4K'), made(), made('constructor')]).toEqual([null, null, null])
    expect(costOf({ input: 0, output: 0, units: { inputImages: 3 } }, images)).toBe(6)
    expect(
      costOf({ input: 0, output: 0, units: { images: 3 }, variant: 'any' }, { ...price, units: { images: 1e6 } }),
    ).toBe(3)
    // A part of the variant may be listed instead.
    expect([made('low:2K'), made('high:2048x2048')]).toEqual([102, null])
    const known = { input: 0, output: 0, units: { images: 2 }, variant: 'low:2K' }
    expect(explainCost(known, images, 100)).toMatchObject({ variant: '2K', isWhole: true })
    // A known variant is not replaced by another one with the same cost.
    const same = { ...images, variants: { '1K': { images: 50_000_000 }, '2K': { images: 50_000_000 } } }
    expect(explainCost(known, same, 100)).toMatchObject({ variant: '2K' })
    expect(explainCost({ input: 0, output: 0, units: { images: 2 } }, images, 100)).toEqual({
      lines: [{ kind: 'images', count: 2, rate: 50_000_000, amount: 100 }],
      variant: '2K',
      isWhole: true,
    })
  })

  it('has minimum counts, but nothing for nothing', () => {
    const timed = { ...price, units: { milliseconds: 1_000_000 }, least: { milliseconds: 10_000 } }
    const heard = (milliseconds: number) => costOf({ input: 0, output: 0, units: { milliseconds } }, timed)
    expect([heard(1), heard(10_000), heard(10_001), heard(0)]).toEqual([10_000, 10_000, 10_001, 0])
    expect(explainCost({ input: 0, output: 0, units: { milliseconds: 1 } }, timed, 10_000)?.lines).toEqual([
      { kind: 'milliseconds', count: 10_000, rate: 1_000_000, amount: 10_000 },
    ])
  })

  it('is at least what a request costs', () => {
    expect(costOf({ input: 1, output: 0 }, { ...price, minimum: 5_000 })).toBe(5_000)
    expect(costOf({ input: 1000, output: 0 }, { ...price, minimum: 5_000 })).toBe(3_000_000)
  })

  it('does not drift: a million times a small price is a million times as much', () => {
    expect(costOf({ input: 1_000_000, output: 0 }, { ...price, input: 3_500_000 })).toBe(3_500_000)
  })

  it('is unknown where a rate is no amount', () => {
    for (const input of [Number.NaN, Number.POSITIVE_INFINITY, -1_000_000])
      expect(isCount(costOf({ input: 1, output: 0 }, { ...price, input }))).toBe(false)
  })
})

describe('How a cost came about', () => {
  const rates = { ...price, cacheRead: 300_000_000, units: { searches: 10_000_000_000_000 } }

  it('is told in lines that count no token twice', () => {
    const usage = { input: 1_234, output: 345, cacheRead: 1_000, units: { searches: 2 } }
    const explained = explainCost(usage, rates, costOf(usage, rates) ?? 0)
    expect(explained).toEqual({
      isWhole: true,
      lines: [
        { kind: 'input', count: 234, rate: 3_000_000_000, amount: 702_000 },
        { kind: 'cacheRead', count: 1_000, rate: 300_000_000, amount: 300_000 },
        { kind: 'output', count: 345, rate: 15_000_000_000, amount: 5_175_000 },
        { kind: 'searches', count: 2, rate: 10_000_000_000_000, amount: 20_000_000 },
      ],
    })
  })

  it('names the tier of service by which it is right', () => {
    const tiered = {
      ...price,
      tiers: { flex: { factor: 0.5 }, priority: { input: 6_000_000_000, output: 30_000_000_000 } },
    }
    const usage = { input: 1_000, output: 100 }
    expect(explainCost(usage, tiered, 2_250_000)).toMatchObject({ tier: 'flex', isWhole: true })
    expect(explainCost(usage, tiered, 9_000_000)).toMatchObject({ tier: 'priority', isWhole: true })
    expect(explainCost(usage, tiered, 4_500_000)).not.toHaveProperty('tier')
  })

  it('says where something counted that is not known any more', () => {
    expect(explainCost({ input: 10, output: 0 }, { ...price, minimum: 1_000_000 }, 1_000_000)).toMatchObject({
      isWhole: false,
    })
    expect(explainCost({ input: Number.NaN, output: 0 }, price, 0)).toBeUndefined()
  })
})
