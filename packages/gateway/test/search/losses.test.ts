import { describe, expect, it } from 'vitest'
import type { BackendInstance } from '../../src/index.ts'
import { startUpstream } from '../support/upstream.ts'
import { listBackend, results, search, startSearch } from './backends.ts'

const STRICT = { 'headgate-strict': 'true' }
const byOffset = { by: 'offset', perCall: 10 } as const

/** A backend elsewhere that has no place for a language, and says so. */
async function remote(changes: Partial<BackendInstance> = {}) {
  const upstream = await startUpstream((call) => {
    const offset = Number(new URL(call.path, 'http://upstream').searchParams.get('offset'))
    return call.answer(200, { items: results(40).slice(offset, offset + 10) })
  })
  const backend: BackendInstance = {
    name: 'alpha',
    baseUrl: upstream.url,
    credential: { kind: 'none' },
    paging: byOffset,
    supports: 'all',
    price: { id: 'test', calls: 5_000_000_000_000 },
    search: {
      request({ q, offset, parameters: { hl } }, call) {
        if (hl !== undefined) call.lose('hl', 'it knows one language')
        if (offset > 0) call.lose('start', 'pages after the first are not sure', 'changed')
        return { method: 'GET', url: `/find?${new URLSearchParams({ q, offset: String(offset) })}` }
      },
      response: ({ body }) => body as { items: ReturnType<typeof results> },
    },
    ...changes,
  }
  return { upstream, backend }
}

describe('What a search backend declares to be lost', () => {
  it('is told to the caller and stands in the row, of every page', async () => {
    const { backend } = await remote()
    const gateway = await startSearch({ backends: [backend] })
    const first = await search(gateway, { q: 'cats', hl: 'de' })
    expect([first.status, first.headers.get('headgate-lost')]).toEqual([200, 'hl'])
    const second = await search(gateway, { q: 'cats', hl: 'de', start: 11 })
    expect([second.status, second.headers.get('headgate-lost')]).toEqual([200, 'hl, start;changed'])
    expect((await search(gateway, { q: 'cats' })).headers.get('headgate-lost')).toBeNull()
    const hl = { path: 'hl', kind: 'dropped', reason: 'it knows one language' }
    expect(gateway.rows.map(({ losses }) => losses)).toMatchObject([[hl], [hl, { path: 'start', kind: 'changed' }], []])
  })

  it('is refused by the strict before anything is sent', async () => {
    const { backend, upstream } = await remote()
    const gateway = await startSearch({ backends: [backend] })
    const { status, body } = await search(gateway, { q: 'cats', hl: 'de' }, STRICT)
    expect([status, body.error?.message]).toEqual([400, expect.stringContaining('hl (dropped: it knows one language)')])
    const later = await search(gateway, { q: 'cats', start: 11 }, STRICT)
    expect([later.status, later.body.error?.message]).toEqual([
      400,
      expect.stringContaining('start (changed: pages after'),
    ])
    expect(upstream.calls).toHaveLength(0)
  })

  it('puts it after those that lose nothing', async () => {
    const { backend, upstream } = await remote()
    const gateway = await startSearch({
      backends: [backend, listBackend(byOffset, results(3), { name: 'beta', supports: ['hl'] })],
    })
    const asked = async (parameters: Record<string, string>) =>
      (await search(gateway, { q: 'cats', ...parameters })).headers.get('headgate-vendor')
    expect([await asked({ hl: 'de' }), await asked({})]).toEqual(['beta', 'alpha'])
    expect(upstream.calls).toHaveLength(1)
  })

  it('is told by one in this process too, and again with answers that are kept', async () => {
    const list = results(20)
    const own = listBackend(byOffset, list, {
      search: {
        run: async ({ limit, offset }, _, call) => {
          call.lose('q', 'it reads one word', 'changed')
          return { items: list.slice(offset, offset + limit) }
        },
      },
    })
    const gateway = await startSearch({ backends: [own], cacheMs: 60_000 })
    const lost = async (start: number) =>
      (await search(gateway, { q: 'two words', num: 5, start })).headers.get('headgate-lost')
    expect([await lost(1), await lost(1), await lost(6)]).toEqual(['q;changed', 'q;changed', 'q;changed'])
    expect(gateway.rows.map(({ why, losses }) => [why, losses.length])).toEqual([
      ['served', 1],
      ['cached', 1],
      ['served', 1],
    ])
    for (const start of [1, 11])
      expect((await search(gateway, { q: 'two words', num: 5, start }, STRICT)).status).toBe(400)
  })
})
