import { describe, expect, it } from 'vitest'
import { createInbox } from '../../../core/test/support/inbox.ts'
import {
  CHAT,
  chatChunk,
  chatFrames,
  chatRequest,
  MESSAGES,
  messagesAnswer,
  messagesRequest,
} from '../../../core/test/support/wire.ts'
import {
  type GatewayOptions,
  memoryRateLimits,
  type Principal,
  type RateLimit,
  type RateLimits,
} from '../../src/index.ts'
import type { RateSlot } from '../../src/ports.ts'
import { listBackend, results, search } from '../search/backends.ts'
import { server, vendor } from '../support/embeddings.ts'
import { failing, good, type Handler, pausing, startFleet } from '../support/fleet.ts'
import { messagesProvider, startGateway } from '../support/gateway.ts'
import { startUpstream } from '../support/upstream.ts'
import { startVideos, videoProvider } from '../video/support.ts'

/** A caller with limits. */
function limited(limits: RateLimit, changes: Partial<Principal> = {}): Partial<GatewayOptions> {
  return { authenticate: () => ({ id: 'key-1', limits, ...changes }), rateLimits: memoryRateLimits() }
}

/** The rate limit headers of an answer. */
function ratesOf({ headers }: Response): Record<string, string> {
  return Object.fromEntries([...headers].filter(([name]) => name.includes('ratelimit')))
}

describe('A request over a rate limit', () => {
  it('of chat completions is a 429 that names whose limit it is, and says when to come again', async () => {
    const { post, rows, upstreams } = await startFleet(
      'node',
      [good],
      limited({ requestsPerMinute: 2, tokensPerMinute: 5_000 }),
    )
    const first = await post(CHAT, chatRequest)
    expect(ratesOf(first)).toEqual({
      'x-ratelimit-limit-requests': '2',
      'x-ratelimit-remaining-requests': '1',
      'x-ratelimit-reset-requests': expect.stringMatching(/^1m0(\.\d+)?s$/),
      'x-ratelimit-limit-tokens': '5000',
      'x-ratelimit-remaining-tokens': String(5_000 - 1_024 - Math.ceil(JSON.stringify(chatRequest).length / 4)),
      'x-ratelimit-reset-tokens': expect.stringMatching(/^1m0(\.\d+)?s$/),
    })
    await first.text()
    await (await post(CHAT, chatRequest)).text()
    const refused = await post(CHAT, chatRequest)
    expect(refused.status).toBe(429)
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(55)
    expect(Number(refused.headers.get('retry-after'))).toBeLessThanOrEqual(61)
    expect(refused.headers.has('x-should-retry')).toBe(false)
    expect(ratesOf(refused)).toMatchObject({
      'x-ratelimit-remaining-requests': '0',
      'x-ratelimit-limit-tokens': '5000',
    })
    expect(await refused.json()).toEqual({
      error: {
        message: expect.stringMatching(/^This key is limited to 2 requests per minute\. Try again in [\d.]+ s\.$/),
        type: 'rate_limit_error',
        param: null,
        code: 'rate_limit_exceeded',
      },
    })
    expect([upstreams[0]?.calls.length, rows.length]).toEqual([2, 2])
  })

  it('of messages is one in that format, with its headers', async () => {
    const upstream = await startUpstream((call) =>
      call.answer(200, messagesAnswer(), { 'anthropic-ratelimit-input-tokens-limit': '4000' }),
    )
    const chat = [
      {
        format: 'messages' as const,
        path: () => '/messages',
        answer: ['request-id', 'anthropic-ratelimit-input-tokens-limit'],
      },
    ]
    const providers = [messagesProvider(upstream.url, { chat })]
    const { post } = await startGateway('node', { providers, ...limited({ requestsPerMinute: 1 }) })
    const first = await post(MESSAGES, messagesRequest)
    expect(ratesOf(first)).toEqual({
      'anthropic-ratelimit-requests-limit': '1',
      'anthropic-ratelimit-requests-remaining': '0',
      'anthropic-ratelimit-requests-reset': expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
    })
    const reset = Date.parse(first.headers.get('anthropic-ratelimit-requests-reset') ?? '') - Date.now()
    expect(reset).toBeGreaterThan(55_000)
    expect(reset).toBeLessThanOrEqual(61_250)
    await first.text()
    const refused = await post(MESSAGES, messagesRequest)
    expect([refused.status, await refused.json()]).toMatchObject([
      429,
      { type: 'error', error: { type: 'rate_limit_error' } },
    ])
    expect(ratesOf(refused)).toMatchObject({ 'anthropic-ratelimit-requests-remaining': '0' })
  })

  it('of generateContent is one in that format', async () => {
    const { post } = await startFleet('node', [good], limited({ requestsPerMinute: 1 }))
    const path = '/v1beta/models/small:generateContent'
    const body = { contents: [{ role: 'user', parts: [{ text: 'Hello' }] }] }
    expect(ratesOf(await post(path, body))).toMatchObject({ 'x-ratelimit-limit-requests': '1' })
    const refused = await post(path, body)
    expect([refused.status, await refused.json()]).toMatchObject([
      429,
      { error: { code: 429, status: 'RESOURCE_EXHAUSTED' } },
    ])
  })

  it('that is never served says so, and is not to be tried again', async () => {
    const { post, upstreams } = await startFleet('node', [good], limited({ tokensPerMinute: 100 }))
    const refused = await post(CHAT, { ...chatRequest, messages: [{ role: 'user', content: 'word '.repeat(200) }] })
    expect([refused.status, refused.headers.get('x-should-retry'), refused.headers.get('retry-after')]).toEqual([
      429,
      'false',
      null,
    ])
    expect(await refused.text()).toMatch(/limited to 100 tokens per minute\. This request needs about 2\d\d tokens/)
    const short = await post(CHAT, { ...chatRequest, max_tokens: 100_000 })
    expect([short.status, upstreams[0]?.calls.length]).toEqual([200, 1])
  })
})

describe('Tokens of a limit', () => {
  const remaining = (response: Response): number => Number(response.headers.get('x-ratelimit-remaining-tokens'))

  it('are those that were used, once that is known', async () => {
    const { post } = await startFleet('node', [good], limited({ tokensPerMinute: 10_000 }))
    for (const stream of [false, true]) await (await post(CHAT, { ...chatRequest, stream, max_tokens: 5_000 })).text()
    const short = { ...chatRequest, max_tokens: 1 }
    expect(remaining(await post(CHAT, short))).toBe(10_000 - 2 * 18 - 1 - Math.ceil(JSON.stringify(short).length / 4))
  })

  it.each<[string, Handler, object, number]>([
    ['a request that nobody was asked for', good, { model: 'nobody/knows' }, 0],
    ['one that the upstream refused', failing(400), {}, 0],
    [
      'an answer whose use nobody knows',
      (call) => call.answer(200, { choices: [{ message: { role: 'assistant', content: 'Hi' }, index: 0 }] }),
      {},
      2_000,
    ],
  ])('are given back after %s, or stay', async (_, handler, changes, kept) => {
    const { post } = await startFleet('node', [handler], limited({ tokensPerMinute: 10_000 }))
    const body = { ...chatRequest, max_tokens: 2_000, ...changes }
    await (await post(CHAT, body)).text()
    const answer = await post(CHAT, { ...chatRequest, max_tokens: 1 })
    const own = 1 + Math.ceil(JSON.stringify({ ...chatRequest, max_tokens: 1 }).length / 4)
    const input = kept === 0 ? 0 : Math.ceil(JSON.stringify(body).length / 4)
    expect(remaining(answer)).toBe(10_000 - own - kept - input)
  })
})

describe('Requests at a time', () => {
  const one = limited({ concurrent: 1 })

  it('count until their answer has ended', async () => {
    const { post, upstreams, access } = await startFleet(
      'node',
      [(call) => (call.json()['user'] === 'first' ? pausing(chatChunk({ content: 'Hi' }))(call) : good(call))],
      one,
    )
    const first = await post(CHAT, { ...chatRequest, user: 'first', stream: true })
    const refused = await post(CHAT, chatRequest)
    expect([refused.status, refused.headers.get('retry-after'), await refused.text()]).toEqual([
      429,
      '1',
      expect.stringContaining('1 request at a time'),
    ])
    await access.next()
    upstreams[0]?.calls[0]?.end(chatFrames().slice(2).join(''))
    await first.text()
    await access.next()
    expect((await post(CHAT, chatRequest)).status).toBe(200)
  })

  it('end when their caller leaves', async () => {
    const { post, access, left } = await startFleet(
      'node',
      [(call) => (call.json()['user'] === 'first' ? pausing(chatChunk({ content: 'Hi' }))(call) : good(call))],
      limited({ concurrent: 1 }),
    )
    const caller = new AbortController()
    const first = await post(CHAT, { ...chatRequest, user: 'first', stream: true }, { signal: caller.signal })
    await first.body?.getReader().read()
    caller.abort()
    await left()
    await access.next()
    expect((await post(CHAT, chatRequest)).status).toBe(200)
  })
})

describe('What takes no place', () => {
  it('is a list, a count and a dry run', async () => {
    const { post, call } = await startFleet('node', [good], limited({ requestsPerMinute: 1 }))
    for (let nth = 0; nth < 3; nth++) {
      expect((await call('/v1/models')).status).toBe(200)
      expect((await post('/v1/messages/count_tokens', messagesRequest)).status).toBe(200)
      expect((await post(CHAT, chatRequest, { headers: { 'headgate-dry-run': 'true' } })).status).toBe(200)
    }
    expect((await post(CHAT, chatRequest)).status).toBe(200)
    expect((await post(CHAT, chatRequest)).status).toBe(429)
  })

  it('is a request of who has no limits, whose answers say nothing of any', async () => {
    const { post } = await startFleet('node', [good], { rateLimits: memoryRateLimits() })
    expect(ratesOf(await post(CHAT, chatRequest))).toEqual({})
  })
})

describe('A request of a limited caller', () => {
  const own: RateLimit = { requestsPerMinute: 1, tokensPerMinute: 1 }

  it('that is a search is bounded by requests, in its own shape, and has no tokens', async () => {
    const backend = listBackend({ by: 'offset', perCall: 10 }, results(5))
    const gateway = await startGateway('node', { providers: [], search: { backends: [backend] }, ...limited(own) })
    const first = await search(gateway, { q: 'x' })
    expect([
      first.status,
      first.headers.get('x-ratelimit-limit-requests'),
      first.headers.has('x-ratelimit-limit-tokens'),
    ]).toEqual([200, '1', false])
    const { status, headers, body } = await search(gateway, { q: 'x' })
    expect([status, body.error]).toMatchObject([429, { code: 429, errors: [{ reason: 'rateLimitExceeded' }] }])
    expect([Number(headers.get('retry-after')) > 55, headers.get('x-ratelimit-remaining-requests')]).toEqual([
      true,
      '0',
    ])
  })

  it('that is a vector is bounded by the tokens of its input', async () => {
    const upstream = await startUpstream(vendor)
    const { post } = await startGateway('node', {
      providers: [server(upstream.url)],
      ...limited({ tokensPerMinute: 100 }),
    })
    const body = { model: 'embed-1', input: 'a text of some words' }
    const first = await post('/v1/embeddings', body)
    expect([first.status, first.headers.get('x-ratelimit-remaining-tokens')]).toEqual([
      200,
      String(100 - Math.ceil(JSON.stringify(body).length / 4)),
    ])
    await first.text()
    const refused = await post('/v1/embeddings', { ...body, input: 'word '.repeat(100) })
    expect([refused.status, refused.headers.get('x-should-retry'), upstream.calls.length]).toEqual([429, 'false', 1])
  })

  it('that is a video is bounded when it is created, and not when it is asked for', async () => {
    const upstream = await startUpstream((call) => call.answer(200, { id: 'upstream-task-1', state: 'waiting' }))
    const { create, get } = await startVideos({
      providers: [videoProvider(upstream.url)],
      ...limited({ ...own, concurrent: 1 }),
    })
    const [status, { id }] = await create()
    expect(status).toBe(200)
    for (let nth = 0; nth < 3; nth++) expect((await get(id))[0]).toBe(200)
    expect(await create()).toMatchObject([429, { error: { code: 'QuotaExceeded', type: 'TooManyRequests' } }])
  })
})

/** Rate limits that note what is taken and left. */
function watched(take: (place: RateSlot) => ReturnType<RateLimits['take']>) {
  const taken = { places: 0, leaves: 0, tokens: [] as (number | undefined)[] }
  const rateLimits: RateLimits = {
    take() {
      taken.places++
      return take({
        states: [],
        leave(tokens) {
          taken.leaves++
          taken.tokens.push(tokens)
        },
      })
    },
  }
  return { taken, rateLimits }
}

describe('A place', () => {
  const ways: [string, (place: RateSlot) => ReturnType<RateLimits['take']>][] = [
    ['at once', (place) => place],
    ['after a while', async (place) => place],
  ]

  it.each(ways)('that is given %s is left once, however the request ends', async (_, take) => {
    const { taken, rateLimits } = watched(take)
    const answers: Handler[] = [
      good,
      failing(500),
      failing(400),
      (call) => call.reset(),
      (call) => call.raw('nonsense'),
    ]
    let nth = 0
    const { post, access } = await startFleet('node', [(call) => answers[nth % answers.length]?.(call)], { rateLimits })
    const bodies = [chatRequest, { ...chatRequest, stream: true }, { ...chatRequest, model: 'nobody/knows' }]
    for (nth = 0; nth < answers.length; nth++)
      for (const body of bodies) {
        await (await post(CHAT, body)).text()
        await access.next()
      }
    expect(taken).toMatchObject({ places: 15, leaves: 15 })
    expect(taken.tokens.slice(0, 3)).toEqual([18, 18, 0])
  })

  it('that comes after its caller has left is left all the same, and nobody is asked', async () => {
    const asked = createInbox<() => void>()
    const { taken, rateLimits } = watched((place) => new Promise((resolve) => asked.push(() => resolve(place))))
    const { post, access, left, upstreams } = await startFleet('node', [good], { rateLimits })
    const caller = new AbortController()
    const answering = post(CHAT, chatRequest, { signal: caller.signal }).catch(() => {})
    const give = await asked.next()
    caller.abort()
    await Promise.all([answering, left()])
    give()
    await access.next()
    expect([taken.leaves, taken.tokens, upstreams[0]?.calls.length]).toEqual([1, [0], 0])
  })

  it('is left when the gateway ends what runs', async () => {
    const { taken, rateLimits } = watched((place) => place)
    const { post, gateway, upstreams } = await startFleet('node', [pausing(chatChunk({ content: 'Hi' }))], {
      rateLimits,
    })
    const answering = post(CHAT, { ...chatRequest, stream: true })
      .then((response) => response.text())
      .catch(() => {})
    await upstreams[0]?.next()
    gateway.abort()
    await gateway.close()
    await answering
    expect(taken).toMatchObject({ places: 1, leaves: 1 })
  })
})
