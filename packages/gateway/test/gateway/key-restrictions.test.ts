import { describe, expect, it } from 'vitest'
import { CHAT, chatAnswer, chatRequest } from '../../../core/test/support/wire.ts'
import { type Authenticate, createGateway, type GatewayOptions, type Principal } from '../../src/index.ts'
import { listBackend, results } from '../search/backends.ts'
import { server, vendor } from '../support/embeddings.ts'
import { chatProvider, startGateway } from '../support/gateway.ts'
import { startUpstream } from '../support/upstream.ts'
import { TASKS, taskOptions, videoProvider } from '../video/support.ts'

const keys: Readonly<Record<string, Principal>> = {
  all: { id: 'all' },
  chatter: { id: 'chatter', families: ['chat'] },
  embedder: { id: 'embedder', families: ['embeddings'] },
  filmer: { id: 'filmer', families: ['video'] },
  searcher: { id: 'searcher', families: ['search'] },
  watcher: { id: 'watcher', families: ['chat', 'search'], search: ['docs'] },
  beta: { id: 'beta', providers: ['beta'] },
  stars: { id: 'stars', providers: ['bet*', 'films'] },
  none: { id: 'none', providers: ['elsewhere'] },
}

const authenticate: Authenticate = (credential) => keys[credential]
const as = (key: string, more: Record<string, string> = {}) => ({
  headers: { authorization: `Bearer ${key}`, ...more },
})

interface Refusal {
  readonly error: { readonly message: string; readonly param?: string | null }
}

describe('A key', () => {
  async function start(options: Partial<GatewayOptions> = {}) {
    const upstream = await startUpstream((call) => {
      if (call.path.endsWith('/embeddings')) return vendor(call)
      if (call.path.endsWith('/tasks')) return call.answer(200, { id: 'film-1' })
      return call.answer(200, chatAnswer())
    })
    const providers = [
      chatProvider(upstream.url),
      chatProvider(upstream.url, { name: 'beta', known: [{ id: 'small' }, { id: 'large' }], claims: [/^claimed/] }),
      { ...server(upstream.url), name: 'vectors' },
      videoProvider(upstream.url),
    ]
    const search = { backends: [listBackend({ by: 'offset', perCall: 10 }, results(3), { name: 'docs' })] }
    const running = await startGateway('node', { providers, search, tasks: taskOptions(), authenticate, ...options })
    const statuses = async (key: string) => {
      const answers = [
        await running.post(CHAT, chatRequest, as(key)),
        await running.post('/v1/messages/count_tokens', chatRequest, as(key)),
        await running.post('/v1/embeddings', { model: 'embed-1', input: 'a' }, as(key)),
        await running.call('/customsearch/v1?q=x', as(key)),
        await running.post(TASKS, { model: 'reel-1', content: [{ type: 'text', text: 'a cat' }] }, as(key)),
        await running.call(TASKS, as(key)),
        await running.call('/v1/key', as(key)),
      ]
      for (const answer of answers) await answer.text()
      return answers.map(({ status }) => status)
    }
    const listed = async (key: string) => {
      const { data } = (await (await running.call('/v1/models', as(key))).json()) as {
        data: { id: string; providers: string[] }[]
      }
      return data.map(({ id, providers: names }) => `${id} of ${names.join('+')}`)
    }
    const refused = async (answer: Promise<Response>) => {
      const { status, ...rest } = await answer.then(async (one) => ({
        status: one.status,
        ...((await one.json()) as Refusal),
      }))
      return [status, rest.error.message, rest.error.param]
    }
    return { ...running, upstream, statuses, listed, refused }
  }

  it('makes the kinds of requests that it is told of, and no others', async () => {
    const { statuses, refused, post, call, upstream } = await start()
    expect(await statuses('all')).toEqual([200, 200, 200, 200, 200, 200, 200])
    expect(await statuses('chatter')).toEqual([200, 200, 403, 403, 403, 403, 200])
    expect(await statuses('embedder')).toEqual([403, 403, 200, 403, 403, 403, 200])
    expect(await statuses('searcher')).toEqual([403, 403, 403, 200, 403, 403, 200])
    expect(await statuses('filmer')).toEqual([403, 403, 403, 403, 200, 200, 200])
    // What says that it may search alone says it within its families.
    expect(await statuses('watcher')).toEqual([403, 403, 403, 200, 403, 403, 200])
    const calls = upstream.calls.length
    expect(await refused(post('/v1/embeddings', 'no json', as('chatter')))).toEqual([
      403,
      'This key cannot use embeddings. It can use: chat.',
      null,
    ])
    expect((await refused(call('/customsearch/v1?q=x', as('chatter'))))[1]).toBe(
      'This key cannot use search. It can use: chat.',
    )
    expect(upstream.calls).toHaveLength(calls)
  })

  it('is served by the providers that it is told of, whoever else has the model', async () => {
    const { post, refused, upstream } = await start({
      models: { fast: ['alpha/small', 'beta/large'], slow: ['alpha/small'] },
    })
    const by = async (key: string, model: string, headers: Record<string, string> = {}) => {
      const answer = await post(CHAT, { ...chatRequest, model }, as(key, headers))
      await answer.text()
      return [answer.status, answer.headers.get('headgate-vendor')]
    }
    expect(await by('all', 'small')).toEqual([200, 'alpha'])
    for (const key of ['beta', 'stars']) {
      expect(await by(key, 'small')).toEqual([200, 'beta'])
      expect(await by(key, 'fast')).toEqual([200, 'beta'])
      expect(await by(key, 'beta/small')).toEqual([200, 'beta'])
      expect(await by(key, 'small', { vendor: 'Beta' })).toEqual([200, 'beta'])
      expect(await by(key, 'small', { vendor: 'auto' })).toEqual([200, 'beta'])
    }
    const calls = upstream.calls.length
    const chat = (key: string, model: string, headers: Record<string, string> = {}) =>
      refused(post(CHAT, { ...chatRequest, model }, as(key, headers)))
    const asked = 'This key cannot use the required provider: the model'
    expect(await chat('beta', 'small', { vendor: 'alpha' })).toEqual([
      403,
      'This key cannot use the provider alpha. It can use: beta.',
      'vendor',
    ])
    expect(await chat('beta', 'alpha/small')).toEqual([
      403,
      `${asked} "alpha/small" is served by alpha. It can use: beta.`,
      'model',
    ])
    expect(await chat('beta', 'slow')).toEqual([403, `${asked} "slow" is served by alpha. It can use: beta.`, 'model'])
    expect(await chat('none', 'small')).toEqual([
      403,
      `${asked} "small" is served by alpha, beta. It can use: elsewhere.`,
      'model',
    ])
    expect((await chat('none', 'claimed-1'))[1]).toBe(`${asked} "claimed-1" is served by beta. It can use: elsewhere.`)
    expect(await chat('beta', 'nobodys')).toEqual([
      400,
      expect.stringMatching(/selects one of these providers: beta\.$/),
      'model',
    ])
    expect((await post('/v1/embeddings', { model: 'embed-1', input: 'a' }, as('beta'))).status).toBe(403)
    expect(
      (await post(TASKS, { model: 'reel-1', content: [{ type: 'text', text: 'a cat' }] }, as('beta'))).status,
    ).toBe(403)
    expect(
      (await post(TASKS, { model: 'reel-1', content: [{ type: 'text', text: 'a cat' }] }, as('stars'))).status,
    ).toBe(200)
    expect(upstream.calls).toHaveLength(calls + 1)
  })

  it('is told of the models that it may call, with the providers that may serve them', async () => {
    const { listed, call } = await start({ models: { fast: ['alpha/small', 'beta/large'], slow: ['alpha/small'] } })
    expect(await listed('all')).toEqual([
      ...['fast of alpha+beta', 'slow of alpha', 'small of alpha+beta', 'large of beta'],
      ...['embed-1 of vectors', 'reel-1 of films'],
    ])
    expect(await listed('beta')).toEqual(['fast of beta', 'small of beta', 'large of beta'])
    expect(await listed('none')).toEqual([])
    expect(await listed('embedder')).toEqual(['embed-1 of vectors'])
    expect(await listed('filmer')).toEqual(['reel-1 of films'])
    expect(await listed('searcher')).toEqual([])
    const statusOf = async (key: string, id: string) => (await call(`/v1/models/${id}`, as(key))).status
    expect([
      await statusOf('beta', 'large'),
      await statusOf('beta', 'embed-1'),
      await statusOf('embedder', 'small'),
    ]).toEqual([200, 404, 404])
  })

  it('learns from /v1/key what it may do', async () => {
    const restricted = {
      id: 'key',
      families: ['chat'],
      providers: ['beta'],
      policies: ['cheapest', 'priority'],
      labels: ['region=eu'],
      addresses: ['127.0.0.0/8', '::1'],
      environment: 'staging',
    }
    const { call } = await start({ authenticate: (credential) => (credential === 'x' ? restricted : keys[credential]) })
    const { id: _, ...may } = restricted
    expect(await (await call('/v1/key', as('x'))).json()).toMatchObject(may)
    const open = { families: ['*'], providers: ['*'], policies: null, labels: null, addresses: null, environment: null }
    expect(await (await call('/v1/key', as('all'))).json()).toMatchObject(open)
  })
})

describe('A key that is told where it may be used from', () => {
  const OPEN = ['127.0.0.0/8', '::1']

  async function startFor(addresses: readonly string[], seen: (string | undefined)[] = []) {
    const upstream = await startUpstream((call) => call.answer(200, chatAnswer()))
    const { post, gateway } = await startGateway('node', {
      providers: [chatProvider(upstream.url)],
      authenticate: (_, { address }) => {
        seen.push(address)
        return { id: 'key', addresses }
      },
    })
    return { post, gateway, upstream }
  }

  it('works from there, by the address of its socket, and nowhere else, whatever headers say', async () => {
    const seen: (string | undefined)[] = []
    const here = await startFor(OPEN, seen)
    expect((await here.post(CHAT, chatRequest)).status).toBe(200)
    expect(seen).toEqual(['127.0.0.1'])
    const elsewhere = await startFor(['192.0.2.0/24', '2001:db8::/32'])
    const headers = { 'x-forwarded-for': '192.0.2.1', forwarded: 'for=192.0.2.1', 'x-real-ip': '192.0.2.1' }
    const refused = await elsewhere.post(CHAT, chatRequest, { headers })
    expect([refused.status, ((await refused.json()) as Refusal).error.message]).toEqual([
      403,
      'This key cannot be used from the address 127.0.0.1. Use it from one of its allowed addresses, or use another key.',
    ])
    expect(elsewhere.upstream.calls).toEqual([])
  })

  it('does not work where nobody knows the address', async () => {
    const gateway = createGateway({ providers: [], authenticate: () => ({ id: 'key', addresses: OPEN }) })
    const answer = await gateway.fetch(new Request('http://gateway.test/v1/models', as('x')))
    expect([answer.status, await answer.json()]).toMatchObject([
      403,
      { error: { message: expect.stringContaining('a caller without an address') } },
    ])
    await gateway.close()
  })
})
