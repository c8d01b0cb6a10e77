import { once } from 'node:events'
import { connect } from 'node:net'
import { describe, expect, it, vi } from 'vitest'
import { CHAT, chatAnswer, chatFrames, chatRequest } from '../../../core/test/support/wire.ts'
import type { GatewayOptions } from '../../src/index.ts'
import { post as head } from '../support/connection.ts'
import { server } from '../support/embeddings.ts'
import { chatProvider, SINKS, startGateway } from '../support/gateway.ts'
import { startUpstream, type UpstreamCall } from '../support/upstream.ts'

const MEGABYTE = 1024 * 1024
const OTHER_KEY = { headers: { authorization: 'Bearer sk-limited' } }
const statusOf = async (response: Response | Promise<Response>): Promise<number> => (await response).status

/** Answers with as many megabytes as the prompt asks for. */
function large(call: UpstreamCall): void {
  const { messages } = call.json() as { messages: { content: string }[] }
  call.answer(200, chatAnswer('x'.repeat(Number(messages[0]?.content) * MEGABYTE)))
}

const asking = (megabytes: number) => ({ ...chatRequest, messages: [{ role: 'user', content: String(megabytes) }] })

async function start(
  handler?: (call: UpstreamCall) => unknown,
  options: Partial<GatewayOptions> = {},
  sink: 'node' | 'fetch' = 'node',
) {
  const upstream = await startUpstream(handler)
  const limits = { memory: 32 * MEGABYTE, body: MEGABYTE }
  return { upstream, ...(await startGateway(sink, { providers: [chatProvider(upstream.url)], limits, ...options })) }
}

describe('Responses', () => {
  it('that callers do not read are counted: their key gets 429, others are served, and memory returns when they leave', async () => {
    const { port, post, access } = await start(large)
    const callers = await Promise.all(
      [1, 2].map(async () => {
        const socket = connect({ port, host: '127.0.0.1', onread: { buffer: Buffer.alloc(1), callback: () => false } })
        await once(socket, 'connect')
        const text = JSON.stringify(asking(7))
        socket.write(`${head(CHAT, [`content-length: ${text.length}`])}${text}`)
        await access.next()
        return socket
      }),
    )
    const refused = await post(CHAT, asking(7))
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '1'])
    expect(await statusOf(post(CHAT, asking(1), OTHER_KEY))).toBe(200)
    for (const caller of callers) caller.destroy()
    await vi.waitFor(async () => expect(await statusOf(post(CHAT, asking(7)))).toBe(200))
  })

  it('of a fetch handler that are not read are counted as well', async () => {
    const { post } = await start(large, {}, 'fetch')
    const unread = [await post(CHAT, asking(7)), await post(CHAT, asking(7))]
    expect(await statusOf(post(CHAT, asking(7)))).toBe(429)
    expect(await Promise.all(unread.map(async (response) => (await response.text()).length))).toEqual([
      expect.toSatisfy((length: number) => length > 7 * MEGABYTE),
      expect.toSatisfy((length: number) => length > 7 * MEGABYTE),
    ])
    expect(await statusOf(post(CHAT, asking(7)))).toBe(200)
  })

  it.each(SINKS)('that are larger than the quota are a 429, whatever the family (%s)', async (sink) => {
    const { post } = await start(large, {}, sink)
    expect(await statusOf(post(CHAT, asking(20)))).toBe(429)
    const upstream = await startUpstream((call) => call.answer(200, { data: 'x'.repeat(2 * MEGABYTE) }))
    const embeddings = await startGateway(sink, { providers: [server(upstream.url)], limits: { memory: 2 * MEGABYTE } })
    expect(await statusOf(embeddings.post('/v1/embeddings', { model: 'embed-1', input: 'x' }))).toBe(429)
  })

  it('that are streamed are counted as far as a frame is not whole', async () => {
    const { post, upstream, access } = await start()
    const answering = [0, 1].map(() => post(CHAT, { ...chatRequest, stream: true }))
    const calls = [await upstream.next(), await upstream.next()]
    for (const call of calls) {
      call.head(200, { 'content-type': 'text/event-stream' })
      await call.write(chatFrames([])[0] ?? '')
    }
    const [first, second] = await Promise.all(answering)
    const half = `data: ${'x'.repeat(9 * MEGABYTE)}`
    await calls[0]?.write(half)
    void calls[1]?.write(half)
    const record = await access.next()
    expect(record.usage).toMatchObject({ why: 'cut', failure: 'over-limit' })
    const failed = await Promise.race([first?.text(), second?.text()])
    expect(failed).toContain('has no memory left')
    for (const call of calls) call.cut()
  })
})

describe('A provider that does not begin to answer', () => {
  it('holds as many requests as it may: the next candidate is tried, then 429 follows', async () => {
    const silent = await startUpstream()
    const other = await startUpstream((call) => call.answer(200, chatAnswer()))
    const { post } = await startGateway('node', {
      providers: [
        { provider: chatProvider(silent.url), waiting: 2 },
        { provider: chatProvider(other.url), name: 'beta' },
      ],
      limits: { waiting: 1 },
    })
    const waiting = [post(CHAT, chatRequest), post(CHAT, { ...chatRequest, stream: true })]
    const calls = [await silent.next(), await silent.next()]
    const next = await post(CHAT, chatRequest)
    expect([next.status, next.headers.get('headgate-vendor')]).toEqual([200, 'beta'])
    const refused = await post(CHAT, chatRequest, { headers: { vendor: 'alpha' } })
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '1'])
    expect(await refused.text()).toContain('2 requests wait for the first byte of provider alpha')
    // Its stream has begun, so that it waits for one less.
    const stream = calls.find((call) => call.json()['stream'] === true)
    stream?.head(200, { 'content-type': 'text/event-stream' })
    await stream?.write(chatFrames([])[0] ?? '')
    await waiting[1]
    const third = post(CHAT, chatRequest, { headers: { vendor: 'alpha' } })
    ;(await silent.next()).answer(200, chatAnswer())
    expect(await statusOf(third)).toBe(200)
    for (const call of calls) call.cut()
    await Promise.allSettled(waiting)
  })

  it('counts requests of every family, and forgets those whose callers leave', async () => {
    const upstream = await startUpstream()
    const { post, access } = await startGateway('node', { providers: [server(upstream.url)], limits: { waiting: 1 } })
    const leaving = new AbortController()
    const embed = { model: 'embed-1', input: 'x' }
    const first = post('/v1/embeddings', embed, { signal: leaving.signal })
    await upstream.next()
    expect(await statusOf(post('/v1/embeddings', embed))).toBe(429)
    expect((await access.next()).status).toBe(429)
    leaving.abort()
    await expect(first).rejects.toThrow()
    expect((await access.next()).status).toBe(499)
    const second = post('/v1/embeddings', embed)
    ;(await upstream.next()).answer(400, {})
    expect(await statusOf(second)).toBe(400)
  })
})
