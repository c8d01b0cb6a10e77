import { describe, expect, it } from 'vitest'
import { openAICompatibleServer } from '../../../core/src/openai-compatible.ts'
import { type EmbeddingsSupport, HeadgateError, type ProviderInstance } from '../../../core/src/provider.ts'
import { BASE64, foreign, MODEL, PRICE, server, VECTOR, vendor } from '../support/embeddings.ts'
import { chatProvider, SECRET, startGateway } from '../support/gateway.ts'
import { startUpstream } from '../support/upstream.ts'

describe('Embeddings', () => {
  it('case 327: pass as they are where the provider speaks the wire', async () => {
    const upstream = await startUpstream(vendor)
    const { post, rows } = await startGateway('node', { providers: [server(upstream.url)] })
    const body = `{ "model": "alpha/embed-1",  "input": ["one", "three"], "unknown": 1.0 }`
    const answer = await post('/v1/embeddings', body)
    expect([answer.status, answer.headers.get('headgate-vendor')]).toEqual([200, 'alpha'])
    const [call] = upstream.calls
    expect(call?.body.toString()).toBe(`{ "model": "embed-1",  "input": ["one", "three"], "unknown": 1.0 }`)
    expect(call?.headers.authorization).toBe(`Bearer ${SECRET}`)
    expect(await answer.json()).toMatchObject({ data: [{ embedding: [3, ...VECTOR] }, { embedding: [5, ...VECTOR] }] })
    expect(rows).toMatchObject([
      {
        family: 'embeddings',
        format: 'embeddings',
        translated: false,
        usage: { input: 6 },
        cost: 120,
        billed: true,
        providerModel: 'embed-1-001',
      },
    ])
  })

  it('are split where the provider takes fewer at once, in order and with their usage', async () => {
    const upstream = await startUpstream(vendor)
    const { post, rows } = await startGateway('node', { providers: [server(upstream.url)] })
    const input = Array.from({ length: 10 }, (_, index) => 'x'.repeat(index + 1))
    const answer = (await (await post('/v1/embeddings', { model: 'embed-1', input })).json()) as {
      data: { embedding: number[] }[]
      usage: object
    }
    expect(answer.data.map(({ embedding }) => embedding[0])).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10])
    expect(answer.usage).toEqual({ prompt_tokens: 30, total_tokens: 30 })
    expect(upstream.calls.map((call) => (call.json()['input'] as string[]).length).sort()).toEqual([2, 4, 4])
    expect(rows).toMatchObject([
      { usage: { input: 30 }, cost: 600, attempts: [{ status: 200 }, { status: 200 }, { status: 200 }] },
    ])
  })

  it('fail whole where a part fails, and what the others cost is kept', async () => {
    const upstream = await startUpstream((call) => {
      const inputs = call.json()['input'] as string[]
      if (inputs.includes('bad'))
        call.answer(400, { error: { message: 'input 5 is too long', type: 'invalid_request_error' } })
      else vendor(call)
    })
    const { post, rows } = await startGateway('node', { providers: [server(upstream.url)] })
    const answer = await post('/v1/embeddings', { model: 'embed-1', input: ['a', 'b', 'c', 'd', 'bad'] })
    expect(answer.status).toBe(400)
    expect(await answer.json()).toMatchObject({ error: { message: 'alpha: input 5 is too long' } })
    expect(rows).toMatchObject([{ billed: false, why: 'failed', status: 400 }])
  })

  it.each([
    ['float', 'base64', BASE64],
    ['base64', 'float', VECTOR],
  ])('that come as %s are given as %s, where that was asked for', async (_, encoding_format, expected) => {
    const stubborn = encoding_format === 'base64' ? VECTOR : BASE64
    const upstream = await startUpstream((call) =>
      call.answer(200, { object: 'list', data: [{ index: 0, embedding: stubborn }], model: 'm' }),
    )
    const { post, rows } = await startGateway('node', { providers: [server(upstream.url)] })
    const answer = await post('/v1/embeddings', { model: 'embed-1', input: 'one', encoding_format })
    expect(await answer.json()).toMatchObject({ data: [{ embedding: expected }] })
    expect(rows).toMatchObject([{ cost: null, why: 'usage-unknown', billed: false }])
  })

  it('are made for the use that the caller names, in the words of a server that knows uses', async () => {
    const upstream = await startUpstream(vendor)
    const embeddings = { batch: 2, inputTypes: { query: 'query', document: 'passage' } }
    const { embeddings: support } = openAICompatibleServer({ baseUrl: upstream.url, embeddings })
    const { post } = await startGateway('node', {
      providers: [server(upstream.url, support && { embeddings: support })],
    })
    const asked = async (input_type: unknown, input: unknown = 'one') => {
      const before = upstream.calls.length
      const answer = await post('/v1/embeddings', { model: 'embed-1', input, input_type })
      const sent = upstream.calls.slice(before).map((call) => call.json()['input_type'])
      return [answer.status, answer.headers.get('headgate-lost'), ...sent]
    }
    // What passes, ...
    expect(await asked('passage')).toEqual([200, null, 'passage'])
    expect(await asked('search_document')).toEqual([200, null, 'passage'])
    expect(await asked('clustering')).toEqual([200, 'input_type', undefined])
    expect(await asked('constructor')).toEqual([200, 'input_type', undefined])
    // ... what is split, ...
    expect(await asked('retrieval_query', ['a', 'b', 'c'])).toEqual([200, null, 'query', 'query'])
    expect(await asked('similarity', ['a', 'b', 'c'])).toEqual([200, 'input_type', undefined, undefined])
    // ... and what is asked in another wire.
    const content = { parts: [{ text: 'one' }] }
    await post('/v1beta/models/embed-1:embedContent', { content, taskType: 'RETRIEVAL_DOCUMENT' })
    expect(upstream.calls.at(-1)?.json()['input_type']).toBe('passage')
  })

  it('are translated for a provider of another wire; what it can not carry is declared', async () => {
    const upstream = await startUpstream((call) => call.answer(200, { vectors: [VECTOR], tokens: 2 }))
    const { post, rows } = await startGateway('node', { providers: [foreign(upstream.url)] })
    const body = {
      model: 'embed-1',
      input: 'one',
      dimensions: 3,
      input_type: 'search_query',
      encoding_format: 'base64',
      user: 'u',
    }
    const answer = await post('/v1/embeddings', body)
    expect(upstream.calls[0]?.json()).toEqual({ model: 'embed-1', texts: ['one'], use: 'query' })
    expect(answer.headers.get('headgate-lost')).toBe('user, dimensions')
    expect(await answer.json()).toEqual({
      object: 'list',
      data: [{ object: 'embedding', index: 0, embedding: BASE64 }],
      model: 'embed-1',
      usage: { prompt_tokens: 2, total_tokens: 2 },
    })
    expect(rows).toMatchObject([{ translated: true, losses: [{ path: 'user' }, { path: 'dimensions' }] }])
    const strict = await post('/v1/embeddings', body, { headers: { 'headgate-strict': 'true' } })
    expect([strict.status, upstream.calls.length]).toEqual([400, 1])
  })

  it('of lists of tokens go where they are taken', async () => {
    const [texts, tokens] = [await startUpstream(), await startUpstream(vendor)]
    const both = [foreign(texts.url), server(tokens.url)]
    const { post } = await startGateway('node', { providers: both })
    const answer = await post('/v1/embeddings', { model: 'embed-1', input: [[1, 2], [3]] })
    expect([answer.status, texts.calls.length, tokens.calls.length]).toEqual([200, 0, 1])
    const refused = await post('/v1/embeddings', { model: 'embed-1', input: [1, 2] }, { headers: { vendor: 'beta' } })
    expect(refused.status).toBe(400)
    expect(await refused.json()).toMatchObject({
      error: { param: 'input', message: expect.stringContaining('not token lists') },
    })
  })

  it('move to another provider of the same model only', async () => {
    const down = await startUpstream((call) => call.answer(500, { error: { message: 'down' } }))
    const other = await startUpstream(vendor)
    const providers = [
      server(down.url),
      server(other.url, { name: 'azure', known: [{ ...MODEL, id: 'my-deployment', is: 'embed-1' }] }),
      server(other.url, { name: 'third', known: [{ ...MODEL, id: 'embed-2' }] }),
    ]
    const models = { one: ['alpha/embed-1', 'azure/my-deployment'], two: ['alpha/embed-1', 'third/embed-2'] }
    const { post } = await startGateway('node', { providers, models })
    expect((await post('/v1/embeddings', { model: 'one', input: 'x' })).headers.get('headgate-vendor')).toBe('azure')
    const alone = await post('/v1/embeddings', { model: 'two', input: 'x' })
    expect([alone.status, other.calls.length]).toEqual([500, 1])
  })

  it('of a deployment have the facts and the price of the model that it is, and stand in for it', async () => {
    const down = await startUpstream((call) => call.answer(500, { error: { message: 'down' } }))
    const other = await startUpstream(vendor)
    const deployed = {
      provider: server(other.url),
      name: 'azure',
      models: { mine: { upstream: 'deploy-1', is: 'embed-1' } },
    }
    const { post, rows } = await startGateway('node', {
      providers: [server(down.url), deployed],
      models: { one: ['alpha/embed-1', 'azure/mine'] },
    })
    const answer = await post('/v1/embeddings', { model: 'one', input: 'x' })
    expect([answer.headers.get('headgate-vendor'), other.calls[0]?.json()['model']]).toEqual(['azure', 'deploy-1'])
    expect(rows).toMatchObject([{ cost: 60, priceId: PRICE.id }])
    const talk = await post('/v1/chat/completions', { model: 'azure/mine', messages: [{ role: 'user', content: 'x' }] })
    expect(talk.status).toBe(400)
  })

  it('that a provider refuses keep the field that it names, under its name', async () => {
    const upstream = await startUpstream((call) => call.answer(200, {}))
    const refusing = foreign(upstream.url, {
      response: () => {
        throw new HeadgateError('invalid-request', 'dimensions must be 3.', { param: 'dimensions' })
      },
    })
    const { post } = await startGateway('node', { providers: [refusing] })
    const answer = await post('/v1/embeddings', { model: 'embed-1', input: 'x', dimensions: 4 })
    expect([answer.status, await answer.json()]).toMatchObject([
      400,
      { error: { message: 'beta: dimensions must be 3.', param: 'dimensions' } },
    ])
  })

  it('name the provider once, whatever its own words begin with', async () => {
    const [gone, talks] = [404, 400].map((status) =>
      startUpstream((call) =>
        call.answer(status, { error: { message: 'alphabet soup', type: 'invalid_request_error' } }),
      ),
    )
    const said = async (upstream: typeof gone) => {
      const { post } = await startGateway('node', { providers: [server((await upstream)?.url ?? '')] })
      const answer = (await (await post('/v1/embeddings', { model: 'embed-1', input: 'x' })).json()) as {
        error: object
      }
      return answer.error
    }
    expect(await said(gone)).toMatchObject({
      message: 'Provider alpha does not know the model embed-1: alphabet soup',
      param: 'model',
    })
    expect(await said(talks)).toMatchObject({ message: 'alpha: alphabet soup' })
  })

  it('case 326: of a body that is wrong are refused with the field named', async () => {
    const upstream = await startUpstream()
    const { post } = await startGateway('node', { providers: [foreign(upstream.url)] })
    for (const [body, param] of [
      [{ model: 'embed-1' }, 'input'],
      [{ model: 'embed-1', input: [] }, 'input'],
      [{ model: 'embed-1', input: '' }, 'input'],
      [{ model: 'embed-1', input: ['a', ''] }, 'input'],
      [{ model: 'embed-1', input: ['a', 1] }, 'input'],
      [{ model: 'embed-1', input: 'a', dimensions: 0 }, 'dimensions'],
      [{ model: 'embed-1', input: 'a', encoding_format: 'hex' }, 'encoding_format'],
      [{ input: 'a' }, 'model'],
    ] as const) {
      const answer = await post('/v1/embeddings', body)
      expect([answer.status, await answer.json()]).toMatchObject([400, { error: { param } }])
    }
    expect(upstream.calls).toHaveLength(0)
  })

  it('are not asked of a model that only talks, nor talk of one that only makes vectors', async () => {
    const upstream = await startUpstream()
    const { post } = await startGateway('node', {
      providers: [server(upstream.url, { known: [MODEL, { id: 'talker', families: ['chat'] }] })],
    })
    const talk = await post('/v1/chat/completions', { model: 'embed-1', messages: [{ role: 'user', content: 'x' }] })
    expect([talk.status, await talk.json()]).toMatchObject([
      400,
      { error: { message: expect.stringContaining('supports embeddings, not chat') } },
    ])
    const vectors = await post('/v1/embeddings', { model: 'talker', input: 'x' })
    expect([vectors.status, upstream.calls.length]).toEqual([400, 0])
    const other = await startGateway('node', {
      providers: [chatProvider(upstream.url), server(upstream.url, { name: 'beta' })],
    })
    const unable = await other.post('/v1/embeddings', { model: 'small', input: 'x' })
    expect([unable.status, await unable.json()]).toMatchObject([
      400,
      {
        error: {
          param: 'model',
          message: expect.stringContaining('is served by alpha, which does not support embeddings'),
        },
      },
    ])
  })

  it('are asked of those that make them only', async () => {
    const { post } = await startGateway('node', { providers: [chatProvider('http://127.0.0.1:9')] })
    const answer = await post('/v1/embeddings', { model: 'some', input: 'x' })
    expect([answer.status, await answer.json()]).toMatchObject([
      400,
      { error: { message: expect.stringContaining('supports embeddings.') } },
    ])
  })

  it('that pass as they are must be one for each text', async () => {
    for (const data of [[], [{ object: 'embedding', index: 0, embedding: VECTOR }], [{ index: 0 }, { index: 1 }]]) {
      const upstream = await startUpstream((call) => call.answer(200, { object: 'list', data, model: 'embed-1' }))
      const { post } = await startGateway('node', { providers: [server(upstream.url)] })
      const answer = await post(
        '/v1/embeddings',
        { model: 'embed-1', input: ['a', 'b'] },
        { headers: { 'headgate-timeout-ms': '500' } },
      )
      expect([answer.status, await answer.json()]).toMatchObject([
        500,
        { error: { message: expect.stringContaining('one embedding for each of the 2 inputs') } },
      ])
    }
  })

  it('that run in this process are made there', async () => {
    const { post, rows } = await startGateway('node', {
      providers: [
        {
          name: 'local',
          claims: [],
          credential: { kind: 'none' },
          known: [{ id: 'mini', price: { id: 'local', input: 0, output: 0 } }],
          embeddings: {
            batch: 1,
            run: async ({ inputs }) => ({ vectors: inputs.map(() => VECTOR), usage: { input: 2, output: 0 } }),
          },
        },
      ],
    })
    const answer = await post('/v1/embeddings', { model: 'mini', input: ['a', 'b'], encoding_format: 'base64' })
    expect(await answer.json()).toMatchObject({
      data: [{ embedding: BASE64 }, { embedding: BASE64 }],
      usage: { total_tokens: 4 },
    })
    expect(rows).toMatchObject([
      { provider: 'local', cost: 0, billed: true, attempts: [{ provider: 'local' }, { provider: 'local' }] },
    ])
  })

  it('that run in this process say what they leave out, and the strict refuse it', async () => {
    const embeddings: EmbeddingsSupport = {
      batch: 1,
      async run({ inputs, dimensions }, _, { model, lose }) {
        if (dimensions !== undefined) lose('dimensions', `${model} has its own`)
        return { vectors: inputs.map(() => VECTOR), usage: { input: 2, output: 0 } }
      },
    }
    const known = [{ id: 'mini', price: { id: 'local', input: 0, output: 0 } }]
    const provider: ProviderInstance = { name: 'local', claims: [], credential: { kind: 'none' }, known, embeddings }
    const { post, rows } = await startGateway('node', { providers: [provider] })
    const body = { model: 'mini', input: ['a', 'b'], dimensions: 2 }
    expect((await post('/v1/embeddings', body)).headers.get('headgate-lost')).toBe('dimensions')
    const refused = await post('/v1/embeddings', body, { headers: { 'headgate-strict': 'true' } })
    expect([refused.status, await refused.json()]).toMatchObject([400, { error: { param: 'dimensions' } }])
    expect(
      (await post('/v1/embeddings', { ...body, dimensions: undefined }, { headers: { 'headgate-strict': 'true' } }))
        .status,
    ).toBe(200)
    const lost = { path: 'dimensions', kind: 'dropped', reason: 'mini has its own' }
    expect(rows.map(({ status, losses }) => [status, losses])).toEqual([
      [200, [lost]],
      [400, [lost]],
      [200, []],
    ])
  })
})
