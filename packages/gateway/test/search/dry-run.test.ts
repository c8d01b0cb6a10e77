import { describe, expect, it } from 'vitest'
import { failingBackend, listBackend, results, search, startSearch } from './backends.ts'

const all = { by: 'offset', perCall: 10 } as const
const DRY = { 'headgate-dry-run': 'true' }

describe('A search', () => {
  it('says in a dry run who would be asked, with what is lost and what a call costs, and asks nobody', async () => {
    const first = listBackend(all, results(5))
    const second = listBackend(all, results(5), {
      name: 'beta',
      supports: ['gl'],
      price: { id: 'other', calls: 1_000_000_000 },
    })
    const gateway = await startSearch({ backends: [first, second] })
    const asking = { q: 'x', gl: 'de' }
    const { status, body } = await search(gateway, asking, DRY)
    const most = { input: 0, output: 0, searches: 1 }
    expect([status, body]).toEqual([
      200,
      {
        object: 'headgate.dry_run',
        policy: null,
        family: 'search',
        model: 'alpha',
        candidates: [
          {
            provider: 'beta',
            model: 'beta',
            healthy: true,
            endpoint: null,
            why: expect.any(String),
            refused: null,
            way: 'in-process',
            losses: [],
            fetches: [],
            price: 'other',
            most,
            bound: '0.000001',
            budget: null,
          },
          {
            provider: 'alpha',
            model: 'alpha',
            healthy: true,
            endpoint: null,
            why: expect.any(String),
            refused: null,
            way: 'in-process',
            fetches: [],
            losses: [{ path: 'gl', kind: 'dropped', reason: 'alpha does not support it' }],
            price: 'test',
            most,
            bound: '0.005',
            budget: null,
          },
        ],
      },
    ])
    expect([first.queries, second.queries, gateway.rows]).toEqual([[], [], []])
    expect((await search(gateway, asking)).headers.get('headgate-vendor')).toBe('beta')
  })

  it('says in a dry run which backend has failed lately, and is refused as it would be', async () => {
    const gateway = await startSearch({
      backends: [failingBackend('alpha', 'rate-limited'), listBackend(all, results(5), { name: 'beta' })],
    })
    await search(gateway, { q: 'x' })
    const { body } = await search(gateway, { q: 'y' }, DRY)
    expect(body).toMatchObject({
      candidates: [
        { provider: 'beta', healthy: true },
        { provider: 'alpha', healthy: false, price: null, bound: null },
      ],
    })
    expect((await search(gateway, { q: 'x', num: '99' }, DRY)).status).toBe(400)
  })

  it('says what it cost, and that what was kept cost nothing', async () => {
    const gateway = await startSearch({ backends: [listBackend(all, results(5))], cacheMs: 60_000 })
    const costs = [await search(gateway, { q: 'x' }), await search(gateway, { q: 'x' })].map(({ headers }) =>
      headers.get('headgate-cost'),
    )
    expect([costs, gateway.rows.map(({ charged }) => charged)]).toEqual([
      ['0.005', '0'],
      [5_000_000, 0],
    ])
  })
})
