import { describe, expect, it } from 'vitest'
import {
  CHAT,
  chatAnswer,
  chatChunk,
  chatFrames,
  chatRequest,
  chatUsageFrame,
  DONE,
  dataOf,
  MESSAGES,
  messagesAnswer,
  messagesFrames,
  messagesRequest,
} from '../../../core/test/support/wire.ts'
import type { ProviderInstance } from '../../src/index.ts'
import { chatProvider, KEY, messagesProvider, SECRET, startGateway } from '../support/gateway.ts'
import { startUpstream, type UpstreamCall } from '../support/upstream.ts'

const price = { id: 'list@2026-01-01', input: 3_000_000_000, output: 15_000_000_000 }
/** 11 tokens in and 7 out. */
const COST = 11 * 3000 + 7 * 15_000

describe('A request whose provider speaks its format', () => {
  async function start(handler: (call: UpstreamCall) => unknown, changes: Partial<ProviderInstance> = {}) {
    const upstream = await startUpstream(handler)
    const known = [{ id: 'small', price }]
    const served = await startGateway('node', {
      providers: [
        chatProvider(upstream.url, { known, ...changes }),
        messagesProvider(upstream.url, { name: 'claude', known: [{ id: 'wise', price }] }),
      ],
    })
    return { ...served, upstream }
  }

  it('goes up byte by byte as the caller sent it, but for what had to be put in', async () => {
    const { post, upstream } = await start((call) => call.answer(200, chatAnswer()))
    const body =
      '\n{ "messages" : [{"role":"user","content":"\\u0048\\ud83d\\ude00 é", "x":{"k":1,"k":2}}],\r\n "seed":12345678901234567890, "temperature": 1.0,' +
      '"future_field" : {"b":[1e2,-0.0],"a":null}, "model": "alpha/small" , "user":"\\/"}\t'
    expect((await post(CHAT, body)).status).toBe(200)
    expect(upstream.calls[0]?.body.toString('utf8')).toBe(body.replace('"alpha/small"', '"small"'))
  })

  it('goes up as the very same bytes where nothing had to be put in', async () => {
    const { post, upstream } = await start((call) => call.answer(200, chatAnswer()))
    const body = Buffer.from('{"model":"small","messages":[],"n":1.50,"\u00fc":"\u{1f600}"}')
    await post(CHAT, body)
    expect(upstream.calls[0]?.body).toEqual(body)
  })

  it('goes up to the path of the provider, with its credential and without anything of the caller', async () => {
    const { post, upstream } = await start((call) => call.answer(200, chatAnswer()))
    const headers = {
      cookie: 'session=1',
      'x-forwarded-for': '10.0.0.1',
      'user-agent': 'caller/1',
      accept: 'text/html',
      'openai-organization': 'org',
      'accept-encoding': 'br',
    }
    await post(CHAT, chatRequest, { headers })
    const [call] = upstream.calls
    expect([call?.method, call?.path]).toEqual(['POST', '/v1/chat/completions'])
    const { host, connection, ...sent } = call?.headers ?? {}
    expect(sent).toEqual({
      authorization: `Bearer ${SECRET}`,
      accept: 'application/json',
      'content-type': 'application/json',
      'content-length': String(call?.body.length),
      'accept-encoding': 'identity',
      'user-agent': 'headgate',
    })
    expect([host, connection]).toEqual([upstream.origin.slice(7), 'keep-alive'])
    expect(JSON.stringify(call?.headers) + call?.body).not.toContain(KEY)
  })

  it('comes back as the bytes of the upstream, with who served and none of its other headers', async () => {
    const answer =
      '{ "id":"x","choices" : [{"index":0,"message":{"role":"assistant","content":"\\u00e9"},"finish_reason":"stop"}],"big":12345678901234567890 }\n'
    const { post, rows } = await start((call) =>
      call.answer(200, answer, {
        'content-type': 'application/json; charset=utf-8',
        'set-cookie': 'a=b',
        'access-control-allow-origin': '*',
        'x-request-id': 'theirs',
        server: 'x',
      }),
    )
    const response = await post(CHAT, chatRequest)
    expect(await response.text()).toBe(answer)
    const { date, connection, 'keep-alive': keepAlive, ...headers } = Object.fromEntries(response.headers)
    expect(headers).toEqual({
      'content-type': 'application/json',
      'content-length': String(Buffer.byteLength(answer)),
      'headgate-attempts': expect.stringMatching(/^alpha;200;\d+ms$/),
      'headgate-vendor': 'alpha',
      'x-request-id': rows[0]?.requestId,
    })
  })

  it('is accounted for with tokens, cost, price, finish and the attempt', async () => {
    const { post, rows } = await start((call) => call.answer(200, chatAnswer()))
    await post(CHAT, chatRequest)
    await post(MESSAGES, { ...messagesRequest, model: 'wise' }).then(() => {})
    expect(rows[0]).toEqual({
      id: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-7/),
      requestId: expect.stringMatching(/^req_/),
      principal: 'key-1',
      family: 'chat',
      format: 'chat-completions',
      model: 'small',
      provider: 'alpha',
      policy: 'priority',
      providerModel: 'small-2026-01-01',
      stream: false,
      translated: false,
      status: 200,
      usage: { input: 11, output: 7 },
      cost: COST,
      charged: COST,
      priceId: 'list@2026-01-01',
      billed: true,
      why: 'served',
      finish: 'stop',
      losses: [],
      startedAt: expect.any(Number),
      firstByteMs: expect.any(Number),
      durationMs: expect.any(Number),
      attempts: [
        {
          provider: 'alpha',
          model: 'small',
          startedAt: expect.any(Number),
          durationMs: expect.any(Number),
          status: 200,
          cost: COST,
          priceId: 'list@2026-01-01',
        },
      ],
    })
  })

  it('costs what is not known where price or usage is not known', async () => {
    const { post, rows } = await start((call) =>
      call.answer(200, chatAnswer('Hi', call.json()['model'] === 'small' ? { usage: undefined } : {})),
    )
    await post(CHAT, chatRequest)
    await post(CHAT, { ...chatRequest, model: 'alpha/other' })
    expect(rows.map(({ usage, cost, priceId, billed, why }) => ({ usage, cost, priceId, billed, why }))).toEqual([
      { usage: undefined, cost: null, priceId: null, billed: false, why: 'usage-unknown' },
      { usage: { input: 11, output: 7 }, cost: null, priceId: null, billed: false, why: 'price-unknown' },
    ])
  })

  describe('and that is streamed', () => {
    const asked = { ...chatRequest, stream: true, stream_options: { include_usage: true } }
    const words = ['Grüße ', '😀', ' "usage":{"a":1} data: [DONE]', '\n\n', 'end']

    it.each<[string, (text: string) => string | string[]]>([
      ['in one piece', (text) => text],
      ['frame by frame', (text) => text.split(/(?<=\n\n)/)],
      ['with CRLF', (text) => text.replaceAll('\n', '\r\n')],
      ['with comments', (text) => text.replaceAll('data: {', ': OPENROUTER PROCESSING\n\ndata: {')],
      ['without its last blank line', (text) => text.slice(0, -1)],
      ['without a last line end', (text) => text.slice(0, -2)],
      ['without [DONE]', (text) => text.replace(DONE, '')],
    ])('comes back as the bytes of the upstream: %s', async (_, bend) => {
      const source = bend(chatFrames(words).join(''))
      const { post, rows } = await start((call) => call.stream(source))
      const response = await post(CHAT, asked)
      expect(await response.text()).toBe(typeof source === 'string' ? source : source.join(''))
      expect(Object.fromEntries(response.headers)).toMatchObject({
        'content-type': 'text/event-stream; charset=utf-8',
        'cache-control': 'no-cache, no-transform',
        'headgate-vendor': 'alpha',
        'x-request-id': rows[0]?.requestId,
      })
      expect(rows).toMatchObject([
        {
          stream: true,
          status: 200,
          usage: { input: 11, output: 7 },
          cost: COST,
          billed: true,
          why: 'served',
          finish: 'stop',
        },
      ])
    })

    it.each(['\n', '\r\n'])(
      'comes back as the bytes of the upstream when they come one by one, in lines that end with %j',
      async (end) => {
        const source = Buffer.from(chatFrames(words).join('').replaceAll('\n', end))
        const { post, rows } = await start(async (call) => {
          call.head(200, { 'content-type': 'text/event-stream' })
          for (const byte of source) await call.write(Buffer.from([byte]))
          call.end()
        })
        expect(Buffer.from(await (await post(CHAT, asked)).arrayBuffer())).toEqual(source)
        expect(rows).toMatchObject([{ usage: { input: 11, output: 7 }, why: 'served' }])
      },
    )

    it('is read by nobody in between: each piece goes out up to its last whole frame', async () => {
      const { post, upstream } = await start(() => {})
      const answering = post(CHAT, asked)
      const call = await upstream.next()
      const frames = chatFrames(['one', 'two'])
      call.head(200, { 'content-type': 'text/event-stream' })
      await call.write(`${frames[0]}${frames[1]?.slice(0, 20)}`)
      const reader = (await answering).body?.getReader()
      const read = async () => new TextDecoder().decode((await reader?.read())?.value)
      expect(await read()).toBe(frames[0])
      await call.write(`${frames[1]?.slice(20)}${frames[2]?.slice(0, 30)}`)
      expect(await read()).toBe(frames[1])
      call.end(`${frames[2]?.slice(30)}${frames.slice(3).join('')}`)
      let rest = ''
      for (let piece = await read(); piece !== ''; piece = await read()) rest += piece
      expect(rest).toBe(frames.slice(2).join(''))
    })

    it('asks the upstream for usage, and keeps it from a caller who did not', async () => {
      const { post, upstream, rows } = await start((call) => call.stream(chatFrames(words)))
      const body = '{"model":"small","messages":[],"stream":true,"stream_options":{"x":1.0},"z":1}'
      const text = await (await post(CHAT, body)).text()
      expect(upstream.calls[0]?.body.toString('utf8')).toBe(
        '{"model":"small","messages":[],"stream":true,"stream_options":{"include_usage":true,"x":1.0},"z":1}',
      )
      expect(text).toBe(chatFrames(words).join('').replace(chatUsageFrame, ''))
      expect(rows).toMatchObject([{ usage: { input: 11, output: 7 }, cost: COST }])
    })

    it('keeps usage that stands in a frame with content', async () => {
      const frames = [
        chatChunk({ content: 'a' }),
        chatChunk({}, { usage: { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3 } }, 'stop'),
        DONE,
      ]
      const { post, rows } = await start((call) => call.stream(frames))
      expect(await (await post(CHAT, { ...chatRequest, stream: true })).text()).toBe(frames.join(''))
      expect(rows).toMatchObject([{ usage: { input: 1, output: 2 } }])
    })

    it('gives every choice its time, though another has finished', async () => {
      const { post, upstream, rows } = await start(() => {})
      const answering = post(CHAT, { ...asked, n: 2 })
      const call = await upstream.next()
      const choice = (index: number, content: string, finish: string | null) =>
        chatChunk({}, { choices: [{ index, delta: { content }, finish_reason: finish }] })
      call.head(200, { 'content-type': 'text/event-stream' })
      await call.write(choice(0, 'a', null) + choice(0, '', 'stop'))
      const reader = (await answering).body?.getReader()
      expect(dataOf(new TextDecoder().decode((await reader?.read())?.value))).toHaveLength(2)
      await call.write(choice(1, 'b', null))
      expect(new TextDecoder().decode((await reader?.read())?.value)).toBe(choice(1, 'b', null))
      call.end(choice(1, '', 'stop') + DONE)
      while (!(await reader?.read())?.done);
      expect(rows).toMatchObject([{ status: 200, why: 'usage-unknown', finish: 'stop' }])
    })

    it('comes back in the messages format too, with its pings and usage', async () => {
      const frames = messagesFrames(words)
      const { post, upstream, rows } = await start((call) => call.stream(frames))
      const response = await post(
        MESSAGES,
        { ...messagesRequest, model: 'wise', stream: true },
        { headers: { 'anthropic-version': '2023-06-01', 'anthropic-beta': 'x' } },
      )
      expect(await response.text()).toBe(frames.join(''))
      expect(upstream.calls[0]?.headers).toMatchObject({
        'x-api-key': SECRET,
        'anthropic-version': '2023-06-01',
        accept: 'text/event-stream',
      })
      expect(upstream.calls[0]?.headers).not.toHaveProperty('anthropic-beta')
      expect(rows).toMatchObject([
        {
          provider: 'claude',
          format: 'messages',
          translated: false,
          usage: { input: 11, output: 7 },
          cost: COST,
          finish: 'stop',
        },
      ])
    })
  })

  it('gets the limit of output that the messages format demands', async () => {
    const { post, upstream } = await start((call) => call.answer(200, messagesAnswer()))
    await post(MESSAGES, '{"model":"wise","messages":[]}')
    expect(upstream.calls[0]?.body.toString('utf8')).toMatch(/^\{"max_tokens":\d+,"model":"wise","messages":\[\]\}$/)
  })
})
