import { describe, expect, it } from 'vitest'
import { memoryBudgets, type SearchOptions } from '../../src/index.ts'
import { SPENT, verdict } from '../support/budgets.ts'
import { startGateway } from '../support/gateway.ts'
import { listBackend, results } from './backends.ts'

const SEARCH = '/customsearch/v1?q=hello'
const all = { by: 'offset', perCall: 5, maxResults: 100 } as const

/** Each call costs a cent, unless its backend says otherwise. */
async function start(cents: number, search: SearchOptions) {
  const limit = BigInt(cents) * 10_000_000n
  const budgets = memoryBudgets({
    budgets: [{ owner: 'key-1', name: 'team', limit, period: 'day', zone: 'UTC', counts: 'cost' }],
  })
  const gateway = await startGateway('node', { providers: [], search, budgets })
  const state = () => {
    const [one] = budgets.state()
    return { spent: Number(one?.spent) / 10_000_000, held: Number(one?.held) / 10_000_000 }
  }
  return { ...gateway, state }
}
const price = { id: 'call', calls: 10_000_000_000_000 }

describe('A budget of searches', () => {
  it('counts each call of a backend, and refuses in the shape of the vendor', async () => {
    const backend = listBackend(all, results(20), { price })
    const { call, state } = await start(3, { backends: [backend] })
    expect((await call(SEARCH)).status).toBe(200)
    expect([backend.queries.length, state()]).toEqual([2, { spent: 2, held: 0 }])
    expect((await call(`${SEARCH}&num=5`)).status).toBe(200)
    const refused = await call(`${SEARCH}&num=1`)
    expect([verdict(refused), await refused.json()]).toMatchObject([
      SPENT,
      {
        error: {
          code: 429,
          status: 'RESOURCE_EXHAUSTED',
          errors: [{ reason: 'quotaExceeded' }],
          message: expect.stringMatching(
            /"team" of this key has left: 0\.03 of 0\.03 dollars a day are spent\. It resets at .*T00:00:00\.000Z/,
          ),
        },
      },
    ])
    expect([backend.queries.length, state()]).toEqual([3, { spent: 3, held: 0 }])
  })

  it('ends a search in the middle where the money does: what it has cost by then is counted', async () => {
    const backend = listBackend(all, results(20), { price })
    const { call, state, rows } = await start(1, { backends: [backend] })
    expect((await call(SEARCH)).status).toBe(429)
    expect([backend.queries.length, state()]).toEqual([1, { spent: 1, held: 0 }])
    expect(rows[0]).toMatchObject({ cost: 10_000_000, charged: 0, failure: 'over-budget' })
  })

  it('holds nothing for an answer that is given again', async () => {
    const { call, state } = await start(2, { backends: [listBackend(all, results(20), { price })], cacheMs: 60_000 })
    expect((await call(SEARCH)).status).toBe(200)
    const again = await call(SEARCH)
    expect([again.status, again.headers.get('headgate-cached'), state()]).toEqual([200, 'true', { spent: 2, held: 0 }])
  })

  it('lets a cheaper backend answer, and one that costs nothing', async () => {
    const backends = [
      listBackend(all, results(20), { price }),
      listBackend(all, results(20), { name: 'own', price: { id: 'own', calls: 0 } }),
    ]
    const { call, state } = await start(0, { backends })
    expect((await call(SEARCH)).headers.get('headgate-vendor')).toBe('own')
    expect(state()).toEqual({ spent: 0, held: 0 })
  })

  it('is looked at by a dry run for each backend by itself, and nothing stays reserved', async () => {
    const backends = [listBackend(all, results(20), { price }), listBackend(all, results(20), { name: 'beta', price })]
    const { call, state } = await start(1, { backends })
    const answer = await call(SEARCH, { headers: { 'headgate-dry-run': 'true' } })
    expect(await answer.json()).toMatchObject({ candidates: [{ budget: null }, { budget: null }] })
    expect(state()).toEqual({ spent: 0, held: 0 })
  })

  it('refuses a backend whose price is not known', async () => {
    const { price: _, ...backend } = listBackend(all, results(20))
    const { call } = await start(100, { backends: [backend] })
    const refused = await call(SEARCH)
    expect([verdict(refused), await refused.text()]).toEqual([
      SPENT,
      expect.stringContaining('alpha/alpha has no price.'),
    ])
  })
})
