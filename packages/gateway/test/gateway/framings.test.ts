import { describe, expect, it } from 'vitest'
import type { ChatSupport, Json } from '../../../core/src/provider.ts'
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
import { eventStreamMessage } from '../support/event-stream.ts'
import { startSupport } from '../support/fleet.ts'
import { chatProvider, messagesProvider, startGateway } from '../support/gateway.ts'
import { startUpstream, type Upstream } from '../support/upstream.ts'

const streamed = { ...chatRequest, stream: true }

describe('A stream', () => {
  it('may send JSON lines', async () => {
    const lines = chatFrames(['Hi', ' there'])
      .filter((frame) => frame !== DONE)
      .map((frame) => frame.slice(6, -1))
    const { post, upstream, rows } = await startSupport('node', { framing: 'ndjson' }, (call) =>
      call.stream(lines.join('').match(/.{1,50}|\n/gs) ?? [], { 'content-type': 'application/x-ndjson' }),
    )
    const text = await (await post(CHAT, { ...streamed, stream_options: { include_usage: true } })).text()
    expect(upstream.calls[0]?.headers.accept).toBe('application/x-ndjson')
    expect(dataOf(text)).toEqual([...lines.map((line) => JSON.parse(line) as unknown), '[DONE]'])
    expect(rows).toMatchObject([{ usage: { input: 11, output: 7 }, finish: 'stop', translated: false }])
  })

  it('may name its events as those without a name are called, and leave out what ends it', async () => {
    const frames = chatFrames(['Hi', ' there']).filter((frame) => frame !== DONE)
    const { post } = await startSupport('node', { patchFrame: ({ json }) => json }, (call) =>
      call.stream(frames.map((frame) => `id: 1\nevent: message\n${frame}`)),
    )
    const whole = await (await post(CHAT, { ...streamed, stream_options: { include_usage: true } })).text()
    expect(whole).toBe([...frames, DONE].join(''))
    const upToReason = frames.slice(0, 1)
    const { post: cut } = await startSupport('node', { patchFrame: ({ json }) => json }, (call) =>
      call.stream(upToReason),
    )
    expect(await (await cut(CHAT, streamed)).text()).not.toContain(DONE)
  })

  const messagesInEvents = (frames: string[]) =>
    Buffer.concat(
      frames.map((frame) =>
        eventStreamMessage({ ':event-type': 'chunk' }, JSON.stringify({ bytes: btoa(frame.split('data: ')[1] ?? '') })),
      ),
    )
  const bedrock: Partial<ChatSupport> = {
    format: 'messages',
    framing: 'aws-event-stream',
    patchFrame: ({ json }) => (typeof json['bytes'] === 'string' ? (JSON.parse(atob(json['bytes'])) as Json) : json),
    patchRequest: ({ model, stream, ...body }) => ({ ...body, version: 'x' }),
  }

  it('may send an AWS event stream, unwrapped and in the format of the caller', async () => {
    const body = messagesInEvents(messagesFrames(['Hi', ' there']))
    const { post, upstream, rows } = await startSupport('node', bedrock, async (call) => {
      call.head(200, { 'content-type': 'application/vnd.amazon.eventstream' })
      for (let at = 0; at < body.length; at += 97) await call.write(body.subarray(at, at + 97))
      call.end()
    })
    const native = await (await post(MESSAGES, { ...messagesRequest, stream: true })).text()
    expect(dataOf(native)).toEqual(messagesFrames(['Hi', ' there']).flatMap((frame) => dataOf(frame)))
    expect(native).toContain('event: message_start\n')
    expect(chatText(await (await post(CHAT, streamed)).text())).toBe('Hi there')
    expect(upstream.calls[0]?.json()).toEqual({ max_tokens: 64, messages: messagesRequest.messages, version: 'x' })
    expect(upstream.calls[0]?.headers.accept).toBe('application/vnd.amazon.eventstream')
    expect(rows).toMatchObject([
      { usage: { input: 11, output: 7 }, translated: false },
      { usage: { input: 11, output: 7 }, translated: true },
    ])
  })

  const inPayloads = (text: string): Buffer => {
    const bytes = Buffer.from(text)
    const parts = Array.from({ length: Math.ceil(bytes.length / 41) }, (_, index) =>
      bytes.subarray(index * 41, (index + 1) * 41),
    )
    return Buffer.concat(parts.map((part) => eventStreamMessage({ ':event-type': 'PayloadPart' }, part)))
  }
  const inEvents = { 'content-type': 'application/vnd.amazon.eventstream' }

  it.each([
    ['server-sent events', (frame: string) => frame],
    ['JSON lines', (frame: string) => (frame === DONE ? '' : frame.slice(6, -1))],
  ])('may hold %s in the payloads of an AWS event stream, wherever they are cut', async (_, framed) => {
    const frames = chatFrames(['Grüße 🦊', ' there'])
    const body = inPayloads(frames.map(framed).join(''))
    const { post, upstream, rows } = await startSupport('node', { framing: 'aws-payload-lines' }, (call) =>
      call.stream(body, inEvents),
    )
    const native = await (await post(CHAT, { ...streamed, stream_options: { include_usage: true } })).text()
    expect(native).toBe(frames.join(''))
    expect(upstream.calls[0]?.headers.accept).toBe('application/vnd.amazon.eventstream')
    expect(await (await post(MESSAGES, { ...messagesRequest, stream: true })).text()).toContain('Grüße 🦊')
    expect(rows).toMatchObject([{ usage: { input: 11, output: 7 } }, { usage: { input: 11, output: 7 } }])
  })

  it('is estimated by what was heard of it, where it is cut within an AWS event stream', async () => {
    const frames = chatFrames(['This much was said', ' there']).slice(0, 2)
    const { post, rows } = await startSupport('node', { framing: 'aws-payload-lines' }, (call) =>
      call.stream(inPayloads(frames.join('')), inEvents),
    )
    await (await post(CHAT, streamed)).text()
    expect(rows).toMatchObject([{ why: 'cut', estimated: true }])
    expect(rows[0]?.usage?.output).toBeGreaterThan(1)
  })

  it('may say by an exception that it fails, before or after the answer has begun', async () => {
    const thrown = eventStreamMessage(
      { ':message-type': 'exception', ':exception-type': 'throttlingException' },
      '{"message":"Too many"}',
    )
    const begun = messagesInEvents(messagesFrames(['Hi']).slice(0, 4))
    for (const body of [thrown, Buffer.concat([begun, thrown])]) {
      const { post, rows } = await startSupport('node', bedrock, (call) =>
        call.stream(body, { 'content-type': 'application/vnd.amazon.eventstream' }),
      )
      const response = await post(MESSAGES, { ...messagesRequest, stream: true })
      const text = await response.text()
      const error = body === thrown ? JSON.parse(text) : dataOf(text).at(-1)
      expect([response.status, error]).toMatchObject([
        body === thrown ? 500 : 200,
        { type: 'error', error: { message: 'alpha: Too many' } },
      ])
      expect(rows).toMatchObject([{ failure: 'upstream' }])
    }
  })

  it('may break an AWS event stream, which is told of', async () => {
    const frames = messagesFrames(['Hi'])
    const begun = messagesInEvents(frames.slice(0, 4))
    const { post, rows } = await startSupport('node', bedrock, (call) =>
      call.stream([begun, messagesInEvents(frames.slice(4)).fill(1, 30, 31)], {
        'content-type': 'application/vnd.amazon.eventstream',
      }),
    )
    const text = await (await post(MESSAGES, { ...messagesRequest, stream: true })).text()
    expect(dataOf(text).at(-1)).toMatchObject({
      type: 'error',
      error: { message: expect.stringContaining('event stream is broken: a checksum is wrong') },
    })
    expect(rows).toMatchObject([{ why: 'cut', failure: 'upstream', status: 200 }])
  })

  it('gets pings written into its silent stream where that is translated, and none where its bytes pass', async () => {
    const [passing, translated] = [await startUpstream(), await startUpstream()]
    const providers = [chatProvider(passing.url), messagesProvider(translated.url, { name: 'claude' })]
    const { post } = await startGateway('node', { providers, times: { ping: 5 } })
    const begin = async (upstream: Upstream, vendor: string, frames: string[]) => {
      const answering = post(CHAT, streamed, { headers: { vendor } })
      const call = await upstream.next()
      call.head(200, { 'content-type': 'text/event-stream' })
      await call.write(frames.join(''))
      return { call, response: await answering }
    }
    const silent = await begin(passing, 'alpha', chatFrames().slice(0, 2))
    const pinged = await begin(translated, 'claude', messagesFrames(['Hi']).slice(0, 4))

    const reader = pinged.response.body?.getReader()
    let text = ''
    const read = async (): Promise<boolean> => {
      const { value, done } = (await reader?.read()) ?? { done: true }
      text += new TextDecoder().decode(value)
      return !done
    }
    while ((text.match(/^: /gm) ?? []).length < 3) await read()
    pinged.call.end(messagesFrames(['Hi']).slice(4).join(''))
    while (await read());
    expect([chatText(text), text.endsWith(DONE)]).toEqual(['Hi', true])

    silent.call.end(DONE)
    expect(await silent.response.text()).toBe(chatFrames().slice(0, 2).join('') + DONE)
  })

  it.each<[string, string[], boolean]>([
    ['that says nothing', ['data:\r\n\r\n', ': ping\r\n\r\n', 'data: [DONE]\r\n\r\n'], false],
    ['that is no JSON', ['data: oops\r\n\r\n'], true],
    ['that is half of one', ['data: {"candidates":[\r\n\r\n'], true],
    ['that closes the array', ['data: ]\r\n\r\n'], true],
    ['that fails', ['data: {"error":{"code":429,"message":"Slow down","status":"RESOURCE_EXHAUSTED"}}\r\n\r\n'], true],
    ['that fails, without a last blank line', ['data: {"error":{"code":429,"message":"Slow down"}}'], true],
  ])('keeps the array whole that the caller reads, whatever frame comes: one %s', async (_, odd, isFailure) => {
    const frame = (part: string, more = {}): string =>
      `data: ${JSON.stringify({ candidates: [{ content: { parts: [{ text: part }], role: 'model' }, ...more }] })}\r\n\r\n`
    const support = { format: 'generate-content', path: () => '/stream?alt=sse' } as const
    const frames = odd[0]?.endsWith('}')
      ? [frame('Hi'), ...odd]
      : [frame('Hi'), ...odd, frame(' you', { finishReason: 'STOP' })]
    const { post, rows } = await startSupport('node', support, (call) => call.stream(frames))
    const response = await post('/v1beta/models/small:streamGenerateContent', {
      contents: [{ role: 'user', parts: [{ text: 'Hello' }] }],
    })
    const chunks = JSON.parse(await response.text()) as { error?: unknown; candidates?: unknown }[]
    expect(chunks).toHaveLength(2)
    expect(chunks[0]).toHaveProperty('candidates')
    expect(chunks[1]).toHaveProperty(isFailure ? 'error' : 'candidates')
    expect(rows).toMatchObject([{ why: isFailure ? 'cut' : 'usage-unknown' }])
  })

  it('gets white space as pings where the caller reads a JSON array', async () => {
    const upstream = await startUpstream()
    const { post } = await startGateway('node', {
      providers: [messagesProvider(upstream.url, { name: 'claude' })],
      times: { ping: 5 },
    })
    const answering = post('/v1beta/models/small:streamGenerateContent', {
      contents: [{ role: 'user', parts: [{ text: 'Hello' }] }],
    })
    const call = await upstream.next()
    call.head(200, { 'content-type': 'text/event-stream' })
    await call.write(messagesFrames(['Hi']).slice(0, 4).join(''))
    const response = await answering
    const reader = response.body?.getReader()
    let text = ''
    const read = async (): Promise<boolean> => {
      const { value, done } = (await reader?.read()) ?? { done: true }
      text += new TextDecoder().decode(value)
      return !done
    }
    while (!/\}\n{3}$|:\s*ping/.test(text)) await read()
    call.end(messagesFrames(['Hi']).slice(4).join(''))
    while (await read());
    const chunks = JSON.parse(text) as {
      candidates?: { content?: { parts: { text?: string }[] }; finishReason?: string }[]
    }[]
    expect(response.headers.get('content-type')).toBe('application/json')
    expect(
      chunks.flatMap((chunk) => chunk.candidates?.[0]?.content?.parts.map((part) => part.text) ?? []).join(''),
    ).toBe('Hi')
    expect(chunks.at(-1)?.candidates?.[0]?.finishReason).toBe('STOP')
  })
})
