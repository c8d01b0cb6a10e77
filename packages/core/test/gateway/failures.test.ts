import { setImmediate as turn } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import type { GatewayOptions, ProviderInstance } from '../../src/index.ts'
import { chatProvider, DOORS, messagesProvider, SECRET, startGateway } from '../support/gateway.ts'
import { closedOrigin, startUpstream, type UpstreamCall } from '../support/upstream.ts'
import {
  CHAT,
  chatAnswer,
  chatChunk,
  chatFrames,
  chatRequest,
  chatText,
  DONE,
  MESSAGES,
  messagesAnswer,
  messagesError,
  messagesFrames,
  messagesPing,
  messagesRequest,
} from '../support/wire.ts'

type Handler = (call: UpstreamCall) => unknown
const streamed = { ...chatRequest, stream: true }

interface ErrorBody {
  error: { message: string; type: string; code: string | null }
}
const errorOf = async (response: Response) => ({ status: response.status, ...((await response.json()) as ErrorBody).error })

describe.each(DOORS)('A failing upstream behind %s', (door) => {
  /** Providers alpha, beta, … that all have the model, each with an upstream of its own. */
  async function start(handlers: Handler[], options: Partial<GatewayOptions> = {}, changes: Partial<ProviderInstance> = {}) {
    const upstreams = await Promise.all(handlers.map((handler) => startUpstream(handler)))
    const providers = upstreams.map((upstream, index) =>
      chatProvider(upstream.url, { name: ['alpha', 'beta', 'gamma'][index] ?? 'more', ...changes }),
    )
    return { ...(await startGateway(door, { providers, ...options })), upstreams }
  }
  const good: Handler = (call) => (call.json()['stream'] ? call.stream(chatFrames()) : call.answer(200, chatAnswer()))
  const failing =
    (
      status: number,
      body: unknown = { error: { message: 'It hurts', type: 'x', code: null } },
      headers: Record<string, string> = {},
    ): Handler =>
    (call) =>
      call.answer(status, body, headers)

  /** What takes a second or two, since undici's clock is coarse, is tried behind one door. */
  const patient = it.runIf(door === 'node')
  /** Begins a stream and leaves it open. */
  const pausing =
    (text: string): Handler =>
    (call) => {
      call.head(200, { 'content-type': 'text/event-stream' })
      return call.write(text)
    }

  describe('before the answer has begun', () => {
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
      expect([response.status, response.headers.get('headgate-vendor'), chatText(await response.text())]).toEqual([200, 'beta', 'Hi there'])
      expect(rows).toMatchObject([
        {
          provider: 'beta',
          why: 'price-unknown',
          attempts: [{ provider: 'alpha', status: 200, failure: 'upstream' }, { provider: 'beta' }],
        },
      ])
    })

    it('is replaced in the messages format as well, behind a ping and an error', async () => {
      const [first, second] = [
        await startUpstream((call) => call.stream([messagesPing, messagesError('overloaded_error', 'Overloaded')])),
        await startUpstream((call) => call.stream(messagesFrames())),
      ]
      const providers = [messagesProvider(first.url), messagesProvider(second.url, { name: 'beta' })]
      const { post, rows } = await startGateway(door, { providers })
      const response = await post(MESSAGES, { ...messagesRequest, stream: true })
      expect(await response.text()).toBe(messagesFrames().join(''))
      expect(rows[0]?.attempts).toMatchObject([{ failure: 'overloaded' }, {}])
    })

    it('that is down is replaced by the next', async () => {
      const upstream = await startUpstream(good)
      const providers = [chatProvider(await closedOrigin()), chatProvider(upstream.url, { name: 'beta' })]
      const { post, rows } = await startGateway(door, { providers })
      expect((await post(CHAT, chatRequest)).headers.get('headgate-vendor')).toBe('beta')
      const [down] = rows[0]?.attempts ?? []
      expect(down).toEqual({
        provider: 'alpha',
        model: 'small',
        startedAt: expect.any(Number),
        durationMs: expect.any(Number),
        failure: 'upstream',
      })
    })

    patient('that is slow is replaced by one other, and by no more', async () => {
      const never: Handler = () => {}
      const { post, upstreams, rows } = await start([never, never, good], { times: { firstByte: 30 } })
      const error = await errorOf(await post(CHAT, chatRequest))
      expect(error).toMatchObject({ status: 500, code: 'timeout', message: 'beta: The provider did not begin to answer in time.' })
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
      expect(new Set(upstreams[0]?.calls.map((call) => call.body.toString('utf8')))).toEqual(new Set([JSON.stringify(chatRequest)]))
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
        failing(status, { error: { message: `temperature: too hot for ${SECRET}`, type: 'invalid_request_error', code: null } }),
        good,
      ])
      const error = await errorOf(await post(CHAT, chatRequest))
      expect(error).toMatchObject({ status: 400, type: 'invalid_request_error', message: 'alpha: temperature: too hot for [redacted]' })
      expect(upstreams.map((upstream) => upstream.calls.length)).toEqual([1, 0])
    })

    it.each([[401], [403], [402]])('that answers %i is our matter: 500, without its words', async (status) => {
      const { post, upstreams } = await start([failing(status, { error: { message: `Incorrect API key provided: ${SECRET}` } })])
      const response = await post(CHAT, chatRequest)
      const error = await errorOf(response)
      expect([error.status, error.type, response.headers.get('x-should-retry')]).toEqual([500, 'server_error', 'false'])
      expect(error.message).toMatch(/^(Provider alpha refused the gateway's credential|The gateway's account at provider alpha is used up)/)
      expect(JSON.stringify(error)).not.toContain(SECRET)
      expect(upstreams[0]?.calls).toHaveLength(1)
    })

    it('that asks for a longer wait than there is time is not waited for', async () => {
      const { post, upstreams } = await start([failing(429, { error: { message: 'Slow down' } }, { 'retry-after': '7' })], {
        times: { whole: 5000 },
      })
      const response = await post(CHAT, chatRequest)
      expect([response.status, response.headers.get('retry-after'), response.headers.get('x-should-retry')]).toEqual([429, '7', null])
      expect(await errorOf(response)).toMatchObject({ type: 'rate_limit_error', message: 'alpha: Slow down' })
      expect(upstreams[0]?.calls).toHaveLength(1)
    })

    it('that asks for a wait gets it', async () => {
      let calls = 0
      const slow = failing(429, { error: { message: 'Slow down' } }, { 'retry-after-ms': '30' })
      const { post, rows } = await start([(call) => (++calls < 2 ? slow(call) : good(call))], { times: { backoff: 60_000 } })
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
      const response = await post(CHAT, how === 'whole' ? chatRequest : streamed, { headers: { 'headgate-timeout-ms': '40' } })
      expect(await errorOf(response)).toMatchObject({ status: 500, code: 'timeout', message: 'The request took longer than it may.' })
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
  })

  describe('once the answer has begun', () => {
    const frames = chatFrames(['one', 'two'])
    const begun = frames.slice(0, 2).join('')
    const inBand = (text: string): ErrorBody => {
      expect(text.startsWith(begun)).toBe(true)
      const rest = text.slice(begun.length)
      expect(rest).toMatch(/^data: .*\n\n$/)
      return JSON.parse(rest.slice(6)) as ErrorBody
    }

    it.each<[string, (call: UpstreamCall) => unknown, string]>([
      ['between frames', (call) => call.cut(), 'alpha: The connection to the provider broke in the middle of its answer'],
      [
        'in the middle of a frame',
        (call) => call.write(frames[2]?.slice(0, 40) ?? '').then(() => call.cut()),
        'alpha: The connection to the provider broke',
      ],
      ['with a reset', (call) => call.reset(), 'alpha: The connection to the provider broke'],
      ['mannerly, but early', (call) => call.end(), 'alpha cut its stream.'],
      ['mannerly, but in the middle of a frame', (call) => call.end(frames[2]?.slice(0, 40)), 'alpha cut its stream.'],
      ['mannerly, but behind a frame without its end', (call) => call.end(frames[2]?.slice(0, -1)), 'alpha cut its stream.'],
    ])('that cuts its stream %s is told of behind whole frames', async (_, cut, message) => {
      const { post, upstreams, rows } = await start([() => {}, good])
      const answering = post(CHAT, streamed)
      const call = await upstreams[0]?.next()
      call?.head(200, { 'content-type': 'text/event-stream' })
      await call?.write(begun)
      const response = await answering
      const reader = response.body?.getReader()
      const text = new TextDecoder()
      let seen = text.decode((await reader?.read())?.value)
      if (call) await cut(call)
      for (let piece = await reader?.read(); piece && !piece.done; piece = await reader?.read()) seen += text.decode(piece.value)
      expect(response.status).toBe(200)
      expect(inBand(seen).error).toMatchObject({ message: expect.stringContaining(message), type: 'server_error' })
      expect(upstreams[1]?.calls).toHaveLength(0)
      expect(rows).toMatchObject([
        {
          status: 200,
          why: 'cut',
          billed: false,
          failure: 'upstream',
          providerModel: 'small-2026-01-01',
          attempts: [{ provider: 'alpha', status: 200 }],
        },
      ])
    })

    patient('that falls silent is told of', async () => {
      const { post, rows } = await start([pausing(begun)], { times: { silence: 30 } })
      const text = await (await post(CHAT, streamed)).text()
      expect(inBand(text).error.message).toBe('alpha: The provider fell silent in the middle of its answer.')
      expect(rows).toMatchObject([{ why: 'cut', failure: 'timeout' }])
    })

    it('that takes longer than it may is told of', async () => {
      const { post, upstreams, rows } = await start([pausing(begun)])
      const text = await (await post(CHAT, streamed, { headers: { 'headgate-timeout-ms': '60' } })).text()
      expect(inBand(text).error.message).toBe('The request took longer than it may.')
      await upstreams[0]?.calls[0]?.left
      expect(rows).toMatchObject([{ why: 'cut', failure: 'timeout' }])
    })

    it('that sends an error frame is heard in its own words, once, without our key', async () => {
      const said = `data: {"error":{"message":"boom ${SECRET}","code":"server_error"}}\n\n`
      const { post, rows } = await start([(call) => call.stream([begun, said, frames[2] ?? ''])])
      expect(await (await post(CHAT, streamed)).text()).toBe(begun + said.replace(SECRET, '[redacted]'))
      expect(rows).toMatchObject([{ why: 'cut', failure: 'upstream' }])
      const together = await start([(call) => call.stream(begun + said)])
      expect(await (await together.post(CHAT, streamed)).text()).toBe(begun + said.replace(SECRET, '[redacted]'))
    })

    it('that sends a frame beyond all measure is told of', async () => {
      const { post } = await start([
        async (call) => {
          call.head(200, { 'content-type': 'text/event-stream' })
          await call.write(`${begun}data: `)
          for (let mega = 0; mega < 17; mega++) call.fill(Buffer.alloc(1024 * 1024, 'x'))
        },
      ])
      expect(inBand(await (await post(CHAT, streamed)).text()).error.message).toBe('The upstream sent a frame of more than 16 MB.')
    })

    patient('that has said all, but does not hang up, is not waited for', async () => {
      const { post, rows, upstreams } = await start([pausing(frames.join(''))])
      expect(await (await post(CHAT, { ...streamed, stream_options: { include_usage: true } })).text()).toBe(frames.join(''))
      await upstreams[0]?.calls[0]?.left
      expect(rows).toMatchObject([{ usage: { input: 11, output: 7 }, finish: 'stop' }])
    })

    it('that breaks off after it has said all has served', async () => {
      const { post, rows } = await start([
        async (call) => {
          call.head(200, { 'content-type': 'text/event-stream' })
          await call.write(frames.join('').replace(DONE, ''))
          call.cut()
        },
      ])
      expect(chatText(await (await post(CHAT, streamed)).text())).toBe('onetwo')
      expect(rows).toMatchObject([{ why: 'price-unknown', finish: 'stop' }])
    })

    it('is told of in the format of the caller, where it speaks another', async () => {
      const upstream = await startUpstream(async (call) => {
        call.head(200, { 'content-type': 'text/event-stream' })
        await call.write(messagesFrames(['one']).slice(0, 4).join(''))
        call.cut()
      })
      const { post, rows } = await startGateway(door, { providers: [messagesProvider(upstream.url)] })
      const text = await (await post(CHAT, streamed)).text()
      const last = text.trimEnd().split('\n\n').at(-1) ?? ''
      expect(JSON.parse(last.slice(6))).toMatchObject({
        error: { type: 'server_error', message: expect.stringContaining('alpha: The connection to the provider broke') },
      })
      expect([chatText(text), text]).toEqual(['one', expect.not.stringContaining('[DONE]')])
      expect(rows).toMatchObject([{ translated: true, why: 'price-unknown', failure: 'upstream', usage: { input: 11, output: 1 } }])
    })
  })

  it('that answers a caller of the messages format is reported in its shape', async () => {
    const upstream = await startUpstream((call) =>
      call.answer(529, { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } }),
    )
    const { post } = await startGateway(door, { providers: [messagesProvider(upstream.url)] })
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
    const [first, second] = [await startUpstream(failing(500)), await startUpstream((call) => call.answer(200, messagesAnswer('Bonjour')))]
    const { post, rows } = await startGateway(door, {
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
