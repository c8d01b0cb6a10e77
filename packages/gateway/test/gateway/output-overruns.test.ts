import { describe, expect, it } from 'vitest'
import { createGateway } from '../../src/index.ts'
import { expectAgreed, PRICE, SPENT, startBounded, verdict } from '../support/budgets.ts'
import { startLenientVendor, WIRES } from '../support/lenient-vendor.ts'

const BIG = { id: 'small', price: PRICE, output: 100_000, families: ['chat'] }

describe('An upstream that reports more output than the limit that it was given', () => {
  it.each(Object.entries(WIRES))(
    'is charged for what it reports, and has later requests reserve more: %s',
    async (_, wire) => {
      const vendor = await startLenientVendor(100_000, 3)
      const gateway = await startBounded('node', 5, { providers: [wire.provider(vendor.url, { known: [BIG] })] })
      const request = wire.request({ [wire.limit]: 500 })
      expect((await gateway.post(wire.path, request)).status).toBe(200)
      expect(await gateway.access.next()).toMatchObject({ overrun: 1_000 })
      expectAgreed(gateway, 150)
      expect(gateway.gateway.health()).toEqual([
        {
          provider: 'alpha',
          model: 'small',
          recent: { calls: 1, failures: 0 },
          overrun: { count: 1, at: expect.any(Number), limit: 500, output: 1_500 },
        },
      ])
      // Two more fit at 1,500 tokens each, but not three: the fourth would pass the budget.
      const answers = await Promise.all([1, 2, 3].map(() => gateway.post(wire.path, request)))
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 429])
      expect(verdict(await gateway.post(wire.path, request))).toEqual(SPENT)
      expectAgreed(gateway, 450)
      expect(vendor.produced()).toBe(4_500)
      expect(gateway.warnings).toEqual([
        expect.stringContaining('alpha/small reported 1500 output tokens for a request limited to 500'),
      ])
    },
  )

  it('counts for its own provider and model only, and for the gateway that takes the place of this one', async () => {
    const vendor = await startLenientVendor(100_000, 2)
    const wire = WIRES['chat completions'] as (typeof WIRES)[string]
    const known = [BIG, { ...BIG, id: 'other' }]
    const { gateway, post } = await startBounded('node', 5, { providers: [wire.provider(vendor.url, { known })] })
    await post(wire.path, wire.request({ max_tokens: 500 }))
    const after = createGateway({ providers: [wire.provider(vendor.url, { known })], after: gateway })
    expect(after.health()).toEqual(gateway.health())
    expect(after.health()).toHaveLength(1)
    await after.close()
  })
})
