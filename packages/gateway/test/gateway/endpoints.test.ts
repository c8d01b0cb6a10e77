import { describe, expect, it, vi } from 'vitest'
import { CHAT, chatAnswer, chatRequest } from '../../../core/test/support/wire.ts'
import type { GatewayOptions, ProviderEntry } from '../../src/index.ts'
import type { EndpointEntry } from '../../src/ports/routing.ts'
import { server, vendor } from '../support/embeddings.ts'
import { failing, good, type Handler } from '../support/fleet.ts'
import { chatProvider, KEY, type RunningGateway, startGateway } from '../support/gateway.ts'
import { startUpstream, type Upstream } from '../support/upstream.ts'

type Endpoints = RunningGateway & { readonly upstreams: readonly Upstream[] }

/** A gateway with one provider `alpha`, whose endpoints have an upstream and a credential each. */
async function startEndpoints(
  handlers: readonly Handler[],
  changes: (nth: number) => Partial<EndpointEntry> = () => ({}),
  options: Partial<GatewayOptions> = {},
): Promise<Endpoints> {
  const upstreams = await Promise.all(handlers.map((handler) => startUpstream(handler)))
  const endpoints = upstreams.map(({ url }, nth): EndpointEntry => {
    const credential = { kind: 'header', name: 'authorization', value: `Bearer secret-of-endpoint-${nth}` } as const
    return Object.assign({ name: `e${nth}`, provider: chatProvider(url, { credential }) }, changes(nth))
  })
  const entry: ProviderEntry = { provider: chatProvider('http://127.0.0.1:9'), endpoints }
  return { ...(await startGateway('node', { providers: [entry], ...options })), upstreams }
}

const counts = ({ upstreams }: Endpoints): number[] => upstreams.map(({ calls }) => calls.length)

async function send({ post }: Endpoints, headers: Record<string, string> = {}, body: object = chatRequest) {
  const response = await post(CHAT, body, { headers })
  return { response, text: await response.text() }
}

async function sendMany(running: Endpoints, most: number, headers?: Record<string, string>): Promise<void> {
  for (let nth = 0; nth < most; nth++) expect((await send(running, headers)).response.status).toBe(200)
}

describe('Endpoints of a provider', () => {
  it('share the requests by weight, each with its credential', async () => {
    const running = await startEndpoints([good, good], (nth) => ({ weight: nth === 0 ? 3 : 1 }))
    await sendMany(running, 40)
    expect(counts(running)).toEqual([30, 10])
    for (const [nth, { calls }] of running.upstreams.entries())
      expect(new Set(calls.map(({ headers }) => headers.authorization))).toEqual(
        new Set([`Bearer secret-of-endpoint-${nth}`]),
      )
  })

  it('with small weights get their share', async () => {
    const running = await startEndpoints([good, good], (nth) => ({ weight: nth === 0 ? 0.001 : 0.003 }))
    await sendMany(running, 40)
    expect(counts(running)).toEqual([10, 30])
  })

  it('are tried by priority, and name themselves in headers and rows', async () => {
    const running = await startEndpoints([failing(500), good], (nth) => ({ priority: nth }))
    const { response } = await send(running)
    expect([response.headers.get('headgate-vendor'), response.headers.get('headgate-attempts')]).toEqual([
      'alpha',
      expect.stringMatching(/^alpha\/e0;500;\d+ms, alpha\/e1;200;\d+ms$/),
    ])
    expect(running.rows[0]).toMatchObject({
      provider: 'alpha',
      endpoint: 'e1',
      policy: 'priority',
      attempts: [{ endpoint: 'e0' }, { endpoint: 'e1' }],
      routing: { policy: 'priority', considered: [{ endpoint: 'e0' }, { endpoint: 'e1' }] },
    })
  })

  it('name their calls in the headers of streams and of failures', async () => {
    const streaming = await startEndpoints([good])
    const { response } = await send(streaming, {}, { ...chatRequest, stream: true })
    expect(response.headers.get('headgate-attempts')).toMatch(/^alpha\/e0;200;\d+ms$/)
    const broken = await startEndpoints([failing(400)])
    expect((await send(broken)).response.headers.get('headgate-attempts')).toMatch(/^alpha\/e0;400;\d+ms$/)
  })

  it('do not share a rate limit, but an account failure of their group', async () => {
    const limited = await startEndpoints([failing(429), good, good], (nth) => ({ priority: nth }))
    await sendMany(limited, 5)
    expect(counts(limited)).toEqual([1, 5, 0])
    const unpaid = await startEndpoints([failing(401), good, good], (nth) => ({
      priority: nth,
      group: nth < 2 ? 'one' : 'two',
    }))
    await sendMany(unpaid, 5)
    expect(counts(unpaid)).toEqual([1, 0, 5])
  })

  it('whose quota is used up are not called again', async () => {
    const quota = failing(429, { error: { message: 'No', type: 'insufficient_quota', code: 'insufficient_quota' } })
    const running = await startEndpoints([quota])
    for (let nth = 0; nth < 5; nth++) expect((await send(running)).response.status).toBe(500)
    expect(counts(running)).toEqual([1])
    expect((await send(running)).text).toContain('is not called for')
  })

  it('whose day is used up are called again only when it is over', async () => {
    const running = await startEndpoints([failing(429, { error: { message: 'No' } }, { 'retry-after': '68400' })])
    const answers = []
    for (let nth = 0; nth < 4; nth++) answers.push((await send(running)).response)
    expect(answers.map(({ status }) => status)).toEqual([429, 429, 429, 429])
    expect(Number(answers.at(-1)?.headers.get('retry-after'))).toBeGreaterThan(68_300)
    expect(counts(running)).toEqual([1])
  })

  it('are chosen by label and price, and a header cannot widen what the key allows', async () => {
    const principal = { id: 'key-1', labels: ['region=eu'], policies: ['priority', 'weighted'] }
    const running = await startEndpoints(
      [good, good, good],
      (nth) => (nth === 2 ? {} : { labels: { region: nth === 0 ? 'us' : 'eu' } }),
      { authenticate: () => principal },
    )
    await sendMany(running, 3)
    expect(counts(running)).toEqual([0, 3, 0])
    const wider = await send(running, { 'headgate-policy': 'priority; region=us' })
    expect([wider.response.status, wider.text]).toEqual([400, expect.stringContaining('the label region')])
    const faster = await send(running, { 'headgate-policy': 'fastest' })
    expect([faster.response.status, faster.text]).toEqual([403, expect.stringContaining('fastest')])
    expect(counts(running)).toEqual([0, 3, 0])
  })

  it('are explained by a dry run, with what conditions exclude', async () => {
    const running = await startEndpoints([good, good], (nth) => ({ labels: { region: nth === 0 ? 'us' : 'eu' } }))
    const { text } = await send(running, { 'headgate-dry-run': 'true', 'headgate-policy': 'cheapest; region=eu' })
    expect(JSON.parse(text)).toMatchObject({
      policy: 'cheapest',
      candidates: [
        { provider: 'alpha', endpoint: 'e1', refused: null },
        { provider: 'alpha', endpoint: 'e0', refused: { message: expect.stringContaining('region') } },
      ],
    })
    expect(counts(running)).toEqual([0, 0])
  })

  it('that are full are tried last', async () => {
    const held: (() => void)[] = []
    const slow: Handler = (call) => void held.push(() => call.answer(200, chatAnswer()))
    const running = await startEndpoints([slow, good], (nth) =>
      nth === 0 ? { priority: 0, limits: { concurrent: 1 } } : { priority: 1 },
    )
    const first = send(running)
    await running.upstreams[0]?.next()
    await sendMany(running, 3)
    expect(counts(running)).toEqual([1, 3])
    held[0]?.()
    expect((await first).response.status).toBe(200)
  })

  it('that are all full make a request wait until a call ends', async () => {
    const held: (() => void)[] = []
    const slow: Handler = (call) => void held.push(() => call.answer(200, chatAnswer()))
    const running = await startEndpoints([slow], () => ({ limits: { concurrent: 2 } }))
    const requests = Array.from({ length: 3 }, () => send(running))
    await running.upstreams[0]?.next()
    await running.upstreams[0]?.next()
    expect(held).toHaveLength(2)
    held[0]?.()
    await running.upstreams[0]?.next()
    for (const end of held.slice(1)) end()
    expect((await Promise.all(requests)).map(({ response }) => response.status)).toEqual([200, 200, 200])
  })

  it('that return get their load in steps', async () => {
    let held: (() => void)[] = []
    let isLimited = true
    const first: Handler = (call) => {
      if (isLimited) return failing(429, { error: { message: 'No' } }, { 'retry-after-ms': '1000' })(call)
      return void held.push(() => call.answer(200, chatAnswer()))
    }
    const running = await startEndpoints([first, good], (nth) => ({ priority: nth }))
    await sendMany(running, 1)
    isLimited = false
    await vi.waitFor(() => expect(running.gateway.health().some(({ restsUntil }) => restsUntil)).toBe(false), 10_000)
    for (const most of [1, 2, 4]) {
      held = []
      const wave = Array.from({ length: 8 }, () => send(running))
      await vi.waitFor(() => expect(held).toHaveLength(most))
      // The others are served by the second endpoint.
      await vi.waitFor(() => expect(running.gateway.inFlight()).toBe(most))
      for (const end of held) end()
      expect((await Promise.all(wave)).map(({ response }) => response.status)).toEqual(Array(8).fill(200))
    }
  })

  it('that stay full answer 429 with a time', async () => {
    const running = await startEndpoints([() => {}], () => ({ limits: { concurrent: 1 } }), { times: { queue: 50 } })
    const first = send(running).catch(() => {})
    await running.upstreams[0]?.next()
    const { response, text } = await send(running)
    expect([response.status, response.headers.get('retry-after'), text]).toEqual([
      429,
      '1',
      expect.stringContaining('maximum number of calls'),
    ])
    running.gateway.abort()
    await first
  })
})

describe('A conversation', () => {
  const turn = (length: number) => ({ role: 'user', content: 'word '.repeat(length) })
  const conversation = (turns: number, user = '') => ({
    ...chatRequest,
    messages: [
      { role: 'system', content: `${user} instructions ${'x'.repeat(8_000)}` },
      ...Array(turns).fill(turn(1_000)),
    ],
  })
  const caching: Handler = (call) =>
    call.answer(200, chatAnswer('Hi', { usage: { prompt_tokens: 5_000, completion_tokens: 7, total_tokens: 5_007 } }))

  it('stays at the endpoint that has its beginning in the cache, and moves if this fails', async () => {
    let isDown = false
    const first: Handler = (call) => (isDown ? failing(500)(call) : caching(call))
    const running = await startEndpoints([first, caching])
    const priced = { ...chatRequest, messages: conversation(1).messages }
    expect((await send(running, {}, priced)).response.status).toBe(200)
    const home = counts(running)[0] === 1 ? 0 : 1
    for (let turns = 2; turns < 8; turns++)
      expect((await send(running, {}, conversation(turns))).response.status).toBe(200)
    expect(counts(running)[home]).toBe(7)
    expect(running.rows.at(-1)?.routing?.considered[0]?.why).toMatch(/tokens are warm there/)
    isDown = home === 0
    if (home === 0) expect((await send(running, {}, conversation(8))).response.status).toBe(200)
    expect(counts(running).reduce((sum, one) => sum + one)).toBe(home === 0 ? 9 : 7)
  })

  it('of another tenant does not reveal where it was served', async () => {
    const principals = { [KEY]: { id: 'one' }, 'sk-another-key-0123456789': { id: 'two' } }
    const running = await startEndpoints([caching, caching], undefined, {
      authenticate: (credential) => principals[credential as keyof typeof principals],
    })
    for (let turns = 1; turns < 5; turns++) await send(running, {}, conversation(turns))
    const other = { authorization: 'Bearer sk-another-key-0123456789', 'headgate-dry-run': 'true' }
    const { text } = await send(running, other, conversation(4))
    expect(text).not.toContain('warm')
    expect((await send(running, { 'headgate-dry-run': 'true' }, conversation(4))).text).toContain('warm')
  })

  it('is not remembered without affinity', async () => {
    const running = await startEndpoints([caching, caching], undefined, { routing: { affinity: false } })
    for (let turns = 1; turns < 7; turns++) await send(running, {}, conversation(turns))
    expect(counts(running)).toEqual([3, 3])
  })
})

describe('Second calls', () => {
  /**
   * Two endpoints of which the first is slow when it is told. After some slow calls and many fast ones, the usual time
   * is long, so that only calls that are really slow have a second one.
   */
  async function startHedged(last: Handler) {
    let first: Handler = (call) => void setTimeout(() => good(call), 200)
    const running = await startEndpoints([(call) => first(call), good], (nth) => ({ priority: nth }), {
      routing: { hedge: true },
    })
    await Promise.all(Array.from({ length: 20 }, () => sendMany(running, 1)))
    first = good
    await sendMany(running, 40)
    expect(counts(running)).toEqual([60, 0])
    first = last
    return running
  }

  it('serve a slow request from another endpoint, and end the first call', async () => {
    const running = await startHedged(() => {})
    const { response } = await send(running)
    expect([response.status, counts(running)]).toEqual([200, [61, 1]])
    await running.upstreams[0]?.calls.at(-1)?.left
    expect(running.rows.at(-1)).toMatchObject({
      endpoint: 'e1',
      attempts: [{ endpoint: 'e0', failure: 'canceled', cost: null }, { endpoint: 'e1' }],
    })
    expect(running.rows).toHaveLength(61)
  })

  it('are at most a twentieth of the calls, and none for pinned requests', async () => {
    const running = await startHedged((call) => void setTimeout(() => good(call), 700))
    await sendMany(running, 2, { vendor: 'alpha' })
    expect(counts(running)).toEqual([62, 0])
    await Promise.all(Array.from({ length: 10 }, () => sendMany(running, 1)))
    expect(counts(running)).toEqual([72, 3])
  })

  it('count for the health of their endpoint', async () => {
    const running = await startHedged(() => {})
    await sendMany(running, 1)
    const recent = running.gateway.health().map((report) => [report.endpoint, report.recent?.calls])
    expect(recent).toEqual([
      ['e0', 60],
      ['e1', 1],
    ])
  })

  it('are never sent to a target for certain failures, nor to a fallback model', async () => {
    const models = { smart: { targets: ['small', { model: 'large', on: ['context-too-long'] as const }] } }
    for (const [options, changes] of [
      [{ models }, { model: 'smart' }],
      [{}, { models: ['large'] }],
    ] as const) {
      let first: Handler = good
      const slow = await startUpstream((call) => first(call))
      const other = await startUpstream(good)
      const running = await startGateway('node', {
        providers: [chatProvider(slow.url), chatProvider(other.url, { name: 'beta', known: [{ id: 'large' }] })],
        routing: { hedge: true },
        ...options,
      })
      const request = { ...chatRequest, ...changes }
      for (let nth = 0; nth < 40; nth++) await (await running.post(CHAT, request)).arrayBuffer()
      first = (call) => void setTimeout(() => good(call), 100)
      await (await running.post(CHAT, request)).arrayBuffer()
      expect(other.calls).toHaveLength(0)
    }
  })
})

describe('An alias', () => {
  it('calls a target for certain failures only after these', async () => {
    const long = failing(400, { error: { message: 'Too long', code: 'context_length_exceeded' } })
    const [first, second] = await Promise.all([startUpstream(long), startUpstream(good)])
    const running = await startGateway('node', {
      providers: [
        chatProvider(first.url, { name: 'alpha' }),
        chatProvider(second.url, { name: 'beta', known: [{ id: 'large' }] }),
      ],
      models: { smart: { targets: ['small', { model: 'large', on: ['context-too-long'] }] } },
    })
    const response = await running.post(CHAT, { ...chatRequest, model: 'smart' })
    expect([response.status, response.headers.get('headgate-vendor')]).toEqual([200, 'beta'])
  })

  it('has its own time until the first byte', async () => {
    const [silent, other] = await Promise.all([startUpstream(() => {}), startUpstream(good)])
    const running = await startGateway('node', {
      providers: [chatProvider(silent.url), chatProvider(other.url, { name: 'beta' })],
      models: { quick: { targets: ['alpha/small', 'beta/small'], firstByteMs: 50 } },
    })
    const response = await running.post(CHAT, { ...chatRequest, model: 'quick' })
    expect([response.status, response.headers.get('headgate-vendor')]).toEqual([200, 'beta'])
  })

  it('has its own time until the first byte of embeddings', async () => {
    const [silent, other] = await Promise.all([startUpstream(() => {}), startUpstream(vendor)])
    const running = await startGateway('node', {
      providers: [server(silent.url), server(other.url, { name: 'beta' })],
      models: { quick: { targets: ['alpha/embed-1', 'beta/embed-1'], firstByteMs: 50 } },
    })
    const response = await running.post('/v1/embeddings', { model: 'quick', input: 'x' })
    expect([response.status, response.headers.get('headgate-vendor')]).toEqual([200, 'beta'])
  })
})

describe('A full endpoint', () => {
  const one = { concurrent: 1 }

  it('is skipped for a later one with space', async () => {
    const running = await startEndpoints([() => {}, () => {}, good], (nth) =>
      nth === 1 ? { priority: nth, limits: one } : { priority: nth },
    )
    const [first, second, third] = running.upstreams
    const requests = [send(running), send(running)]
    const calls = [await first?.next(), await first?.next()]
    calls[0]?.answer(500, {})
    const held = await second?.next()
    calls[1]?.answer(500, {})
    await third?.next()
    held?.answer(200, chatAnswer())
    expect((await Promise.all(requests)).map(({ response }) => response.status)).toEqual([200, 200])
    expect(counts(running)).toEqual([2, 1, 1])
  })

  it('does not hide the failure of another', async () => {
    const running = await startEndpoints(
      [failing(500), () => {}],
      (nth) => (nth === 1 ? { priority: nth, limits: one } : { priority: nth }),
      { retries: { share: 0, least: 0 } },
    )
    const first = send(running)
    const held = await running.upstreams[1]?.next()
    const { response, text } = await send(running)
    expect([response.status, text]).toEqual([500, expect.stringContaining('It hurts')])
    held?.answer(200, chatAnswer())
    expect((await first).response.status).toBe(200)
  })

  it('serves a waiting request as soon as it has space, whichever it is', async () => {
    const running = await startEndpoints([() => {}, () => {}], (nth) => ({ priority: nth, limits: one }))
    const requests = [send(running), send(running), send(running)]
    const held = [await running.upstreams[0]?.next(), await running.upstreams[1]?.next()]
    held[1]?.answer(200, chatAnswer())
    const later = await running.upstreams[1]?.next()
    for (const call of [held[0], later]) call?.answer(200, chatAnswer())
    expect((await Promise.all(requests)).map(({ response }) => response.status)).toEqual([200, 200, 200])
  })

  it('counts the tokens of its requests, also if it is the only endpoint', async () => {
    const running = await startEndpoints([good], () => ({ limits: { tokensPerMinute: 1_100 } }))
    const statuses = []
    for (let nth = 0; nth < 3; nth++) statuses.push((await send(running)).response.status)
    expect(statuses).toEqual([200, 429, 429])
  })
})
