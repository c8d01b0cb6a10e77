import { describe, expect, it } from 'vitest'
import {
  CHAT,
  chatAnswer,
  chatFrames,
  chatRequest,
  MESSAGES,
  messagesRequest,
} from '../../../core/test/support/wire.ts'
import type { Principal, WireTrace } from '../../src/index.ts'
import { chatProvider, KEY, startGateway } from '../support/gateway.ts'
import { startUpstream, type UpstreamCall } from '../support/upstream.ts'

const answer = (call: UpstreamCall): unknown =>
  call.json()['stream'] ? call.stream(chatFrames()) : call.answer(200, chatAnswer())
const SOON = Date.now() + 3_600_000

describe('What goes over the wire', () => {
  async function start(
    principal: Partial<Principal> = { tracedUntil: SOON },
    reply: (call: UpstreamCall) => unknown = answer,
  ) {
    const kept: WireTrace[] = []
    const upstream = await startUpstream(reply)
    const gateway = await startGateway('node', {
      providers: [chatProvider(upstream.url)],
      authenticate: (credential) => (credential === KEY ? { id: 'key-1', ...principal } : undefined),
      traces: { keep: (trace) => void kept.push(trace) },
    })
    return { ...gateway, upstream, kept }
  }

  it.each([false, true])('is kept of both sides as it was: bytes that pass, with stream %s', async (stream) => {
    const { post, kept, upstream, access } = await start()
    const sent = JSON.stringify({ ...chatRequest, stream })
    const response = await post(CHAT, sent, {
      headers: { 'x-my-token': 'another-secret-of-mine', 'headgate-tags': 'team=a' },
    })
    const text = await response.text()
    await access.next()
    expect(kept).toHaveLength(1)
    const [trace] = kept
    expect(trace).toMatchObject({
      requestId: response.headers.get('x-request-id'),
      principal: 'key-1',
      startedAt: expect.any(Number),
    })
    const [own, first, ...more] = trace?.calls ?? []
    expect(more).toEqual([])
    expect(own).toMatchObject({
      method: 'POST',
      url: CHAT,
      headers: { authorization: '[redacted]', 'x-my-token': '[redacted]', 'headgate-tags': 'team=a' },
      body: { text: sent, bytes: sent.length, isCut: false },
      durationMs: expect.any(Number),
      answer: { status: 200, body: { text, bytes: Buffer.byteLength(text), isCut: false } },
    })
    expect(own).not.toHaveProperty('provider')
    expect(first).toMatchObject({ provider: expect.any(String), method: 'POST', answer: { status: 200 } })
    expect(first?.url).toContain(upstream.url)
    expect(first?.answer?.body.text.length).toBeGreaterThan(10)
    const all = JSON.stringify(trace)
    for (const secret of [KEY, 'another-secret-of-mine', String(upstream.calls[0]?.headers['authorization']).slice(7)])
      expect(all).not.toContain(secret)
  })

  it('is kept of each call of an upstream, and of what was translated and refused', async () => {
    let asked = 0
    const { post, kept, access } = await start({ tracedUntil: SOON }, (call) =>
      asked++ === 0 ? call.answer(503, { error: { message: 'too busy' } }) : answer(call),
    )
    await (await post(MESSAGES, messagesRequest)).text()
    await access.next()
    expect(kept[0]?.calls.map(({ answer }) => answer?.status)).toEqual([200, 503, 200])
    await (await post(CHAT, '{')).text()
    await access.next()
    expect(kept[1]?.calls).toMatchObject([
      { body: { text: '{' }, answer: { status: 400, body: { text: expect.stringContaining('error') } } },
    ])
  })

  it('is the beginning of what is long', async () => {
    const { post, kept, access } = await start()
    const content = 'x'.repeat(300_000)
    await (await post(CHAT, { ...chatRequest, messages: [{ role: 'user', content }] })).text()
    await access.next()
    for (const call of kept[0]?.calls ?? []) {
      expect([call.body.isCut, call.body.bytes > 300_000, call.body.text.length < 140_000]).toEqual([true, true, true])
    }
  })

  it('is kept of nobody else, nor when the time is over', async () => {
    for (const principal of [{}, { tracedUntil: Date.now() - 1 }]) {
      const { post, kept, access } = await start(principal)
      await (await post(CHAT, chatRequest)).text()
      await access.next()
      expect(kept).toEqual([])
    }
  })

  it('is no reason for a request to fail', async () => {
    const upstream = await startUpstream(answer)
    const { post, warnings, access } = await startGateway('node', {
      providers: [chatProvider(upstream.url)],
      authenticate: () => ({ id: 'key-1', tracedUntil: SOON }),
      traces: {
        keep: () => {
          throw new Error('no room')
        },
      },
    })
    expect((await post(CHAT, chatRequest)).status).toBe(200)
    await access.next()
    expect(warnings).toEqual([expect.stringContaining('could not be stored')])
  })
})
