import { setImmediate as turn } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import {
  CHAT,
  chatFrames,
  chatRequest,
  chatText,
  DONE,
  dataOf,
  MESSAGES,
  messagesFrames,
  messagesRequest,
} from '../../../core/test/support/wire.ts'
import type { ProviderInstance } from '../../src/index.ts'
import { good, pausing, startFleet, startOne, startSupport } from '../support/fleet.ts'
import { messagesProvider, SECRET, SINKS, startGateway } from '../support/gateway.ts'
import { startUpstream, type UpstreamCall } from '../support/upstream.ts'

const streamed = { ...chatRequest, stream: true }

interface ErrorBody {
  error: { message: string; type: string; code: string | null }
}

describe.each(SINKS)('An upstream behind %s that fails once its answer has begun', (sink) => {
  const start = startFleet.bind(undefined, sink)
  const patient = it.runIf(sink === 'node')

  const frames = chatFrames(['one', 'two'])
  const begun = frames.slice(0, 2).join('')
  const inBand = (text: string): ErrorBody => {
    expect(text.startsWith(begun)).toBe(true)
    const rest = text.slice(begun.length)
    expect(rest).toMatch(/^data: .*\n\n$/)
    return JSON.parse(rest.slice(6)) as ErrorBody
  }

  it.each<[string, (call: UpstreamCall) => unknown, string]>([
    ['between frames', (call) => call.cut(), 'alpha: The connection to the provider broke during its response'],
    [
      'in the middle of a frame',
      (call) => call.write(frames[2]?.slice(0, 40) ?? '').then(() => call.cut()),
      'alpha: The connection to the provider broke',
    ],
    ['with a reset', (call) => call.reset(), 'alpha: The connection to the provider broke'],
    ['mannerly, but early', (call) => call.end(), 'alpha ended its stream before it was complete.'],
    [
      'mannerly, but in the middle of a frame',
      (call) => call.end(frames[2]?.slice(0, 40)),
      'alpha ended its stream before it was complete.',
    ],
    [
      'mannerly, but behind a frame without its end',
      (call) => call.end(frames[2]?.slice(0, -1)),
      'alpha ended its stream before it was complete.',
    ],
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
    for (let piece = await reader?.read(); piece && !piece.done; piece = await reader?.read())
      seen += text.decode(piece.value)
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
    expect(inBand(text).error).toMatchObject({
      message: 'alpha: The provider stopped sending data during its response.',
      type: 'server_error',
      code: 'timeout',
    })
    expect(rows).toMatchObject([{ why: 'cut', failure: 'timeout' }])
  })

  it('that takes longer than it may is told of', async () => {
    const { post, upstreams, rows } = await start([pausing(begun)])
    const text = await (await post(CHAT, streamed, { headers: { 'headgate-timeout-ms': '600' } })).text()
    expect(inBand(text).error.message).toBe('The request exceeded its time limit.')
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

  it.each<[string, (said: string) => string[]]>([
    ['in one piece', (said) => [begun + said + DONE]],
    ['one after the other', (said) => [begun, said, DONE]],
    ['without a last blank line', (said) => [begun, said, DONE.trimEnd()]],
  ])('that ends after an error frame as streams end has that end passed on: %s', async (_, piecesOf) => {
    const said = 'data: {"error":{"message":"boom","code":"server_error"}}\n\n'
    const { post, rows, upstreams } = await start([() => {}])
    const answering = post(CHAT, streamed)
    const call = await upstreams[0]?.next()
    call?.head(200, { 'content-type': 'text/event-stream' })
    for (const piece of piecesOf(said)) {
      await call?.write(piece)
      await turn()
    }
    if (!piecesOf(said).at(-1)?.endsWith(DONE)) call?.end()
    const response = await answering
    expect((await response.text()).trimEnd()).toBe((begun + said + DONE).trimEnd())
    expect(rows).toMatchObject([{ why: 'cut', failure: 'upstream' }])
  })

  it.each([
    'event: error\ndata: [1]\n\n',
    'event: error\ndata: boom\n\n',
    'data: {"object":"error","message":"boom"}\n\n',
  ])('that fails in words that clients read as content is told of in those of the format: %j', async (said) => {
    const { post, rows } = await start([(call) => call.stream([begun, said])])
    expect(inBand(await (await post(CHAT, streamed)).text()).error.message).toContain('alpha: ')
    expect(rows).toMatchObject([{ why: 'cut', failure: 'upstream' }])
  })

  patient('that sends an error frame and then nothing is not waited for', async () => {
    const said = 'data: {"error":{"message":"boom","code":"server_error"}}\n\n'
    const { post, rows, upstreams } = await start([pausing(begun + said)], { times: { silence: 20 } })
    expect(await (await post(CHAT, streamed)).text()).toBe(begun + said)
    await upstreams[0]?.calls[0]?.left
    expect(rows).toMatchObject([{ why: 'cut', failure: 'upstream' }])
  })

  it('that sends a frame beyond all measure is told of', async () => {
    const { post } = await start([
      async (call) => {
        call.head(200, { 'content-type': 'text/event-stream' })
        await call.write(`${begun}data: `)
        for (let mega = 0; mega < 17; mega++) call.fill(Buffer.alloc(1024 * 1024, 'x'))
      },
    ])
    expect(inBand(await (await post(CHAT, streamed)).text()).error.message).toBe(
      'The upstream sent a frame of more than 16 MB.',
    )
  })

  it('that has said all, but does not hang up, is not waited for', async () => {
    const { post, rows, upstreams } = await start([pausing(frames.join(''))], { times: { silence: 20 } })
    expect(await (await post(CHAT, { ...streamed, stream_options: { include_usage: true } })).text()).toBe(
      frames.join(''),
    )
    await upstreams[0]?.calls[0]?.left
    expect(rows).toMatchObject([{ usage: { input: 11, output: 7 }, finish: 'stop' }])
  })

  // The last reason of a generateContent stream counts, so that only its end says which that is.
  it.each<[string, string, Record<string, unknown>]>([
    ['chat completions', CHAT, streamed],
    ['messages', MESSAGES, { ...messagesRequest, stream: true }],
  ])('that breaks off after its reason to end has served it whole, translated to %s', async (_, path, body) => {
    const chunk = (text: string, more = {}): string =>
      `data: ${JSON.stringify({ candidates: [{ content: { parts: [{ text }], role: 'model' }, index: 0, ...more }], usageMetadata: { promptTokenCount: 11, candidatesTokenCount: 7 } })}\r\n\r\n`
    const { post, rows } = await startSupport(
      sink,
      { format: 'generate-content', path: () => '/models/small:streamGenerateContent?alt=sse' },
      async (call) => {
        call.head(200, { 'content-type': 'text/event-stream' })
        await call.write(chunk('one') + chunk(' two', { finishReason: 'STOP' }))
        call.cut()
      },
    )
    const said = await (await post(path, body)).text()
    expect(said).toContain(' two')
    expect(said).not.toContain('error')
    expect(said).toMatch(/\[DONE\]\n\n$|message_stop"\}\n\n$/)
    expect(rows).toMatchObject([{ why: 'price-unknown', finish: 'stop', usage: { input: 11, output: 7 } }])
  })

  it.each(['a half frame', 'half a character'])(
    'that ends after it has said all, but with %s, has served without that',
    async (tail) => {
      const all = frames.slice(0, 4).join('')
      const more =
        tail === 'a half frame' ? Buffer.from('data: {"choices":[],"usa') : Buffer.from('data: "€').subarray(0, -1)
      const { post, rows } = await start([(call) => call.stream([all, more])])
      expect(await (await post(CHAT, { ...streamed, stream_options: { include_usage: true } })).text()).toBe(all)
      expect(rows).toMatchObject([{ why: 'usage-unknown', finish: 'stop' }])
    },
  )

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

  describe('that is of a kind of its own', () => {
    const limited = (wait?: string) =>
      `data: ${JSON.stringify({ error: { code: 429, message: 'Too much', status: 'RESOURCE_EXHAUSTED', details: wait ? [{ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: wait }] : [] } })}\r\n\r\n`
    const said = `data: ${JSON.stringify({ candidates: [{ content: { role: 'model', parts: [{ text: 'one' }] }, index: 0 }] })}\r\n\r\n`
    const chatLimit = `data: ${JSON.stringify({ error: { message: 'Too much. Try again in 20s.', type: 'rate_limit_error', code: 'rate_limit_exceeded' } })}\n\n`
    const google: Partial<ProviderInstance> = { chat: [{ format: 'generate-content', path: () => '/generate' }] }
    const STREAM = '/v1beta/models/small:streamGenerateContent'
    const contents = { contents: [{ role: 'user', parts: [{ text: 'Hello' }] }] }
    const message = 'alpha: Too much. Try again in 20s.'

    it.each<[string, string, object, Partial<ProviderInstance>, string, object]>([
      [
        'chat completions',
        CHAT,
        streamed,
        google,
        said + limited('19.2s'),
        { error: { message, type: 'rate_limit_error', param: null, code: 'rate_limit_exceeded' } },
      ],
      [
        'messages',
        MESSAGES,
        { ...messagesRequest, stream: true },
        google,
        said + limited('19.2s'),
        { type: 'error', error: { type: 'rate_limit_error', message }, request_id: expect.any(String) },
      ],
      [
        'generateContent',
        `${STREAM}?alt=sse`,
        contents,
        {},
        begun + chatLimit,
        {
          error: {
            code: 429,
            message,
            status: 'RESOURCE_EXHAUSTED',
            details: [expect.anything(), { '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '20s' }],
          },
        },
      ],
    ])(
      'tells a caller of %s its kind, its words and how long to wait',
      async (_, path, body, changes, upstream, told) => {
        const { post, rows } = await startOne(
          sink,
          () => changes,
          (call) => call.stream([upstream]),
        )
        expect(dataOf(await (await post(path, body)).text()).at(-1)).toEqual(told)
        expect(rows).toMatchObject([{ status: 200, why: 'cut', failure: 'rate-limited', attempts: [{ status: 200 }] }])
      },
    )

    it('tells it as the last element of a JSON array', async () => {
      const { post } = await startOne(
        sink,
        () => google,
        (call) => call.stream([said + limited()]),
      )
      const elements = (await (await post(STREAM, contents)).json()) as unknown[]
      expect(elements).toMatchObject([
        { candidates: [{}] },
        { error: { code: 429, status: 'RESOURCE_EXHAUSTED', message: 'alpha: Too much' } },
      ])
    })
  })

  it('case 304: is told of in the format of the caller, where it speaks another', async () => {
    const upstream = await startUpstream(async (call) => {
      call.head(200, { 'content-type': 'text/event-stream' })
      await call.write(messagesFrames(['one']).slice(0, 4).join(''))
      call.cut()
    })
    const { post, rows } = await startGateway(sink, { providers: [messagesProvider(upstream.url)] })
    const text = await (await post(CHAT, streamed)).text()
    const last = text.trimEnd().split('\n\n').at(-1) ?? ''
    expect(JSON.parse(last.slice(6))).toMatchObject({
      error: { type: 'server_error', message: expect.stringContaining('alpha: The connection to the provider broke') },
    })
    expect([chatText(text), text]).toEqual(['one', expect.not.stringContaining('[DONE]')])
    expect(rows).toMatchObject([{ translated: true, why: 'cut', failure: 'upstream', usage: { input: 11, output: 1 } }])
  })
})
