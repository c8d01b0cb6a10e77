import { once } from 'node:events'
import { connect } from 'node:net'
import { describe, expect, it } from 'vitest'
import { CHAT, chatAnswer, chatChunk, chatFrames, chatRequest, MESSAGES } from '../../../core/test/support/wire.ts'
import type { GatewayOptions } from '../../src/index.ts'
import { connectTo, post } from '../support/connection.ts'
import { chatProvider, SINKS, startGateway } from '../support/gateway.ts'
import { startUpstream } from '../support/upstream.ts'

const streamed = { ...chatRequest, stream: true }
const json = JSON.stringify(chatRequest)

async function start(options: Partial<GatewayOptions> = {}, sink: 'node' | 'fetch' = 'node') {
  const upstream = await startUpstream()
  return { ...(await startGateway(sink, { providers: [chatProvider(upstream.url)], ...options })), upstream }
}

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

describe.each(SINKS)('A body that comes slowly through %s', (sink) => {
  /** A body that is fed by the test, and what became of it. */
  function fedBody() {
    const canceled = Promise.withResolvers<unknown>()
    let feed: ReadableStreamDefaultController<Uint8Array> | undefined
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        feed = controller
      },
      cancel: canceled.resolve,
    })
    const give = (text: string): void => {
      try {
        feed?.enqueue(new TextEncoder().encode(text))
      } catch {
        // It is canceled by then.
      }
    }
    return { body, give, canceled: canceled.promise }
  }

  it('is refused once nothing more of it comes, and nobody waits for the rest', async () => {
    const { post: send, upstream, access, gateway } = await start({ times: { body: 30 } }, sink)
    const { body, give, canceled } = fedBody()
    give('{"model":')
    const answer = await send(MESSAGES, body)
    expect([answer.status, answer.headers.get('x-should-retry')]).toEqual([408, 'false'])
    expect(await answer.json()).toMatchObject({
      type: 'error',
      error: { type: 'timeout_error', message: 'No part of the body arrived for 30 ms. Send it without pauses.' },
    })
    if (sink === 'fetch') await canceled
    expect(await access.next()).toMatchObject({ status: 408, error: { kind: 'too-slow' } })
    expect([upstream.calls, gateway.inFlight()]).toEqual([[], 0])
  })

  it('is refused when it takes too long as a whole, though it never pauses', async () => {
    const { post: send } = await start({ times: { upload: 50 } }, sink)
    const { body, give } = fedBody()
    const answering = send(CHAT, body)
    let answer: Response | undefined
    void answering.then((response) => {
      answer = response
    })
    while (!answer) {
      give(' ')
      await nextTurn()
    }
    expect([answer.status, await answer.json()]).toMatchObject([
      408,
      {
        error: {
          code: 'request_timeout',
          message: 'The body had not arrived after 50 ms. Send a smaller body, or send it faster.',
        },
      },
    ])
  })
})

describe('A request that is refused before its body has arrived', () => {
  it.each<[string, string, string, number]>([
    ['for its key', CHAT, 'sk-wrong', 401],
    ['for its path', '/v1/nothing', 'sk-wrong', 404],
    ['for its size', CHAT, '', 413],
  ])('%s is answered at once, and its connection ends with it', async (_, path, key, status) => {
    const { port, upstream } = await start({ limits: { body: 1_000 } })
    const caller = await connectTo(port)
    caller.socket.write(post(path, ['transfer-encoding: chunked'], key || undefined))
    caller.socket.write(`7d0\r\n${'x'.repeat(2_000)}\r\n`)
    await caller.has(/"error"/)
    expect(caller.text()).toContain('connection: close')
    caller.socket.write(`0\r\n\r\n${post(CHAT, [`content-length: ${json.length}`])}${json}`)
    const { text, error } = await caller.closed
    expect([text.match(/HTTP\/1\.1 \d+/g), error, upstream.calls.length]).toEqual([
      [`HTTP/1.1 ${status}`],
      undefined,
      0,
    ])
  })

  it('keeps its connection where its body came with it', async () => {
    const { port } = await start()
    const caller = await connectTo(port)
    caller.socket.write(`${post('/v1/nothing', ['content-length: 2'])}{}`)
    await caller.has(/404[\s\S]*"error"/)
    caller.socket.write(`${post(CHAT, ['content-length: 2', 'connection: close'])}{}`)
    expect((await caller.closed).text.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 404', 'HTTP/1.1 400'])
  })

  it('has 2 s and 256 KB left, whatever it goes on to send', async () => {
    const { port } = await start()
    const startedAt = performance.now()
    const [silent, loud] = [await connectTo(port), await connectTo(port)]
    for (const { socket } of [silent, loud]) socket.write(post(CHAT, ['content-length: 1000000000'], 'sk-wrong'))
    const piece = Buffer.alloc(64 * 1024, 'x')
    // Until the system takes no more, since nobody reads on.
    while (loud.socket.write(piece)) await nextTurn()
    await loud.has(/401[\s\S]*"error"/)
    expect(loud.socket.writableNeedDrain).toBe(true)
    expect((await silent.closed).error).toBeUndefined()
    await loud.closed
    expect(performance.now() - startedAt).toBeGreaterThan(1_900)
    expect(loud.text()).toContain('HTTP/1.1 401')
  })
})

describe('A caller who waits to be told to send its body', () => {
  const expecting = (key?: string) =>
    post(CHAT, [`content-length: ${json.length}`, 'expect: 100-continue', 'connection: close'], key)

  it('is told so once its key is accepted', async () => {
    const { port, upstream } = await start()
    const caller = await connectTo(port)
    caller.socket.write(expecting())
    await caller.has(/^HTTP\/1\.1 100 Continue\r\n\r\n$/)
    caller.socket.write(json)
    ;(await upstream.next()).answer(200, chatAnswer())
    expect((await caller.closed).text.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 100', 'HTTP/1.1 200'])
  })

  it('is not told so when it is refused', async () => {
    const { port } = await start({ limits: { body: 10 } })
    for (const [key, status] of [
      ['sk-wrong', 401],
      [undefined, 413],
    ] as const) {
      const caller = await connectTo(port)
      caller.socket.write(expecting(key))
      await caller.has(/"error"/)
      expect(caller.text().match(/HTTP\/1\.1 \d+/g)).toEqual([`HTTP/1.1 ${status}`])
    }
  })
})

describe('A caller who does not read', () => {
  /** Asks, and reads nothing of the answer. */
  async function askWithoutReading(port: number, body: object) {
    const socket = connect({ port, host: '127.0.0.1', onread: { buffer: Buffer.alloc(1), callback: () => false } })
    await once(socket, 'connect')
    const text = JSON.stringify(body)
    socket.write(`${post(CHAT, [`content-length: ${text.length}`])}${text}`)
    return socket
  }

  it('a whole answer is left, and its bytes are let go', async () => {
    const { port, upstream, rows, left } = await start({ times: { write: 50 } })
    const caller = await askWithoutReading(port, chatRequest)
    ;(await upstream.next()).answer(200, chatAnswer('x'.repeat(30_000_000)))
    await left()
    expect(rows).toMatchObject([{ status: 200, usage: { input: 11 } }])
    caller.destroy()
  })

  it('a stream is left: its upstream is stopped, its row settled', async () => {
    const { port, upstream, rows, left, access, gateway } = await start({ times: { write: 50 } })
    const caller = await askWithoutReading(port, streamed)
    const call = await upstream.next()
    call.head(200, { 'content-type': 'text/event-stream' })
    await call.write(chatFrames([])[0] ?? '')
    const wave = Buffer.from(chatChunk({ content: 'x'.repeat(64 * 1024) }).repeat(64))
    let isLeft = false
    const leaving = call.left.then(() => {
      isLeft = true
    })
    // Until the gateway stops reading: the buffers of the system hold several waves.
    while (!isLeft) await Promise.race([call.write(wave), leaving])
    await left()
    expect(await access.next()).toMatchObject({ status: 499, error: { kind: 'canceled' } })
    expect(rows).toMatchObject([{ status: 499, why: 'canceled' }])
    expect(gateway.inFlight()).toBe(0)
    caller.destroy()
  })

  it('a stream of a fetch handler is left as well', async () => {
    const { post: send, upstream, rows, access } = await start({ times: { write: 50 } }, 'fetch')
    const answering = send(CHAT, streamed)
    const call = await upstream.next()
    call.head(200, { 'content-type': 'text/event-stream' })
    await call.write([...chatFrames([]).slice(0, 1), chatChunk({ content: 'x'.repeat(256 * 1024) })].join(''))
    const answer = await answering
    await call.left
    expect(await access.next()).toMatchObject({ status: 499, error: { kind: 'canceled' } })
    expect(rows).toMatchObject([{ status: 499, why: 'canceled' }])
    await expect(answer.text()).rejects.toThrow('The caller did not read the response for 50 ms.')
  })

  it('but goes on after a while gets everything, however long it takes', async () => {
    const write = 100
    const { port, upstream } = await start({ times: { write } })
    const text = JSON.stringify(chatRequest)
    const caller = connect(port, '127.0.0.1')
    await once(caller, 'connect')
    caller.write(`${post(CHAT, [`content-length: ${text.length}`, 'connection: close'])}${text}`)
    ;(await upstream.next()).answer(200, chatAnswer('x'.repeat(30_000_000)))
    const startedAt = performance.now()
    let size = 0
    for await (const piece of caller) {
      size += (piece as Buffer).length
      // About 2 MB each 20 ms.
      const until = startedAt + (size / 2_000_000) * 20
      while (performance.now() < until) await nextTurn()
    }
    expect(size).toBeGreaterThan(30_000_000)
    expect(performance.now() - startedAt).toBeGreaterThan(2 * write)
  })
})

describe('Requests that are sent ahead over one connection', () => {
  it('are answered in their order, those of HEAD and OPTIONS too', async () => {
    const { port, upstream } = await start()
    const caller = await connectTo(port)
    const head = (method: string, path: string) =>
      `${method} ${path} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer sk-wrong\r\n\r\n`
    caller.socket.write(
      `${post(CHAT, [`content-length: ${json.length}`])}${json}${head('HEAD', '/v1/models')}${head('OPTIONS', CHAT)}${head('GET', '/v1/models')}`,
    )
    const call = await upstream.next()
    await nextTurn()
    expect(caller.text()).toBe('')
    call.answer(200, chatAnswer())
    await caller.has(/401[\s\S]*"error"/)
    expect(caller.text().match(/HTTP\/1\.1 \d+/g)).toEqual([
      'HTTP/1.1 200',
      'HTTP/1.1 401',
      'HTTP/1.1 405',
      'HTTP/1.1 401',
    ])
    expect(caller.text().match(/allow: \w+/g)).toEqual(['allow: POST'])
    expect(caller.text().match(/"error"/g)).toHaveLength(2)
  })
})
