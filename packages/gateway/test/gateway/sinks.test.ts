import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import {
  CHAT,
  chatAnswer,
  chatFrames,
  chatRequest,
  dataOf,
  MESSAGES,
  messagesAnswer,
  messagesFrames,
  messagesRequest,
} from '../../../core/test/support/wire.ts'
import type { GatewayOptions } from '../../src/index.ts'
import { chatProvider, messagesProvider, SINKS, startGateway } from '../support/gateway.ts'
import { startUpstream, type UpstreamCall } from '../support/upstream.ts'

const good = (call: UpstreamCall): unknown =>
  call.json()['stream'] === true ? call.stream(chatFrames()) : call.answer(200, chatAnswer())
const streamed = { ...chatRequest, stream: true, stream_options: { include_usage: true } }
const JSON_TYPE = 'application/json'

/**
 * The contract of a sink: what a request of any kind has in common with the same request through the other one. Other
 * tests use the node sink, except those of connections, body limits, paths and departures, which use both.
 */
describe.each(SINKS)('The sink %s', (sink) => {
  async function start(handler = good, options: Partial<GatewayOptions> = {}) {
    const upstream = await startUpstream(handler)
    const served = await startGateway(sink, { providers: [chatProvider(upstream.url)], ...options })
    return { ...served, upstream }
  }

  it('gives a whole answer with its headers, and settles one row', async () => {
    const { post, rows, access } = await start((call) => call.answer(200, chatAnswer(), { 'x-request-id': 'theirs' }))
    const answer = await post(CHAT, chatRequest)
    expect([answer.status, answer.headers.get('content-type'), answer.headers.get('headgate-vendor')]).toEqual([
      200,
      JSON_TYPE,
      'alpha',
    ])
    const id = answer.headers.get('x-request-id')
    expect(id).toMatch(/^req_[0-9a-f]{32}$/)
    expect(await answer.json()).toEqual(chatAnswer())
    expect(rows).toMatchObject([{ requestId: id, status: 200, stream: false, usage: { input: 11, output: 7 } }])
    expect(await access.next()).toMatchObject({ status: 200 })
  })

  it('gives the bytes of a stream', async () => {
    const { post, rows } = await start()
    const answer = await post(CHAT, streamed)
    expect([answer.status, answer.headers.get('content-type')]).toEqual([
      200,
      expect.stringContaining('text/event-stream'),
    ])
    expect(await answer.text()).toBe(chatFrames().join(''))
    expect(rows).toMatchObject([{ status: 200, stream: true, usage: { input: 11, output: 7 } }])
  })

  it('gives each frame of a stream when it comes', async () => {
    const [first = '', ...others] = chatFrames()
    const { post, upstream } = await start(() => {})
    const answering = post(CHAT, streamed)
    const call = await upstream.next()
    call.head(200, { 'content-type': 'text/event-stream' })
    await call.write(first)
    const reader = (await answering).body?.getReader()
    expect(Buffer.from((await reader?.read())?.value ?? []).toString()).toBe(first)
    call.end(others.join(''))
    let rest = ''
    for (let piece = await reader?.read(); piece && !piece.done; piece = await reader?.read())
      rest += Buffer.from(piece.value).toString()
    expect(rest).toBe(others.join(''))
  })

  it('gives translated answers, whole and streamed', async () => {
    const { post } = await start()
    expect(await (await post(MESSAGES, messagesRequest)).json()).toMatchObject({
      type: 'message',
      content: messagesAnswer()['content'],
    })
    const text = await (await post(MESSAGES, { ...messagesRequest, stream: true })).text()
    expect(dataOf(text).at(-1)).toEqual({ type: 'message_stop' })
  })

  it('sends the headers of the caller that the provider takes, and no others', async () => {
    const upstream = await startUpstream((call) => call.stream(messagesFrames()))
    const { post } = await startGateway(sink, { providers: [messagesProvider(upstream.url)] })
    const headers = { 'anthropic-version': '2023-06-01', 'x-other': 'a', cookie: 'b=c' }
    await (await post(MESSAGES, { ...messagesRequest, stream: true }, { headers })).text()
    expect(upstream.calls[0]?.headers).toMatchObject({ 'anthropic-version': '2023-06-01' })
    for (const name of ['x-other', 'cookie']) expect(upstream.calls[0]?.headers).not.toHaveProperty(name)
  })

  it('reads bodies that are compressed, or come in pieces', async () => {
    const { post, upstream } = await start()
    const text = JSON.stringify(chatRequest)
    const pieces = new ReadableStream({
      start(controller) {
        for (const piece of [text.slice(0, 9), text.slice(9)]) controller.enqueue(Buffer.from(piece))
        controller.close()
      },
    })
    const gzip = { headers: { 'content-encoding': 'gzip', 'content-type': JSON_TYPE } }
    for (const answer of [await post(CHAT, gzipSync(text), gzip), await post(CHAT, pieces)])
      expect(answer.status).toBe(200)
    expect(upstream.calls.map((call) => call.json())).toEqual([chatRequest, chatRequest])
  })

  it.each<[string, string, RequestInit, number]>([
    ['a key that is unknown', CHAT, { method: 'POST', headers: { authorization: 'Bearer sk-wrong' }, body: '{}' }, 401],
    ['no key', CHAT, { method: 'POST', headers: { 'x-no-key': '1' }, body: '{}' }, 401],
    ['a path that is unknown', '/v1/nothing', {}, 404],
    ['a method that the path does not have', CHAT, {}, 405],
    ['a body that is no JSON', CHAT, { method: 'POST', body: '{' }, 400],
    [
      'a body that is too large',
      CHAT,
      { method: 'POST', body: JSON.stringify({ ...chatRequest, x: 'x'.repeat(2_000) }) },
      413,
    ],
  ])('refuses %s', async (_, path, init, status) => {
    const { call, upstream } = await start(good, { limits: { body: 1_000 } })
    const answer = await call(path, init)
    expect([answer.status, answer.headers.get('content-type'), answer.headers.get('x-should-retry')]).toEqual([
      status,
      JSON_TYPE,
      'false',
    ])
    expect(await answer.json()).toMatchObject({ error: { message: expect.any(String) } })
    expect(upstream.calls).toEqual([])
  })

  it('answers a request without a body', async () => {
    const { call } = await start()
    const head = await call('/v1/models', { method: 'HEAD' })
    expect([head.status, await head.text()]).toEqual([200, ''])
    const list = await call('/v1/models')
    expect([list.status, await list.json()]).toMatchObject([200, { data: [{ id: 'small' }] }])
  })

  it('reads paths and queries as they are encoded', async () => {
    const upstream = await startUpstream(good)
    const known = [{ id: 'org/small' }]
    const { call } = await startGateway(sink, { providers: [chatProvider(upstream.url, { known })] })
    expect(await (await call('/v1/models/org%2Fsmall?beta=true')).json()).toMatchObject({ id: 'org/small' })
  })

  it('tells of a failure by the status before an answer has begun, and in band afterwards', async () => {
    const failing = await start((call) => call.answer(400, { error: { message: 'No.' } }))
    const refused = await failing.post(CHAT, chatRequest)
    expect([refused.status, await refused.json()]).toEqual([
      400,
      { error: expect.objectContaining({ message: expect.stringContaining('No.') }) },
    ])
    const [first = '', second = ''] = chatFrames()
    const cut = await start(async (call) => {
      call.head(200, { 'content-type': 'text/event-stream' })
      await call.write(first + second)
      call.cut()
    })
    let text = ''
    try {
      for await (const piece of (await cut.post(CHAT, streamed)).body ?? []) text += Buffer.from(piece).toString()
    } catch {
      // The connection may end with the error.
    }
    expect(text).toContain('"error"')
    expect(text).not.toContain('[DONE]')
    expect(cut.rows).toMatchObject([{ status: 200, failure: expect.any(String) }])
  })

  it('ends the request of a caller who leaves', async () => {
    const { post, upstream, rows, left } = await start(() => {})
    const caller = new AbortController()
    const answering = post(CHAT, streamed, { signal: caller.signal }).catch((error: unknown) => error)
    const call = await upstream.next()
    caller.abort()
    await Promise.all([answering, call.left, left()])
    await expect.poll(() => rows).toMatchObject([{ status: 499, why: 'canceled' }])
  })
})
