import { setImmediate as turn } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import {
  CHAT,
  chatAnswer,
  chatChunk,
  chatRequest,
  chatText,
  DONE,
  MESSAGES,
  messagesAnswer,
  messagesError,
  messagesFrames,
  messagesPing,
  messagesRequest,
} from '../../../core/test/support/wire.ts'
import { failing, good, type Handler, pausing, startFleet } from '../support/fleet.ts'
import { chatProvider, messagesProvider, SECRET, startGateway } from '../support/gateway.ts'
import { CLOSED_ORIGIN, startUpstream, type UpstreamCall } from '../support/upstream.ts'

const streamed = { ...chatRequest, stream: true }

interface ErrorBody {
  error: { message: string; type: string; code: string | null }
}
const errorOf = async (response: Response) => ({
  status: response.status,
  ...((await response.json()) as ErrorBody).error,
})

describe('An upstream that fails before its answer has begun', () => {
  const start = startFleet.bind(undefined, 'node')

  const broken: [string, Handler][] = [
    ['answers 500', failing(500)],
    ['answers 529', failing(529)],
    ['answers 503 with HTML', failing(503, '<html><title>Sorry</title></html>', { 'content-type': 'text/html' })],
    ['answers 408', failing(408)],
    ['answers 409', failing(409)],
    ['answers 425', failing(425)],
    ['answers 429', failing(429)],
    ['answers 401', failing(401)],
    ['answers 402', failing(402)],
    ['answers 403', failing(403)],
    ['answers 404', failing(404)],
    ['answers 413', failing(413)],
    ['answers HTML with 200', (call) => call.answer(200, '<html>welcome</html>', { 'content-type': 'text/html' })],
    ['answers nothing with 200', (call) => call.answer(200, '')],
    ['answers a redirect', (call) => call.answer(302, '', { location: 'https://example.com' })],
    ['answers an error with 200', (call) => call.answer(200, { error: { message: 'no', code: 500 } })],
    ['answers something that is no HTTP', (call) => call.raw('\u0000\u0001garbage')],
    ['resets the connection', (call) => call.reset()],
    ['closes the connection', (call) => call.cut()],
    [
      'closes the connection in the middle of a body',
      async (call) => {
        call.head(200, { 'content-type': 'application/json', 'content-length': '1000' })
        await call.write('{"id":')
        call.cut()
      },
    ],
  ]

  it.each(broken)('that %s is replaced by the next, whole or streamed', async (_, handler) => {
    const { post, upstreams, rows } = await start([handler, good])
    const whole = await post(CHAT, chatRequest)
    expect([whole.status, whole.headers.get('headgate-vendor')]).toEqual([200, 'beta'])
    expect(await whole.json()).toEqual(chatAnswer())
    expect(chatText(await (await post(CHAT, streamed)).text())).toBe('Hi there')
    expect(upstreams[1]?.calls).toHaveLength(2)
    expect(rows[0]).toMatchObject({
      provider: 'beta',
      attempts: [
        { provider: 'alpha', failure: expect.any(String) },
        { provider: 'beta', status: 200 },
      ],
    })
    // The second request begins with the provider that is well, unless the request was what failed.
    expect(rows[1]?.attempts.at(-1)).toMatchObject({ provider: 'beta' })
  })

  const brokenStreams: [string, Handler][] = [
    ['answers JSON', (call) => call.answer(200, chatAnswer())],
    ['ends before it has said anything', (call) => call.stream('')],
    ['sends comments and nothing else', (call) => call.stream(': wait\n\n: wait\n\n')],
    ['sends an error as its first frame', (call) => call.stream('data: {"error":{"message":"no","code":502}}\n\n')],
    ['sends frames that are no JSON', (call) => call.stream('data: <html>\n\n')],
    [
      'cuts its first frame',
      async (call) => {
        call.head(200, { 'content-type': 'text/event-stream' })
        await call.write('data: {"id":"chat')
        call.cut()
      },
    ],
  ]

  it.each(brokenStreams)('that %s where a stream is due is replaced by the next', async (_, handler) => {
    const { post, rows } = await start([handler, good])
    const response = await post(CHAT, streamed)
    expect([response.status, response.headers.get('headgate-vendor'), chatText(await response.text())]).toEqual([
      200,
      'beta',
      'Hi there',
    ])
    expect(rows).toMatchObject([
      {
        provider: 'beta',
        why: 'price-unknown',
        attempts: [{ provider: 'alpha', status: 200, failure: 'upstream' }, { provider: 'beta' }],
      },
    ])
  })

  it.each<[string, (call: UpstreamCall) => unknown]>([
    ['ends before it has said anything', (call) => call.stream('')],
    ['is no stream of its format', (call) => call.stream('data: {"what":')],
    ['begins with an error', (call) => call.stream([messagesPing, messagesError('api_error', 'no')])],
    ['breaks before it has said anything', (call) => call.reset()],
  ])('that %s is replaced by the next where it is translated', async (_, handler) => {
    const [first, second] = [await startUpstream(handler), await startUpstream(good)]
    const { post, rows } = await startGateway('node', {
      providers: [messagesProvider(first.url), chatProvider(second.url, { name: 'beta' })],
    })
    expect(chatText(await (await post(CHAT, streamed)).text())).toBe('Hi there')
    expect(rows).toMatchObject([{ provider: 'beta', attempts: [{ provider: 'alpha', failure: 'upstream' }, {}] }])
  })

  it('whose stream is translated and does not hang up is not waited for', async () => {
    const upstream = await startUpstream((call) => pausing(messagesFrames(['one']).join(''))(call))
    const { post, rows } = await startGateway('node', {
      providers: [messagesProvider(upstream.url)],
      times: { silence: 20 },
    })
    const text = await (await post(CHAT, streamed)).text()
    expect([chatText(text), text.endsWith(DONE)]).toEqual(['one', true])
    expect(rows).toMatchObject([{ finish: 'stop', usage: { input: 11, output: 7 } }])
  })

  it('is replaced in the messages format as well, behind a ping and an error', async () => {
    const [first, second] = [
      await startUpstream((call) => call.stream([messagesPing, messagesError('overloaded_error', 'Overloaded')])),
      await startUpstream((call) => call.stream(messagesFrames())),
    ]
    const providers = [messagesProvider(first.url), messagesProvider(second.url, { name: 'beta' })]
    const { post, rows } = await startGateway('node', { providers })
    const response = await post(MESSAGES, { ...messagesRequest, stream: true })
    expect(await response.text()).toBe(messagesFrames().join(''))
    expect(rows[0]?.attempts).toMatchObject([{ failure: 'overloaded' }, {}])
  })

  it('that is down is replaced by the next', async () => {
    const upstream = await startUpstream(good)
    const providers = [chatProvider(CLOSED_ORIGIN), chatProvider(upstream.url, { name: 'beta' })]
    const { post, rows } = await startGateway('node', { providers })
    expect((await post(CHAT, chatRequest)).headers.get('headgate-vendor')).toBe('beta')
    const [down] = rows[0]?.attempts ?? []
    expect(down).toEqual({
      provider: 'alpha',
      model: 'small',
      startedAt: expect.any(Number),
      durationMs: expect.any(Number),
      failure: 'upstream',
      code: 'ECONNREFUSED',
      cost: 0,
      priceId: null,
    })
  })

  it('that is slow is replaced by one other, and by no more', async () => {
    const never: Handler = () => {}
    const { post, upstreams, rows } = await start([never, never, good], { times: { firstByte: 30 } })
    const error = await errorOf(await post(CHAT, chatRequest))
    expect(error).toMatchObject({
      status: 500,
      code: 'timeout',
      message: 'beta: The provider did not begin its response in time.',
    })
    expect(upstreams.map((upstream) => upstream.calls.length)).toEqual([1, 1, 0])
    expect(rows).toMatchObject([
      {
        status: 500,
        billed: false,
        why: 'failed',
        failure: 'timeout',
        cost: null,
        attempts: [{ failure: 'timeout' }, { failure: 'timeout' }],
      },
    ])
  })

  it('that sends more than is read is replaced by the next', async () => {
    const large: Handler = (call) => call.answer(200, chatAnswer('x'.repeat(5000)))
    const { post, rows } = await start([large, good], { limits: { answer: 4000 } })
    expect(await (await post(CHAT, chatRequest)).json()).toEqual(chatAnswer())
    expect(rows[0]?.attempts).toMatchObject([{ failure: 'upstream' }, {}])
  })

  it('that fails each time is asked four times, if it is the only one', async () => {
    const { post, upstreams, rows } = await start([failing(500)])
    const response = await post(CHAT, chatRequest)
    expect(response.headers.get('x-should-retry')).toBe('false')
    expect(await errorOf(response)).toMatchObject({ status: 500, type: 'server_error', message: 'alpha: It hurts' })
    expect(upstreams[0]?.calls).toHaveLength(4)
    expect(new Set(upstreams[0]?.calls.map((call) => call.body.toString('utf8')))).toEqual(
      new Set([JSON.stringify(chatRequest)]),
    )
    expect(rows).toMatchObject([
      { status: 500, provider: 'alpha', providerModel: 'small', billed: false, why: 'failed', failure: 'upstream' },
    ])
    expect(rows[0]?.attempts).toHaveLength(4)
  })

  it('that fails each time is asked once, then the first of them again', async () => {
    const { post, upstreams } = await start([failing(500), failing(503), failing(529)])
    await post(CHAT, chatRequest)
    expect(upstreams.map((upstream) => upstream.calls.length)).toEqual([4, 1, 1])
  })

  it('that recovers has served', async () => {
    let calls = 0
    const { post, rows } = await start([(call) => (++calls < 3 ? failing(500)(call) : good(call))])
    expect((await post(CHAT, chatRequest)).status).toBe(200)
    expect(rows[0]?.attempts).toMatchObject([{ status: 500, failure: 'upstream' }, { status: 500 }, { status: 200 }])
  })

  it.each([400, 422])('that refuses the request with %i is not asked again, nor is another', async (status) => {
    const { post, upstreams } = await start([
      failing(status, {
        error: { message: `temperature: too hot for ${SECRET}`, type: 'invalid_request_error', code: null },
      }),
      good,
    ])
    const error = await errorOf(await post(CHAT, chatRequest))
    expect(error).toMatchObject({
      status: 400,
      type: 'invalid_request_error',
      message: 'alpha: temperature: too hot for [redacted]',
    })
    expect(upstreams.map((upstream) => upstream.calls.length)).toEqual([1, 0])
  })

  it.each([[401], [403], [402]])('that answers %i is our matter: 500, without its words', async (status) => {
    const { post, upstreams } = await start([
      failing(status, { error: { message: `Incorrect API key provided: ${SECRET}` } }),
    ])
    const response = await post(CHAT, chatRequest)
    const error = await errorOf(response)
    expect([error.status, error.type, response.headers.get('x-should-retry')]).toEqual([500, 'server_error', 'false'])
    expect(error.message).toMatch(
      /^(Provider alpha rejected the gateway's API key|The quota of the gateway's account at provider alpha is exhausted)/,
    )
    expect(JSON.stringify(error)).not.toContain(SECRET)
    expect(upstreams[0]?.calls).toHaveLength(1)
  })

  it('that asks for a longer wait than there is time is not waited for', async () => {
    const { post, upstreams } = await start(
      [failing(429, { error: { message: 'Slow down' } }, { 'retry-after': '7' })],
      {
        times: { whole: 5000 },
      },
    )
    const response = await post(CHAT, chatRequest)
    expect([response.status, response.headers.get('retry-after'), response.headers.get('x-should-retry')]).toEqual([
      429,
      '7',
      null,
    ])
    expect(await errorOf(response)).toMatchObject({ type: 'rate_limit_error', message: 'alpha: Slow down' })
    expect(upstreams[0]?.calls).toHaveLength(1)
  })

  it('that asks for a wait gets it', async () => {
    let calls = 0
    const slow = failing(429, { error: { message: 'Slow down' } }, { 'retry-after-ms': '30' })
    const { post, rows } = await start([(call) => (++calls < 2 ? slow(call) : good(call))], {
      times: { backoff: 60_000 },
    })
    expect((await post(CHAT, chatRequest)).status).toBe(200)
    const [first, second] = rows[0]?.attempts ?? []
    expect((second?.startedAt ?? 0) - ((first?.startedAt ?? 0) + (first?.durationMs ?? 0))).toBeGreaterThanOrEqual(29)
  })

  it('that is pinned is never left for another', async () => {
    const { post, upstreams } = await start([failing(500), good])
    const response = await post(CHAT, chatRequest, { headers: { vendor: 'alpha' } })
    expect([response.status, ...upstreams.map((upstream) => upstream.calls.length)]).toEqual([500, 4, 0])
  })

  it.each(['whole', 'streamed'])('is left when the time is up: %s', async (how) => {
    const { post, upstreams, rows } = await start([() => {}, good])
    const response = await post(CHAT, how === 'whole' ? chatRequest : streamed, {
      headers: { 'headgate-timeout-ms': '40' },
    })
    expect(await errorOf(response)).toMatchObject({
      status: 500,
      code: 'timeout',
      message: 'The request exceeded its time limit.',
    })
    await upstreams[0]?.calls[0]?.left
    expect(upstreams[1]?.calls).toHaveLength(0)
    expect(rows).toMatchObject([{ status: 500, failure: 'timeout', why: 'failed' }])
  })

  it('is not asked again when the time is up between attempts', async () => {
    const { post, upstreams } = await start([failing(500)], { times: { backoff: 10_000, whole: 5000 } })
    expect((await post(CHAT, chatRequest)).status).toBe(500)
    expect(upstreams[0]?.calls).toHaveLength(1)
  })

  it('whose reused connection has died is asked again at once, over a new one', async () => {
    const { post, upstreams, rows } = await start([
      (call) => (call.connection === 1 && (upstreams[0]?.calls.length ?? 0) > 1 ? call.reset() : good(call)),
    ])
    for (let request = 0; request < 2; request++) {
      expect(await (await post(CHAT, chatRequest)).json()).toEqual(chatAnswer())
      // undici lets one turn of the event loop pass before a connection is used again.
      await turn()
      await turn()
    }
    const connections = upstreams[0]?.calls.map((call) => call.connection)
    expect(connections).toEqual([1, 1, 2])
    expect(rows.map((row) => row.attempts.length)).toEqual([1, 1])
  })
  it('that answers a caller of the messages format is reported in its shape', async () => {
    const upstream = await startUpstream((call) =>
      call.answer(529, { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } }),
    )
    const { post } = await startGateway('node', { providers: [messagesProvider(upstream.url)] })
    const response = await post(MESSAGES, messagesRequest)
    expect([response.status, await response.json()]).toEqual([
      500,
      {
        type: 'error',
        error: { type: 'overloaded_error', message: 'alpha: Overloaded' },
        request_id: response.headers.get('x-request-id'),
      },
    ])
  })

  it('is left for one of another format', async () => {
    const [first, second] = [
      await startUpstream(failing(500)),
      await startUpstream((call) => call.answer(200, messagesAnswer('Bonjour'))),
    ]
    const { post, rows } = await startGateway('node', {
      providers: [chatProvider(first.url), messagesProvider(second.url, { name: 'beta' })],
    })
    const answer = (await (await post(CHAT, chatRequest)).json()) as { choices: { message: { content: string } }[] }
    expect(answer.choices[0]?.message.content).toBe('Bonjour')
    expect(rows).toMatchObject([{ translated: true, usage: { input: 11, output: 7 } }])
  })

  it('does not grow into a chunk of the next answer', async () => {
    const { post } = await start([(call) => call.stream([chatChunk({ content: 'a' }), 'data: {"err'])])
    const texts = await Promise.all([1, 2, 3].map(async () => (await post(CHAT, streamed)).text()))
    for (const text of texts) expect(text).not.toContain('{"err"')
  })
})
