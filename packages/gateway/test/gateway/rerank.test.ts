import { describe, expect, it } from 'vitest'
import { HeadgateError } from '../../../core/src/provider.ts'
import { dryRunSchema } from '../../src/serve/dry-run-schema.ts'
import { startBounded } from '../support/budgets.ts'
import { chatProvider, SECRET, startGateway } from '../support/gateway.ts'
import { BY_SEARCHES, BY_TOKENS, bySearches, byTokens, ranker, ranks, SEARCHES } from '../support/rerank.ts'
import { startUpstream } from '../support/upstream.ts'

const DOCUMENTS = ['a text of some length', 'short', 'another one']
const ASKED = { model: 'rank-1', query: 'Which is short?', documents: DOCUMENTS }

describe('Reranking', () => {
  it('puts documents in order, best first, and counts tokens', async () => {
    const upstream = await startUpstream(byTokens)
    const { post, rows } = await startGateway('node', { providers: [ranker(upstream.url)] })
    const answer = await post('/v1/rerank', ASKED)
    expect([answer.status, answer.headers.get('headgate-vendor'), answer.headers.get('headgate-lost')]).toEqual([
      200,
      'alpha',
      null,
    ])
    expect(await answer.json()).toEqual({
      object: 'list',
      id: expect.stringMatching(/^req_/),
      model: 'rank-1-2026',
      results: [
        { index: 1, relevance_score: 1 / 6 },
        { index: 2, relevance_score: 1 / 12 },
        { index: 0, relevance_score: 1 / 22 },
      ],
      usage: { prompt_tokens: 17, total_tokens: 17 },
    })
    const [call] = upstream.calls
    expect([call?.path, call?.headers.authorization]).toEqual(['/v1/rerank', `Bearer ${SECRET}`])
    expect(call?.json()).toEqual(ASKED)
    expect(rows).toMatchObject([
      {
        family: 'rerank',
        format: 'rerank',
        model: 'rank-1',
        providerModel: 'rank-1-2026',
        translated: true,
        usage: { input: 17, output: 0 },
        cost: 340,
        billed: true,
        why: 'served',
      },
    ])
  })

  it('counts searches where those are billed', async () => {
    const upstream = await startUpstream(bySearches)
    const { post, rows } = await startGateway('node', {
      providers: [ranker(upstream.url, { rerank: SEARCHES, price: BY_SEARCHES })],
    })
    const documents = Array.from({ length: 101 }, (_, index) => `document ${index}`)
    const answer = await post('/v2/rerank', { ...ASKED, documents, max_tokens_per_doc: 100, top_n: 2 })
    expect(await answer.json()).toMatchObject({
      results: [{ index: 0 }, { index: 1 }],
      meta: { billed_units: { search_units: 2 } },
    })
    expect(upstream.calls[0]?.json()).toMatchObject({ top_n: 2, max_tokens_per_doc: 100 })
    expect(rows).toMatchObject([
      { usage: { input: 0, output: 0, units: { searches: 2 } }, cost: 4_000_000, billed: true },
    ])
  })

  it('gives back documents that are asked for, as they came', async () => {
    const upstream = await startUpstream(byTokens)
    const { post } = await startGateway('node', { providers: [ranker(upstream.url)] })
    const documents = [{ text: 'with a page', page: 3 }, 'text']
    const answer = await post('/v1/rerank', { ...ASKED, documents, return_documents: true, top_n: 9 })
    expect(await answer.json()).toMatchObject({
      results: [
        { index: 1, document: { text: 'text' } },
        { index: 0, document: { text: 'with a page', page: 3 } },
      ],
    })
    expect(upstream.calls[0]?.json()).toEqual({ ...ASKED, documents: ['with a page', 'text'] })
  })

  it('reads the fields of documents that count', async () => {
    const upstream = await startUpstream(byTokens)
    const { post } = await startGateway('node', { providers: [ranker(upstream.url)] })
    const documents = [{ title: 'A', body: { lines: 2 }, other: 1 }, { title: 'B' }]
    expect((await post('/v1/rerank', { ...ASKED, documents, rank_fields: ['title', 'body'] })).status).toBe(200)
    expect(upstream.calls[0]?.json()['documents']).toEqual(['title: A\nbody: {"lines":2}', 'title: B'])
    const refused = await post('/v1/rerank', { ...ASKED, documents: [{ title: 'A' }] })
    expect([refused.status, await refused.json()]).toMatchObject([400, { error: { param: 'documents[0]' } }])
  })

  it('declares what nobody understands, and refuses it where that is wanted', async () => {
    const upstream = await startUpstream(byTokens)
    const { post, rows } = await startGateway('node', { providers: [ranker(upstream.url)] })
    const body = { ...ASKED, priority: 3, max_tokens_per_doc: 5 }
    const answer = await post('/v1/rerank', body)
    expect([answer.status, answer.headers.get('headgate-lost')]).toEqual([200, 'priority, max_tokens_per_doc'])
    expect(rows).toMatchObject([{ losses: [{ path: 'priority' }, { path: 'max_tokens_per_doc' }] }])
    const strict = await post('/v1/rerank', body, { headers: { 'headgate-strict': 'true' } })
    expect([strict.status, upstream.calls.length]).toEqual([400, 1])
  })

  it.each([
    ['a query that is missing', { model: 'rank-1', documents: ['a'] }, 'query'],
    ['no documents', { ...ASKED, documents: [] }, 'documents'],
    ['a document that is a number', { ...ASKED, documents: ['a', 3] }, 'documents[1]'],
    ['a number of results below 1', { ...ASKED, top_n: 0 }, 'top_n'],
    ['a model that is missing', { query: 'a', documents: ['a'] }, 'model'],
  ])('refuses %s, and names the field', async (_, body, param) => {
    const upstream = await startUpstream(byTokens)
    const { post, rows } = await startGateway('node', { providers: [ranker(upstream.url)] })
    const answer = await post('/v1/rerank', body)
    expect([answer.status, await answer.json()]).toMatchObject([400, { error: { param } }])
    expect([upstream.calls.length, rows]).toEqual([0, []])
  })

  it.each([
    ['one too few', { results: [{ index: 0, relevance_score: 1 }] }],
    ['one twice', { results: [0, 1, 1].map((index) => ({ index, relevance_score: 1 })) }],
    ['one that there is not', { results: [0, 1, 3].map((index) => ({ index, relevance_score: 1 })) }],
    ['no list', { data: [] }],
  ])('takes no answer with %s', async (_, body) => {
    const upstream = await startUpstream((call) => call.answer(200, body))
    const { post, rows } = await startGateway('node', { providers: [ranker(upstream.url)] })
    expect((await post('/v1/rerank', ASKED)).status).toBe(500)
    expect(rows).toMatchObject([{ billed: false, failure: 'upstream' }])
  })

  it('goes on to the next provider that carries the request', async () => {
    const [failing, well] = await Promise.all([
      startUpstream((call) => call.answer(503, { message: 'busy' })),
      startUpstream(byTokens),
    ])
    const small = ranker(failing.url, { name: 'small', rerank: { most: 2 } })
    const providers = [small, ranker(failing.url, { name: 'failing' }), ranker(well.url, { name: 'well' })]
    const { post, rows } = await startGateway('node', { providers })
    const answer = await post('/v1/rerank', ASKED)
    expect([answer.status, answer.headers.get('headgate-vendor')]).toEqual([200, 'well'])
    expect(rows).toMatchObject([
      { provider: 'well', attempts: expect.arrayContaining([expect.objectContaining({ provider: 'failing' })]) },
    ])
    const alone = await post('/v1/rerank', { ...ASKED, model: 'small/rank-1' })
    expect([alone.status, await alone.json()]).toMatchObject([
      400,
      { error: { param: 'documents', message: /at most 2 documents/ } },
    ])
  })

  it('runs in this process', async () => {
    const run = async ({ documents, query }: { documents: readonly string[]; query: string }) => {
      if (query === 'fail') throw new HeadgateError('upstream', 'No model.')
      return { results: documents.map((_, index) => ({ index, score: index })), usage: { input: 4, output: 0 } }
    }
    const own = {
      ...chatProvider('http://127.0.0.1:9'),
      name: 'own',
      known: [{ id: 'rank-1', families: ['rerank'] }],
      rerank: { run },
    }
    const { post, rows } = await startGateway('node', { providers: [own] })
    expect(await (await post('/v1/rerank', ASKED)).json()).toMatchObject({
      model: 'rank-1',
      results: [{ index: 2 }, { index: 1 }, { index: 0 }],
    })
    expect((await post('/v1/rerank', { ...ASKED, query: 'fail' })).status).toBe(500)
    expect(rows).toMatchObject([
      { usage: { input: 4 }, cost: null, why: 'price-unknown', billed: false },
      { why: 'failed' },
    ])
  })

  it('is refused before it is sent where a budget can not bear it', async () => {
    const upstream = await startUpstream(bySearches)
    const provider = ranker(upstream.url, { rerank: SEARCHES, price: BY_SEARCHES })
    const { post } = await startBounded('node', 0.01, { providers: [provider] })
    expect((await post('/v1/rerank', ASKED)).status).toBe(200)
    const documents = Array.from({ length: 401 }, () => 'a text')
    const refused = await post('/v1/rerank', { ...ASKED, documents })
    expect([refused.status, upstream.calls.length]).toEqual([429, 1])
  })

  it('is refused by a budget where searches are billed though the provider may count tokens', async () => {
    const upstream = await startUpstream(bySearches)
    const { post } = await startBounded('node', 0.001, { providers: [ranker(upstream.url, { price: BY_SEARCHES })] })
    expect([(await post('/v1/rerank', ASKED)).status, upstream.calls.length]).toEqual([429, 0])
  })

  it.each([
    ['as Cohere does', { meta: { billed_units: { search_units: 3 } } }, { input: 0, units: { searches: 3 } }],
    [
      'as OpenRouter does, searches',
      { usage: { search_units: 1, total_tokens: 150 } },
      { input: 0, units: { searches: 1 } },
    ],
    ['as OpenRouter does, tokens', { usage: { total_tokens: 17, cost: 3.4e-7 } }, { input: 17 }],
    ['as Together AI does', { usage: { prompt_tokens: 29, completion_tokens: 0, total_tokens: 29 } }, { input: 29 }],
    ['as SiliconFlow does', { tokens: { input_tokens: 12, output_tokens: 0 } }, { input: 12 }],
  ])('accounts for what is counted %s', async (_, counts, usage) => {
    const upstream = await startUpstream((call) => call.answer(200, { results: ranks(DOCUMENTS), ...counts }))
    const { post, rows } = await startGateway('node', { providers: [ranker(upstream.url)] })
    expect((await post('/v1/rerank', ASKED)).status).toBe(200)
    expect(rows).toMatchObject([{ usage }])
  })

  it.each([
    ['tokens', true, BY_TOKENS, byTokens],
    ['searches', SEARCHES, BY_SEARCHES, bySearches],
  ])('says in a dry run what it can cost at most, by %s', async (_, rerank, price, vendor) => {
    const upstream = await startUpstream(vendor)
    const { post } = await startGateway('node', { providers: [ranker(upstream.url, { rerank, price })] })
    const dry = dryRunSchema.parse(
      await (await post('/v1/rerank', ASKED, { headers: { 'headgate-dry-run': 'true' } })).json(),
    )
    expect(upstream.calls).toEqual([])
    const cost = Number((await post('/v1/rerank', ASKED)).headers.get('headgate-cost'))
    expect(cost).toBeGreaterThan(0)
    expect(Number(dry.candidates[0]?.bound)).toBeGreaterThanOrEqual(cost)
  })
})
