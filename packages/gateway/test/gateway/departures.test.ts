import { once } from 'node:events'
import { connect } from 'node:net'
import { describe, expect, it } from 'vitest'
import type { Part } from '../../../core/src/codec.ts'
import { CHAT, chatChunk, chatFrames, chatRequest, messagesFrames } from '../../../core/test/support/wire.ts'
import type { GatewayOptions, ProviderInstance } from '../../src/index.ts'
import { chatProvider, KEY, messagesProvider, type RunningGateway, SINKS, startGateway } from '../support/gateway.ts'
import { startUpstream, type Upstream } from '../support/upstream.ts'

const streamed = { ...chatRequest, stream: true }
const price = { id: 'list@2026-01-01', input: 3_000_000_000, output: 15_000_000_000 }

describe.each(SINKS)('A caller who leaves through %s', (sink) => {
  async function start(
    options: Partial<GatewayOptions> = {},
    provider: (url: string) => ProviderInstance = (url) => chatProvider(url),
  ): Promise<RunningGateway & { upstream: Upstream }> {
    const upstream = await startUpstream()
    return { ...(await startGateway(sink, { providers: [provider(upstream.url)], ...options })), upstream }
  }

  it.each(['whole', 'streamed'])('before the answer has begun ends the call of the upstream: %s', async (how) => {
    const { post, upstream, access, rows } = await start()
    const leave = new AbortController()
    const answering = post(CHAT, how === 'whole' ? chatRequest : streamed, { signal: leave.signal })
    const call = await upstream.next()
    leave.abort()
    await expect(answering).rejects.toThrow('aborted')
    await call.left
    expect(await access.next()).toMatchObject({
      status: 499,
      error: { kind: 'canceled' },
      usage: { why: 'canceled', billed: false },
    })
    expect(rows).toMatchObject([
      {
        status: 499,
        why: 'canceled',
        failure: 'canceled',
        billed: false,
        cost: null,
        attempts: [{ failure: 'canceled' }],
      },
    ])
  })

  it('while a whole answer arrives ends the call of the upstream', async () => {
    const { post, upstream, access } = await start()
    const leave = new AbortController()
    const answering = post(CHAT, chatRequest, { signal: leave.signal })
    const call = await upstream.next()
    call.head(200, { 'content-type': 'application/json' })
    await call.write('{"id":')
    leave.abort()
    await expect(answering).rejects.toThrow('aborted')
    await call.left
    expect(await access.next()).toMatchObject({ status: 499 })
  })

  it('case 301: in the middle of a stream ends the call of the upstream, and pays for what is known to be used', async () => {
    const { post, upstream, access, rows } = await start({}, (url) =>
      messagesProvider(url, { known: [{ id: 'small', price }] }),
    )
    const leave = new AbortController()
    const answering = post('/v1/messages', { ...streamed, max_tokens: 9 }, { signal: leave.signal })
    const call = await upstream.next()
    call.head(200, { 'content-type': 'text/event-stream' })
    await call.write(messagesFrames(['one']).slice(0, 4).join(''))
    const reader = (await answering).body?.getReader()
    await reader?.read()
    leave.abort()
    await call.left
    expect(await access.next()).toMatchObject({ status: 499, usage: { why: 'canceled' } })
    expect(rows).toMatchObject([
      {
        status: 499,
        why: 'canceled',
        billed: true,
        usage: { input: 11, output: 1 },
        cost: 48_000,
        firstByteMs: expect.any(Number),
      },
    ])
  })

  it('by dropping the answer ends the call of the upstream', async () => {
    const { post, upstream, access } = await start()
    const answering = post(CHAT, streamed)
    const call = await upstream.next()
    call.head(200, { 'content-type': 'text/event-stream' })
    await call.write(chatFrames().slice(0, 2).join(''))
    await (await answering).body?.cancel()
    await call.left
    expect(await access.next()).toMatchObject({ status: 499, usage: { why: 'canceled', billed: false } })
  })

  it('between two attempts ends the waiting', async () => {
    const failed = Promise.withResolvers<void>()
    const readError = () => {
      failed.resolve()
      return undefined
    }
    const { post, upstream, access } = await start({ times: { backoff: 60_000 } }, (url) =>
      chatProvider(url, { readError }),
    )
    const leave = new AbortController()
    const answering = post(CHAT, chatRequest, { signal: leave.signal })
    ;(await upstream.next()).answer(500, 'no')
    await failed.promise
    await turns(1)
    leave.abort()
    await expect(answering).rejects.toThrow('aborted')
    expect(await access.next()).toMatchObject({ status: 499, usage: { why: 'canceled', attempts: [{ status: 500 }] } })
    expect(upstream.calls).toHaveLength(1)
  })

  it('before its key is checked costs nothing', async () => {
    const checking = Promise.withResolvers<undefined>()
    const asked = Promise.withResolvers<void>()
    const authenticate = async () => {
      asked.resolve()
      await checking.promise
      return { id: 'key-1' }
    }
    const { post, upstream, access, rows, gateway, left } = await start({ authenticate })
    const leave = new AbortController()
    const answering = post(CHAT, chatRequest, { signal: leave.signal })
    await asked.promise
    leave.abort()
    await expect(answering).rejects.toThrow('aborted')
    await left()
    checking.resolve(undefined)
    expect(await access.next()).toMatchObject({ status: 499 })
    expect([upstream.calls, rows, gateway.inFlight()]).toEqual([[], [], 0])
  })

  it('while its model is looked up costs nothing', async () => {
    const lists = await startUpstream()
    const listed = chatProvider(lists.url, {
      known: [],
      models: { request: () => ({ method: 'GET', url: '/models', headers: {} }), response: () => [{ id: 'small' }] },
    })
    const { post, access, rows, left } = await startGateway(sink, { providers: [listed] })
    const leave = new AbortController()
    const answering = post(CHAT, chatRequest, { signal: leave.signal })
    const list = await lists.next()
    leave.abort()
    await expect(answering).rejects.toThrow('aborted')
    await left()
    list.answer(200, {})
    expect(await access.next()).toMatchObject({ status: 499 })
    expect([rows, lists.calls.map((call) => call.path)]).toEqual([[], ['/v1/models']])
  })

  it('ends what runs in this process', async () => {
    const stopped = Promise.withResolvers<string>()
    async function* run(_: unknown, signal: AbortSignal): AsyncGenerator<Part> {
      yield { type: 'start' }
      yield { type: 'block-start', index: 0, block: { type: 'text', text: 'Hi' } }
      await once(signal, 'abort')
      stopped.resolve('stopped')
    }
    const local: ProviderInstance = {
      name: 'local',
      claims: [],
      credential: { kind: 'none' },
      chat: [{ run }],
      known: [{ id: 'small' }],
    }
    const { post, access } = await startGateway(sink, { providers: [local] })
    for (const body of [streamed, chatRequest]) {
      const leave = new AbortController()
      const answering = post(CHAT, body, { signal: leave.signal })
      if (body === streamed) await (await answering).body?.getReader().read()
      else answering.catch(() => {})
      if (body === chatRequest) await new Promise((resolve) => setImmediate(resolve))
      leave.abort()
      expect(await access.next()).toMatchObject({ status: 499 })
    }
    expect(await stopped.promise).toBe('stopped')
  })
})

describe.each(SINKS)('A caller who does not read through %s', (sink) => {
  const frame = chatChunk({ content: 'x'.repeat(64 * 1024) })

  it.each(['bytes that pass', 'a stream that is translated'])(
    'case 302: stops the upstream, until it reads again: %s',
    async (kind) => {
      const upstream = await startUpstream()
      const isNative = kind === 'bytes that pass'
      const { post, gateway, access } = await startGateway(sink, {
        providers: [isNative ? chatProvider(upstream.url) : messagesProvider(upstream.url)],
      })
      const answering = post(CHAT, streamed)
      const call = await upstream.next()
      const delta = `event: content_block_delta\ndata: ${JSON.stringify({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'x'.repeat(64 * 1024) } })}\n\n`
      const [first, ...last] = isNative
        ? [chatFrames([]).slice(0, 1).join(''), ...chatFrames([]).slice(1)]
        : [messagesFrames([]).slice(0, 3).join(''), ...messagesFrames([]).slice(3)]
      call.head(200, { 'content-type': 'text/event-stream' })
      await call.write(first ?? '')
      const response = await answering
      const wave = Buffer.from((isNative ? frame : delta).repeat(64))
      // 256 MB, unless somebody stops it.
      let sent = 0
      let stuck: Promise<void> | undefined
      for (; sent < 64; sent++) {
        const written = call.write(wave)
        const went = await Promise.race([written.then(() => true), turns(300).then(() => false)])
        if (!went) {
          stuck = written
          break
        }
      }
      expect(sent).toBeLessThan(12)
      expect(stuck).toBeDefined()

      call.end(last.join(''))
      const text = await response.text()
      expect(text.length).toBeGreaterThan((sent + 1) * 64 * 64 * 1024)
      await stuck
      await access.next()
      expect(gateway.inFlight()).toBe(0)
    },
  )

  it('stops what runs in this process', async () => {
    let made = 0
    async function* run(): AsyncGenerator<Part> {
      yield { type: 'start' }
      yield { type: 'block-start', index: 0, block: { type: 'text', text: '' } }
      for (; made < 600; made++) {
        yield { type: 'block-delta', index: 0, delta: { text: 'x'.repeat(64 * 1024) } }
        await new Promise((resolve) => setImmediate(resolve))
      }
      yield { type: 'block-end', index: 0 }
      yield { type: 'finish', finish: { reason: 'stop' } }
    }
    const local: ProviderInstance = {
      name: 'local',
      claims: [],
      credential: { kind: 'none' },
      chat: [{ run }],
      known: [{ id: 'small' }],
    }
    const { post } = await startGateway(sink, { providers: [local] })
    const response = await post(CHAT, streamed)
    await turns(1500)
    expect(made).toBeLessThan(300)
    const reader = response.body?.getReader()
    let size = 0
    for (let piece = await reader?.read(); piece && !piece.done; piece = await reader?.read())
      size += piece.value.length
    expect(made).toBe(600)
    expect(size).toBeGreaterThan(600 * 64 * 1024)
  })
})

/** Lets the event loop turn, so that everything that can move does. */
async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn++) await new Promise((resolve) => setImmediate(resolve))
}

describe('A caller whose body does not arrive', () => {
  it('is forgotten when it leaves', async () => {
    const upstream = await startUpstream()
    const { port, access, rows, gateway } = await startGateway('node', { providers: [chatProvider(upstream.url)] })
    const socket = connect(port, '127.0.0.1')
    await once(socket, 'connect')
    socket.write(
      `POST ${CHAT} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${KEY}\r\ncontent-length: 100\r\n\r\n{"model":`,
    )
    while (gateway.inFlight() === 0) await turns(1)
    socket.destroy()
    expect(await access.next()).toMatchObject({ status: 499, error: { kind: 'canceled' } })
    expect([rows, gateway.inFlight()]).toEqual([[], 0])
  })
})
