import { describe, expect, it } from 'vitest'
import { openWorldFor, usageRow } from '../support/api.ts'

const PRICE = { id: 'config:demo/demo@2026-11-01T00:00:00.000Z', input: 100_000_000_000, output: 500_000_000_000 }

describe('The cost of a request', () => {
  it('is told line by line, by the price that was applied', async () => {
    const world = await openWorldFor({ parts: { prices: { priceOf: () => PRICE } } })
    const attempt = {
      provider: 'demo',
      model: 'demo',
      startedAt: 0,
      durationMs: 1,
      status: 200,
      failure: null,
      cost: '800000',
      priceId: PRICE.id,
    }
    const of = (requestId: string, own: Partial<typeof attempt>) =>
      world.rows.push({
        ...usageRow({ requestId, principal: 'key_1', input: 3, output: 1 }),
        attempts: [{ ...attempt, ...own }],
      } as never)
    of('req_known', {})
    of('req_other', { priceId: 'config:demo/demo@2025-01-01T00:00:00.000Z' })
    try {
      const { body } = await world.owner.ask('GET', '/usage/req_known')
      expect(body['arithmetic']).toEqual({
        priceId: PRICE.id,
        isWhole: true,
        lines: [
          { kind: 'input', count: 3, rate: PRICE.input, amount: '300000' },
          { kind: 'output', count: 1, rate: PRICE.output, amount: '500000' },
        ],
      })
      expect((await world.owner.ask('GET', '/usage/req_other')).body).not.toHaveProperty('arithmetic')
    } finally {
      await world.close()
    }
  })
})
