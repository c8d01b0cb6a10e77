import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Price } from '../../../core/src/canonical/target.ts'
import { mostOf } from '../../src/cost/bound.ts'
import { parseBody } from '../../src/edge/body.ts'
import { boundOfChat, withOutput } from '../../src/families/chat/cost/bound.ts'
import { outputFor } from '../../src/families/chat/cost/reserve.ts'

const body = parseBody(
  Buffer.from(JSON.stringify({ messages: [{ role: 'user', content: 'Hello' }], service_tier: 'priority' })),
)
const rate = fc.integer({ min: 0, max: 2_000_000_000_000 })
const rates = fc.record({ input: rate, output: rate, audioOutput: rate, imageOutput: rate, cacheWrite: rate })
const prices: fc.Arbitrary<Price> = fc
  .record({
    flat: rates,
    long: rates,
    factor: fc.constantFrom(0.5, 1, 2.5),
    above: fc.integer({ min: 0, max: 200 }),
    minimum: rate,
  })
  .map(({ flat, long, factor, above, minimum }) => ({
    id: 'any',
    ...flat,
    long: { ...long, above },
    tiers: { priority: { factor } },
    minimum: minimum % 100_000,
  }))

describe('The output that money pays for', () => {
  it('is the most whose bound is no more than the room', () => {
    const sizes = fc.integer({ min: 1, max: 200_000 })
    fc.assert(
      fc.property(
        prices,
        sizes,
        sizes,
        fc.integer({ min: 1, max: 8 }),
        fc.double({ min: 0, max: 1.2, noNaN: true }),
        (price, one, other, n, share) => {
          const [least, most] = [Math.min(one, other), Math.max(one, other)]
          const bound = boundOfChat({ body, facts: { id: 'm', output: most } })
          const costOf = (tokens: number): number | null =>
            bound ? mostOf(withOutput(bound, tokens * n), price) : null
          const room = BigInt(Math.round((costOf(most) ?? 0) * share))
          const found = outputFor(room, least, most, costOf)
          if (found === undefined) {
            expect(costOf(least)).toBeGreaterThan(Number(room))
            return
          }
          expect([found >= least, found <= most, Number(costOf(found)) <= room]).toEqual([true, true, true])
          if (found < most) expect(costOf(found + 1)).toBeGreaterThan(Number(room))
        },
      ),
    )
  })

  it('is none where nobody knows what it costs, or the model writes less than is of use', () => {
    expect(outputFor(10n, 1, 5, () => null)).toBeUndefined()
    expect(outputFor(10n, 6, 5, () => 0)).toBeUndefined()
  })
})
