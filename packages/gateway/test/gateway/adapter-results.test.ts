import { describe, expect, it } from 'vitest'
import type { HttpRequest, ProviderInstance } from '../../../core/src/provider.ts'
import { foreign, MODEL, VECTOR } from '../support/embeddings.ts'
import { chatProvider, startGateway } from '../support/gateway.ts'
import { startUpstream } from '../support/upstream.ts'

// A second copy of the module, as an adapter has that was installed with a copy of core.
const copy: typeof import('../../../core/src/contract/exchange.ts') = await import(
  '../../../core/src/contract/exchange.ts?copy' as string
)

const again: HttpRequest = { method: 'POST', url: '/again', body: { json: {} } }
const EMBED = { model: MODEL.id, input: 'one' }
const RERANK = { model: 'rank-1', query: 'q', documents: ['a'] }
const ranker = (url: string, response: () => unknown): ProviderInstance =>
  chatProvider(url, {
    known: [{ id: 'rank-1', families: ['rerank'] }],
    rerank: { request: () => again, response } as unknown as NonNullable<ProviderInstance['rerank']>,
  })

describe('What an adapter returns', () => {
  it('may be one more request that another copy of core created', async () => {
    const upstream = await startUpstream((call) => call.answer(200, { vectors: [VECTOR] }))
    const response = ({ body }: { body: unknown }, _: unknown, earlier: readonly unknown[]) =>
      earlier.length === 0 ? copy.next(again) : (body as { vectors: number[][] })
    const { post } = await startGateway('node', { providers: [foreign(upstream.url, { response } as object)] })
    const answer = await post('/v1/embeddings', EMBED)
    expect([answer.status, await answer.json()]).toMatchObject([200, { data: [{ embedding: VECTOR }] }])
    expect(upstream.calls.map(({ path }) => path)).toEqual(['/v1/embed', '/v1/again'])
  })

  it.each([undefined, null, {}, { vectors: [undefined] }, { vectors: [[]] }, { request: again, afterMs: 0 }])(
    'is never a response without a vector: %j',
    async (result) => {
      const upstream = await startUpstream((call) => call.answer(200, {}))
      const { post, rows } = await startGateway('node', {
        providers: [foreign(upstream.url, { response: () => result } as object)],
      })
      expect((await post('/v1/embeddings', EMBED)).status).toBe(500)
      expect(rows).toMatchObject([{ billed: false }])
    },
  )

  it.each([undefined, {}, { results: [{}] }])('is never a ranking without documents: %j', async (result) => {
    const upstream = await startUpstream((call) => call.answer(200, {}))
    const { post } = await startGateway('node', { providers: [ranker(upstream.url, () => result)] })
    expect((await post('/v1/rerank', RERANK)).status).toBe(500)
  })
})
