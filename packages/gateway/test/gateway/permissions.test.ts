import { describe, expect, it } from 'vitest'
import {
  CHAT,
  chatAnswer,
  chatRequest,
  MESSAGES,
  messagesAnswer,
  messagesRequest,
} from '../../../core/test/support/wire.ts'
import type { Authenticate, GatewayOptions, Principal, ProviderInstance, SearchOptions } from '../../src/index.ts'
import { listBackend, results } from '../search/backends.ts'
import { chatProvider, messagesProvider, startGateway } from '../support/gateway.ts'
import { startUpstream } from '../support/upstream.ts'

const keys: Readonly<Record<string, Principal>> = {
  all: { id: 'all' },
  star: { id: 'star', models: ['*'], search: ['*'] },
  small: { id: 'small', models: ['small', 'fa*'] },
  both: { id: 'both', models: ['small'], search: ['docs', 'beta'] },
  searcher: { id: 'searcher', search: ['al*'] },
  watcher: { id: 'watcher', scopes: ['metrics'] },
}

const authenticate: Authenticate = (credential) => keys[credential]
const as = (key: string, more: Record<string, string> = {}) => ({
  headers: { authorization: `Bearer ${key}`, ...more },
})

interface Refusal {
  readonly error: { readonly message: string; readonly param?: string; readonly code?: string }
}

describe('A key that is told what it may do', () => {
  async function start(changes: Partial<ProviderInstance> = {}, options: Partial<GatewayOptions> = {}) {
    const upstream = await startUpstream((call) =>
      call.path.endsWith('count_tokens')
        ? call.answer(200, { input_tokens: 3 })
        : call.answer(200, call.path.endsWith('/messages') ? messagesAnswer() : chatAnswer()),
    )
    const providers = [
      chatProvider(upstream.url, changes),
      messagesProvider(upstream.url, { name: 'claude', known: [{ id: 'opus' }] }),
    ]
    const served = await startGateway('node', { providers, authenticate, models: { fast: ['small'] }, ...options })
    return { ...served, upstream }
  }

  it('may do nothing else: a key for searches or metrics calls no model and lists none', async () => {
    const { post, call } = await start()
    for (const [key, status, listed] of [
      ['all', 200, ['fast', 'small', 'opus']],
      ['star', 200, ['fast', 'small', 'opus']],
      ['small', 200, ['fast', 'small']],
      ['searcher', 403, []],
      ['watcher', 403, []],
    ] as const) {
      expect((await post(CHAT, chatRequest, as(key))).status, key).toBe(status)
      const { data } = (await (await call('/v1/models', as(key))).json()) as { data: { id: string }[] }
      expect(data.map(({ id }) => id)).toEqual(listed)
    }
    const refused = (await (await post(CHAT, chatRequest, as('watcher'))).json()) as Refusal
    expect(refused.error.message).toBe('This key cannot use the model "small". It cannot use any.')
  })

  it('keeps to its models on every path and by every name', async () => {
    const { post, upstream } = await start({}, { models: { fast: ['small'], slow: ['opus'] } })
    const refused: [string, object, Record<string, string>][] = [
      [CHAT, { ...chatRequest, model: 'opus' }, {}],
      [CHAT, { ...chatRequest, model: 'slow' }, {}],
      [CHAT, { ...chatRequest, model: 'alpha/small' }, {}],
      [CHAT, { ...chatRequest, model: 'opus' }, { vendor: 'claude' }],
      [MESSAGES, { ...messagesRequest, model: 'opus' }, {}],
      [`${MESSAGES}/count_tokens`, { ...messagesRequest, model: 'opus' }, {}],
      ['/v1beta/models/opus:generateContent', { contents: [{ parts: [{ text: 'Hi' }] }] }, {}],
      ['/v1beta/models/opus:streamGenerateContent', { contents: [{ parts: [{ text: 'Hi' }] }] }, {}],
      ['/v1beta/models/opus:countTokens', { contents: [{ parts: [{ text: 'Hi' }] }] }, {}],
    ]
    for (const [path, body, headers] of refused)
      expect((await post(path, body, as('small', headers))).status, path).toBe(403)
    expect(upstream.calls).toHaveLength(0)
    expect((await post(CHAT, { ...chatRequest, model: 'fast' }, as('small'))).status).toBe(200)
    expect((await post(CHAT, chatRequest, as('small', { vendor: 'claude' }))).status).toBe(200)
  })

  it.each<[string, string, string | Record<string, unknown>, string]>([
    ['models', CHAT, { models: ['opus'] }, 'models'],
    ['route', CHAT, { route: 'fallback' }, 'route'],
    ['provider', CHAT, { provider: { order: ['x'] } }, 'provider'],
    ['plugins', CHAT, { plugins: [{ id: 'web' }] }, 'plugins'],
    ['transforms', CHAT, { transforms: ['middle-out'] }, 'transforms'],
    ['a list in another spelling', CHAT, { Fall_Backs: ['opus'] }, 'Fall_Backs'],
    [
      'an escaped name',
      CHAT,
      '{"model":"small","messages":[{"role":"user","content":"Hi"}],"\\u006dodels":["opus"]}',
      'models',
    ],
    ['a second model in another spelling', CHAT, { Model: 'opus' }, 'Model'],
    ['the model of a tool', CHAT, { tools: [{ type: 'x' }, { type: 'advisor', model: 'opus' }] }, 'tools[1].model'],
    ['fallbacks of messages', MESSAGES, { model: 'opus-mini', fallbacks: [{ model: 'opus' }] }, 'fallbacks'],
    [
      'a whole list of fallbacks while counting',
      `${MESSAGES}/count_tokens`,
      { model: 'opus-mini', fallbacks: 'default' },
      'fallbacks',
    ],
  ])('cannot lead a router to another model by %s', async (_, path, more, param) => {
    const restricted = { id: 'restricted', models: ['small', 'opus-mini'] }
    const unrestricted = { id: 'unrestricted', models: ['small', '*'] }
    const upstream = await startUpstream((call) =>
      call.answer(200, call.path.endsWith('/messages') ? messagesAnswer() : chatAnswer()),
    )
    const { post } = await startGateway('node', {
      providers: [
        chatProvider(upstream.url),
        messagesProvider(upstream.url, { name: 'claude', known: [{ id: 'opus-mini' }] }),
      ],
      authenticate: (credential) => (credential === 'small' ? restricted : unrestricted),
    })
    const body = typeof more === 'string' ? more : { ...(path === CHAT ? chatRequest : messagesRequest), ...more }
    // The gateway itself reads some of these fields, unless the request names its provider.
    const pinned = (key: string) => {
      const { headers } = as(key)
      return { headers: { ...headers, vendor: path === CHAT ? 'alpha' : 'claude' } }
    }
    const answer = await post(path, body, pinned('small'))
    const refusal = (await answer.json()) as Refusal
    expect([answer.status, refusal.error.message]).toEqual([
      403,
      `The field ${param} can select another model, but this key is restricted to certain models. Remove the field, or use a key without model restrictions.`,
    ])
    if (path === CHAT) expect(refusal.error.param).toBe(param)
    expect(upstream.calls).toHaveLength(0)
    expect((await post(path, body, pinned('other'))).status).toBe(200)
  })

  it('cannot name fallbacks that it cannot use', async () => {
    const { post, upstream } = await start()
    const answer = await post(CHAT, { ...chatRequest, models: ['opus'] }, as('small'))
    expect([answer.status, ((await answer.json()) as Refusal).error.message]).toEqual([
      403,
      expect.stringContaining('This key cannot use the model "opus".'),
    ])
    expect(upstream.calls).toHaveLength(0)
  })

  it('is refused the routing fields that the provider declares, and no others', async () => {
    const declared = {
      chat: [{ format: 'chat-completions', path: () => '/chat/completions', routingFields: ['via.model'] } as const],
    }
    const { post, upstream } = await start(declared)
    expect((await post(CHAT, { ...chatRequest, via: { model: 'opus' } }, as('small'))).status).toBe(403)
    expect((await post(CHAT, { ...chatRequest, via: { speed: 1 }, plugins: ['x'] }, as('small'))).status).toBe(200)
    expect(upstream.calls).toHaveLength(1)
  })

  it('is refused them in a body that is written anew for its provider, too', async () => {
    const renamed = {
      chat: [
        {
          format: 'chat-completions',
          path: () => '/chat/completions',
          drop: ['user'],
          rename: { more_models: 'models' },
        } as const,
      ],
    }
    const { post } = await start(renamed)
    expect((await post(CHAT, { ...chatRequest, more_models: ['opus'] }, as('small'))).status).toBe(403)
  })
})

describe('A key that searches', () => {
  async function start(changes: Partial<SearchOptions> = {}) {
    const paging = { by: 'offset', perCall: 10 } as const
    const search: SearchOptions = {
      backends: ['alpha', 'beta', 'gamma'].map((name) => listBackend(paging, results(3), { name })),
      engines: { docs: { backend: 'gamma' }, secret: { backend: 'gamma' } },
      ...changes,
    }
    const { call } = await startGateway('node', { providers: [], authenticate, search })
    return async (key: string, query = '', headers: Record<string, string> = {}) => {
      const answer = await call(`/customsearch/v1?q=x${query}`, as(key, headers))
      const body = (await answer.json()) as Partial<Refusal>
      return [answer.status, answer.headers.get('headgate-vendor') ?? body.error?.message]
    }
  }

  it('finds nothing where it is for models alone', async () => {
    const find = await start()
    expect(await find('small')).toEqual([403, 'This key cannot search.'])
    expect(await find('watcher')).toEqual([403, 'This key cannot search.'])
    expect(await find('all')).toEqual([200, 'alpha'])
    expect(await find('star', '&cx=secret', { vendor: 'beta' })).toEqual([200, 'beta'])
  })

  it('uses the engines and backends that it names, and no others', async () => {
    const find = await start()
    expect(await find('both')).toEqual([200, 'beta'])
    expect(await find('both', '&cx=docs')).toEqual([200, 'gamma'])
    expect(await find('both', '&cx=docs', { vendor: 'gamma' })).toEqual([200, 'gamma'])
    expect(await find('both', '', { vendor: 'beta' })).toEqual([200, 'beta'])
    expect(await find('searcher')).toEqual([200, 'alpha'])
    expect(await find('both', '&cx=secret')).toEqual([
      403,
      'This key cannot search with the engine "secret". It can use: docs, beta.',
    ])
    expect(await find('both', '', { vendor: 'gamma' })).toEqual([
      403,
      'This key cannot search with the backend "gamma". It can use: docs, beta.',
    ])
    expect(await find('searcher', '&cx=docs')).toEqual([
      403,
      'This key cannot search with the engine "docs". It can use: al*.',
    ])
    expect(await find('both', '&cx=none')).toEqual([
      400,
      'No search engine is configured under this cx. Known: "docs".',
    ])
  })

  it('needs the engine that is the default, or to say with what it searches', async () => {
    const find = await start({ default: 'secret' })
    expect(await find('both')).toEqual([
      403,
      'This key cannot search with "secret", which is the default. It can use: docs, beta.',
    ])
    expect(await find('both', '', { vendor: 'beta' })).toEqual([200, 'beta'])
    expect(await find('all')).toEqual([200, 'gamma'])
  })
})
