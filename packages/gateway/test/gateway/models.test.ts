import { afterEach, describe, expect, it, vi } from 'vitest'
import { openAICompatibleServer } from '../../../core/src/openai-compatible.ts'
import { type HttpResponse, next } from '../../../core/src/provider.ts'
import { CHAT, chatAnswer, chatRequest } from '../../../core/test/support/wire.ts'
import type { ModelFacts, ProviderInstance } from '../../src/index.ts'
import { chatProvider, startGateway } from '../support/gateway.ts'
import { startUpstream, type UpstreamCall } from '../support/upstream.ts'

const entries = ({ body }: HttpResponse) => (body as { data: { id: string; context_length?: number }[] }).data
const facts = (answer: HttpResponse): ModelFacts[] =>
  entries(answer).map(({ id, context_length: context }) => ({ id, ...(context && { context }) }))

/** A list in one page. */
const models: NonNullable<ProviderInstance['models']> = {
  request: () => ({ method: 'GET', url: '/models', headers: { 'x-list': 'yes' } }),
  response: (answer) => facts(answer),
}

const list = (...ids: string[]) => ({ object: 'list', data: ids.map((id) => ({ id })) })

/** A provider whose list is what `ids` says at the time, and which serves whatever it is asked. */
const listing =
  (ids: () => unknown) =>
  (call: UpstreamCall): unknown => {
    if (call.method === 'POST') return call.answer(200, chatAnswer())
    const value = ids()
    return typeof value === 'number' ? call.answer(value, { error: { message: 'no list' } }) : call.answer(200, value)
  }

afterEach(() => {
  vi.useRealTimers()
})

describe('The list of models', () => {
  it('has every model that can be called, aliases first, with all its providers', async () => {
    const upstream = await startUpstream(
      listing(() => ({ data: [{ id: 'big', context_length: 1000 }, { id: 'small' }] })),
    )
    const { call, gateway } = await startGateway('node', {
      providers: [
        chatProvider(upstream.url, { models }),
        { provider: chatProvider(upstream.url), name: 'beta', models: { small: 'small-2', own: 'x/y' } },
      ],
      models: { fast: ['beta/own', 'small'], gone: ['nobody/has'] },
    })
    await gateway.ready()
    const answer = await call('/v1/models')
    const entry = { object: 'model', created: 0, price: null }
    expect([answer.status, answer.headers.get('content-type'), await answer.json()]).toEqual([
      200,
      'application/json',
      {
        object: 'list',
        data: [
          { ...entry, id: 'fast', owned_by: 'beta', providers: ['beta', 'alpha'] },
          { ...entry, id: 'big', owned_by: 'alpha', providers: ['alpha'], context_length: 1000 },
          { ...entry, id: 'small', owned_by: 'alpha', providers: ['alpha', 'beta'] },
          { ...entry, id: 'own', owned_by: 'beta', providers: ['beta'] },
        ],
      },
    ])
    expect(gateway.describe()).toEqual([
      { name: 'alpha', models: 2 },
      { name: 'beta', models: 2 },
    ])
    const [asked] = upstream.calls
    expect([asked?.method, asked?.path, asked?.headers['x-list'], asked?.headers.authorization]).toEqual([
      'GET',
      '/v1/models',
      'yes',
      expect.stringContaining('Bearer'),
    ])
  })

  it('has embedding models too, with what each is for where that is known', async () => {
    const upstream = await startUpstream(listing(() => 500))
    const known: ModelFacts[] = [
      { id: 'talker', families: ['chat'], context: 1000 },
      { id: 'embedder', families: ['embeddings'] },
      { id: 'odd' },
    ]
    const alpha = {
      name: 'alpha',
      claims: [],
      ...openAICompatibleServer({ baseUrl: upstream.url, embeddings: true, models: false, known }),
    }
    const { call } = await startGateway('node', {
      providers: [
        alpha,
        {
          provider: chatProvider(upstream.url, { known }),
          name: 'beta',
          models: { mine: { upstream: 'deploy-1', is: 'talker' } },
        },
      ],
      models: { vectors: ['alpha/embedder'] },
    })
    const { data } = (await (await call('/v1/models')).json()) as {
      data: { id: string; families?: string[]; context_length?: number }[]
    }
    expect(data.map(({ id, families, context_length }) => [id, families, context_length])).toEqual([
      ['vectors', ['embeddings'], undefined],
      ['talker', ['chat'], 1000],
      ['embedder', ['embeddings'], undefined],
      ['odd', undefined, undefined],
      ['mine', ['chat'], 1000],
    ])
    const google = (await (await call('/v1beta/models')).json()) as {
      models: { supportedGenerationMethods: string[] }[]
    }
    const [generates, embeds] = [['generateContent', 'countTokens'], ['embedContent']]
    expect(google.models.map((model) => model.supportedGenerationMethods)).toEqual([
      embeds,
      generates,
      embeds,
      generates,
      generates,
    ])
  })

  it('has for a key only what it may call, under the name by which it may', async () => {
    const upstream = await startUpstream(listing(() => 500))
    const principals: Record<string, readonly string[] | undefined> = {
      'sk-some': ['small', 'open-*'],
      'sk-pinned': ['beta/*'],
      'sk-none': ['other'],
      'sk-all': undefined,
    }
    const { call, post } = await startGateway('node', {
      providers: [
        chatProvider(upstream.url, { known: [{ id: 'big' }, { id: 'small' }, { id: 'open-1' }] }),
        chatProvider(upstream.url, { name: 'beta', known: [{ id: 'small' }] }),
      ],
      models: { fast: ['small'], 'open-x': ['big'] },
      authenticate: (credential) => {
        const models = principals[credential]
        return Object.hasOwn(principals, credential) ? { id: credential, ...(models && { models }) } : undefined
      },
    })
    const idsFor = async (key: string, path = '/v1/models', headers = {}) => {
      const body = (await (await call(path, { headers: { authorization: `Bearer ${key}`, ...headers } })).json()) as {
        data?: { id: string }[]
        models?: { name: string }[]
      }
      return (body.data ?? []).map(({ id }) => id).concat((body.models ?? []).map(({ name }) => name))
    }
    expect(await idsFor('sk-all')).toEqual(['fast', 'open-x', 'big', 'small', 'open-1'])
    expect(await idsFor('sk-some')).toEqual(['open-x', 'small', 'open-1'])
    expect(await idsFor('sk-some', '/v1/models', { 'anthropic-version': '2023-06-01' })).toEqual([
      'open-x',
      'small',
      'open-1',
    ])
    expect(await idsFor('sk-some', '/v1beta/models')).toEqual(['models/open-x', 'models/small', 'models/open-1'])
    expect(await idsFor('sk-pinned')).toEqual(['beta/small'])
    expect(await idsFor('sk-none')).toEqual([])
    for (const [key, id, status] of [
      ['sk-some', 'small', 200],
      ['sk-some', 'big', 404],
      ['sk-pinned', 'beta/small', 200],
      ['sk-pinned', 'small', 404],
    ] as const)
      expect(
        (await call(`/v1/models/${id}`, { headers: { authorization: `Bearer ${key}` } })).status,
        `${key} ${id}`,
      ).toBe(status)
    const headers = { authorization: 'Bearer sk-pinned' }
    expect((await post(CHAT, { ...chatRequest, model: 'beta/small' }, { headers })).status).toBe(200)
    expect((await post(CHAT, { ...chatRequest, model: 'small' }, { headers })).status).toBe(403)
  })

  it('has the shape of messages for its callers', async () => {
    const upstream = await startUpstream()
    const { call } = await startGateway('node', {
      providers: [chatProvider(upstream.url, { known: [{ id: 'a' }, { id: 'b' }] })],
    })
    const headers = { 'anthropic-version': '2023-06-01' }
    expect(await (await call('/v1/models', { headers })).json()).toEqual({
      data: ['a', 'b'].map((id) => ({
        type: 'model',
        id,
        display_name: id,
        created_at: '1970-01-01T00:00:00.000Z',
        max_input_tokens: null,
        max_tokens: null,
        providers: ['alpha'],
        price: null,
      })),
      has_more: false,
      first_id: 'a',
      last_id: 'b',
    })
    expect(await (await call('/v1/models/b', { headers })).json()).toMatchObject({ type: 'model', id: 'b' })
    const missing = await call('/v1/models/c', { headers })
    expect([missing.status, await missing.json()]).toMatchObject([
      404,
      { type: 'error', error: { type: 'not_found_error' } },
    ])
  })

  it('tells in every shape what a model takes, can and costs, in US dollars; a price that nobody knows is null', async () => {
    const upstream = await startUpstream()
    const price = {
      id: 'there@2026',
      input: 2_500_000_000,
      output: 15_000_000_000,
      long: { above: 1000, input: 5e9, output: 30e9 },
    }
    const facts: ModelFacts = {
      id: 'big',
      context: 1000,
      output: 100,
      inputs: ['text', 'pdf'],
      families: ['chat'],
      deprecated: true,
      price,
    }
    const known: ModelFacts[] = [facts, { id: 'odd' }, { id: 'mine' }]
    const { call } = await startGateway('node', {
      providers: [
        chatProvider(upstream.url, { known }),
        chatProvider(upstream.url, { name: 'beta', known: [{ id: 'big' }] }),
      ],
      models: { fast: ['big'], one: ['mine'] },
      prices: {
        'alpha/mine': {
          id: 'config',
          input: 1_000_000_000,
          output: 0,
          units: { searches: 10_000_000_000_000 },
          tiers: { flex: { factor: 0.5 } },
        },
      },
    })
    const dollars = { id: 'there@2026', input: 2.5, output: 15, long: { above: 1000, input: 5, output: 30 } }
    const beside = { inputs: ['text', 'pdf'], families: ['chat'], deprecated: true, price: dollars }
    const get = async (id: string, headers = {}) => (await call(`/v1/models/${id}`, { headers })).json()
    expect(await get('big')).toMatchObject({
      ...beside,
      context_length: 1000,
      max_output_tokens: 100,
      providers: ['alpha', 'beta'],
    })
    expect(await get('big', { 'anthropic-version': '2023-06-01' })).toMatchObject({
      ...beside,
      max_input_tokens: 1000,
      max_tokens: 100,
    })
    expect(await get('big', { 'x-goog-api-client': 'gl' })).toMatchObject({
      ...beside,
      inputTokenLimit: 1000,
      outputTokenLimit: 100,
    })
    expect(await get('mine')).toMatchObject({
      price: { id: 'config', input: 1, output: 0, units: { searches: 10_000 }, tiers: { flex: { factor: 0.5 } } },
    })
    expect(await get('one')).toMatchObject({ id: 'one', price: { id: 'config' } })
    for (const id of ['odd', 'fast', 'beta/big', 'alpha/whatever'])
      expect(await get(id), id).toHaveProperty('price', null)
  })

  it('tells of one model, whose id may have slashes', async () => {
    const upstream = await startUpstream()
    const { call } = await startGateway('node', {
      providers: [chatProvider(upstream.url, { known: [{ id: 'org/model:free' }] })],
    })
    for (const path of ['/v1/models/org/model:free', '/v1/models/org%2Fmodel%3Afree']) {
      expect(await (await call(path)).json()).toMatchObject({ id: 'org/model:free', object: 'model' })
    }
    const missing = await call('/v1/models/nope')
    expect([missing.status, await missing.json()]).toMatchObject([404, { error: { code: 'not_found' } }])
    expect((await call('/v1/models/%E0%A4%A')).status).toBe(400)
    expect((await call('/v1/models', { headers: { 'x-no-key': '1' } })).status).toBe(401)
  })

  it('is read page by page', async () => {
    const pages: Record<string, unknown> = {
      '/v1/models': { data: [{ id: 'a' }], next: 'b' },
      '/v1/models?after=b': { data: [{ id: 'b' }], next: 'c' },
      '/v1/models?after=c': { data: [{ id: 'c' }] },
    }
    const upstream = await startUpstream((call) => call.answer(200, pages[call.path]))
    const paged: NonNullable<ProviderInstance['models']> = {
      request: () => ({ method: 'GET', url: '/models' }),
      response(answer, _, earlier) {
        const { next: after } = answer.body as { next?: string }
        if (after !== undefined) return next({ method: 'GET', url: `/models?after=${after}` })
        return [...earlier, answer].flatMap(facts)
      },
    }
    const { call, gateway } = await startGateway('node', {
      providers: [chatProvider(upstream.url, { known: [], models: paged })],
    })
    await gateway.ready()
    const { data } = (await (await call('/v1/models')).json()) as { data: { id: string }[] }
    expect(data.map(({ id }) => id)).toEqual(['a', 'b', 'c'])
  })

  it.each<[string, unknown]>([
    ['fails', 500],
    ['is not there', 404],
    ['can not be read', '<html>'],
  ])('that %s is a warning, and its provider serves all the same', async (_, answer) => {
    const upstream = await startUpstream(listing(() => answer))
    const { post, call, gateway, warnings } = await startGateway('node', {
      providers: [chatProvider(upstream.url, { models })],
    })
    await gateway.ready()
    expect(warnings).toEqual([expect.stringMatching(/^The models of alpha cannot be listed: /)])
    expect((await post(CHAT, chatRequest)).status).toBe(200)
    expect((await post(CHAT, { ...chatRequest, model: 'alpha/new' })).status).toBe(200)
    expect(await (await call('/v1/models')).json()).toMatchObject({ data: [{ id: 'small' }] })
  })

  it('is read when a model is missed, but not again within a minute', async () => {
    vi.useFakeTimers({ toFake: ['Date'] })
    const ids = ['first']
    const upstream = await startUpstream(listing(() => list(...ids)))
    const { post } = await startGateway('node', { providers: [chatProvider(upstream.url, { known: [], models })] })
    const ask = async (model: string) => (await post(CHAT, { ...chatRequest, model })).status
    const reads = () => upstream.calls.filter((call) => call.method === 'GET').length
    expect([await ask('first'), reads()]).toEqual([200, 1])
    ids.push('second')
    expect([await ask('second'), reads()]).toEqual([400, 1])
    vi.advanceTimersByTime(61_000)
    expect([await ask('second'), await ask('first'), reads()]).toEqual([200, 200, 2])
  })

  it('is waited for by those who miss a model while it is being read', async () => {
    const upstream = await startUpstream((call) =>
      call.method === 'POST' ? call.answer(200, chatAnswer()) : undefined,
    )
    const { post, gateway } = await startGateway('node', {
      providers: [chatProvider(upstream.url, { known: [], models })],
    })
    const ready = gateway.ready()
    const asked = await upstream.next()
    const answering = [post(CHAT, { ...chatRequest, model: 'late' }), post(CHAT, { ...chatRequest, model: 'late' })]
    asked.answer(200, list('late'))
    expect((await Promise.all(answering)).map((response) => response.status)).toEqual([200, 200])
    await ready
    expect(upstream.calls.filter((call) => call.method === 'GET')).toHaveLength(1)
  })

  it('outlives the process where there is a store', async () => {
    const upstream = await startUpstream(listing(() => 500))
    const kept = new Map<string, readonly ModelFacts[]>([['alpha', [{ id: 'kept' }]]])
    const lists = {
      read: async (name: string) => kept.get(name),
      write: async (name: string, value: readonly ModelFacts[]) => void kept.set(name, value),
    }
    const first = await startGateway('node', { providers: [chatProvider(upstream.url, { known: [], models })], lists })
    await first.gateway.ready()
    expect((await first.post(CHAT, { ...chatRequest, model: 'kept' })).status).toBe(200)

    const good = await startUpstream(listing(() => list('new')))
    const second = await startGateway('node', { providers: [chatProvider(good.url, { known: [], models })], lists })
    await second.gateway.ready()
    expect(kept.get('alpha')).toEqual([{ id: 'new' }])
  })

  it('is not asked for where a closed list is configured', async () => {
    const upstream = await startUpstream(listing(() => list('other')))
    const { post, gateway } = await startGateway('node', {
      providers: [{ provider: chatProvider(upstream.url, { models }), models: ['own'] }],
    })
    await gateway.ready()
    expect([
      (await post(CHAT, { ...chatRequest, model: 'own' })).status,
      (await post(CHAT, { ...chatRequest, model: 'other' })).status,
    ]).toEqual([200, 400])
    const pinned = await post(CHAT, { ...chatRequest, model: 'other' }, { headers: { vendor: 'alpha' } })
    expect([pinned.status, await pinned.json()]).toMatchObject([
      400,
      { error: { message: 'Provider alpha has no model "other". Its models: own.' } },
    ])
    expect(upstream.calls.map((call) => call.method)).toEqual(['POST'])
  })
})
