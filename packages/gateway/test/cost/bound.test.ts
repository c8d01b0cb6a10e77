import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { mostOf, type UsageBound } from '../../src/cost/bound.ts'
import { costOf } from '../../src/cost/cost.ts'

/** 3 dollars a million in, 15 out: in nano-dollars. */
const price = { id: 'list@2026-01-01', input: 3_000_000_000, output: 15_000_000_000 }
const bound: UsageBound = { input: 1_000, output: 100 }

describe('The most that a call can cost', () => {
  it('is its bound at its price', () => {
    expect(mostOf(bound, price)).toBe(3_000_000 + 1_500_000)
    expect(mostOf(bound, { ...price, minimum: 5_000_000 })).toBe(5_000_000)
  })

  it('is not known where price or bound is not', () => {
    expect([mostOf(undefined, price), mostOf(bound, undefined)]).toEqual([null, null])
    expect(mostOf({ input: Number.POSITIVE_INFINITY, output: 100 }, price)).toBeNull()
    expect(mostOf({ input: Number.MAX_SAFE_INTEGER, output: 0 }, { ...price, input: 3_000_000 })).toBeNull()
  })

  it('is nothing of what costs nothing, however much it may be', () => {
    const free = { id: 'free', input: 0, output: 0, units: { seconds: 0 } }
    const unknown = Number.POSITIVE_INFINITY
    expect(mostOf({ input: unknown, output: unknown, units: { seconds: unknown }, isOpen: true }, free)).toBe(0)
  })

  it('is that of tokens that are written to a cache, of sound and of images, as far as there may be any, the dearest first', () => {
    const rates = {
      ...price,
      cacheWrite: 4_000_000_000,
      cacheWriteLong: 6_000_000_000,
      audioInput: 10_000_000_000,
      cacheRead: 300_000_000,
    }
    expect(mostOf(bound, rates)).toBe(3_000_000 + 1_500_000)
    expect(mostOf({ ...bound, cacheWrite: 1_000 }, rates)).toBe(4_000_000 + 1_500_000)
    expect(mostOf({ ...bound, cacheWrite: 1_000, cacheWriteLong: 100 }, rates)).toBe(600_000 + 3_600_000 + 1_500_000)
    expect(mostOf({ ...bound, cacheWrite: 1_000, audioInput: 10 }, rates)).toBe(100_000 + 3_960_000 + 1_500_000)
    expect(mostOf({ ...bound, audioOutput: 100 }, { ...rates, audioOutput: 20_000_000_000 })).toBe(
      3_000_000 + 2_000_000,
    )
  })

  it('is at the rates of long requests where the input may be as long, and no sooner', () => {
    const long = { ...price, long: { above: 1_000, input: 6_000_000_000, output: 30_000_000_000 } }
    expect(mostOf({ input: 999, output: 0 }, long)).toBe(2_997_000)
    expect(mostOf({ input: 1_000, output: 0 }, long)).toBe(3_000_000)
    expect(mostOf({ input: 1_001, output: 0 }, long)).toBe(6_006_000)
    expect(mostOf({ input: 1_001, output: 0 }, { ...long, long: { ...long.long, input: 1 } })).toBe(3_003_000)
  })

  it('is at the dearest tier that the answer may name, and not known where one has no price', () => {
    const tiers = { flex: { factor: 0.5 }, priority: { factor: 2 } }
    expect(mostOf({ ...bound, tiers: ['flex'] }, { ...price, tiers })).toBe(4_500_000)
    expect(mostOf({ ...bound, tiers: ['priority'] }, { ...price, tiers })).toBe(9_000_000)
    expect(mostOf({ ...bound, tiers: ['scale'] }, { ...price, tiers })).toBeNull()
  })

  it('has the units that may be used, each of which needs a price', () => {
    const priced = { ...price, units: { searches: 10_000_000_000_000 } }
    expect(mostOf({ ...bound, units: { searches: 3 } }, priced)).toBe(34_500_000)
    expect(mostOf(bound, priced)).toBe(4_500_000)
    expect(mostOf({ ...bound, units: { searches: 3 } }, price)).toBeNull()
    expect(mostOf({ ...bound, units: { searches: Number.POSITIVE_INFINITY } }, priced)).toBeNull()
  })

  it('has the price of the dearest variant that may be made', () => {
    const images = {
      id: 'p',
      input: 0,
      output: 0,
      units: { inputImages: 1_000_000 },
      variants: { low: { images: 5_000_000 }, high: { images: 100_000_000 }, medium: { images: 30_000_000 } },
    }
    const made = { input: 0, output: 0, units: { images: 2, inputImages: 3 } }
    expect(mostOf(made, images)).toBe(203)
    expect(mostOf({ ...made, variants: ['low', 'medium'] }, images)).toBe(63)
    expect(mostOf({ ...made, variants: ['low', 'other'] }, images)).toBeNull()
    expect(mostOf({ ...made, units: { ...made.units, pages: 1 } }, images)).toBeNull()
    // `images` has no price in one of them.
    expect(mostOf(made, { ...images, variants: { ...images.variants, free: {} } })).toBeNull()
    expect(mostOf({ input: 0, output: 0 }, images)).toBe(0)
  })

  it('has minimum counts', () => {
    const timed = { id: 'p', input: 0, output: 0, units: { milliseconds: 1_000_000 }, least: { milliseconds: 10_000 } }
    expect(mostOf({ input: 0, output: 0, units: { milliseconds: 5 } }, timed)).toBe(10_000)
  })

  it('has those of the units by which a video is counted that have a price, and is not known where none has, or another one', () => {
    const video: UsageBound = {
      input: Number.POSITIVE_INFINITY,
      output: Number.POSITIVE_INFINITY,
      units: { videos: 1, seconds: 6 },
      isOpen: true,
    }
    const free = { id: 'p', input: 0, output: 0 }
    expect(mostOf(video, { ...free, units: { seconds: 1_000_000_000 } })).toBe(6_000)
    expect(mostOf(video, { ...free, units: { videos: 50_000_000_000 } })).toBe(50_000)
    expect(mostOf(video, { ...free, units: { seconds: 1_000_000_000, credits: 1 } })).toBeNull()
    expect(mostOf(video, free)).toBeNull()
    expect(mostOf(video, { ...free, output: 1 })).toBeNull()
  })

  it('is never less than what a call within its bound costs', () => {
    const count = fc.nat({ max: 500_000 })
    const rate = fc.nat({ max: 20_000_000_000 })
    const rates = fc.record(
      {
        input: rate,
        output: rate,
        cacheRead: rate,
        cacheWrite: rate,
        cacheWriteLong: rate,
        audioInput: rate,
        audioCached: rate,
        audioOutput: rate,
        imageInput: rate,
        imageOutput: rate,
      },
      { requiredKeys: ['input', 'output'] },
    )
    const shares = fc.tuple(fc.nat(100), fc.nat(100), fc.nat(100), fc.nat(100), fc.nat(100))
    const part = (whole: number, share: number): number => Math.floor((whole * share) / 100)
    fc.assert(
      fc.property(
        rates,
        fc.option(rates, { nil: undefined }),
        count,
        count,
        shares,
        (usual, long, input, output, [a, b, c, d, e]) => {
          const given = { id: 'p', ...usual, ...(long && { long: { ...long, above: 100_000 } }) }
          const cacheWrite = part(input, a)
          const cacheRead = part(input - cacheWrite, b)
          const fresh = input - cacheWrite - cacheRead
          const audioInput = part(fresh, c)
          const usage = {
            input,
            output,
            cacheWrite,
            cacheRead,
            cacheWriteLong: part(cacheWrite, d),
            audioInput,
            imageInput: part(fresh - audioInput, d),
            audioOutput: part(output, e),
            imageOutput: part(output - part(output, e), a),
          }
          const all = {
            cacheWrite: input,
            cacheWriteLong: input,
            audioInput: input,
            imageInput: input,
            audioOutput: output,
            imageOutput: output,
          }
          const cost = costOf(usage, given)
          expect(mostOf({ input, output, ...all }, given) ?? 0).toBeGreaterThanOrEqual(cost ?? Number.NaN)
        },
      ),
    )
  })
})
