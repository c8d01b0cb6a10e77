import { type AddressInfo, createServer } from 'node:net'
import { gzipSync } from 'node:zlib'
import { describe, expect, it, onTestFinished } from 'vitest'
import { HeadgateError } from '../../../core/src/errors.ts'
import { createInbox } from '../../../core/test/support/inbox.ts'
import { createUpstreams } from '../../src/http/fetch-upstream.ts'
import { connectTo } from '../../src/http/transport-fetch.ts'
import type { UpstreamHandler, UpstreamRequest } from '../../src/http/upstream.ts'
import { startUpstream } from '../support/upstream.ts'

function open(ms = 5_000) {
  const upstreams = createUpstreams({ connect: ms, firstByte: ms, silence: ms })
  onTestFinished(() => upstreams.destroy())
  const send = (origin: string, changes: Partial<UpstreamRequest> = {}, handler: Partial<UpstreamHandler> = {}) => {
    const events = createInbox<string>()
    const waiting = { count: 0 }
    const call = upstreams.call(
      { method: 'POST', origin, path: '/v1/x?a=b', headers: { 'x-test': 'yes' }, body: '{"a":1}', waiting, ...changes },
      {
        head: (status, headers) =>
          events.push(`head ${status} ${headers['content-encoding'] ?? ''}${headers['set-cookie'] ?? ''}`),
        data: (chunk) => events.push(`data ${chunk.toString('utf8')}`),
        end: () => events.push('end'),
        fail: ({ kind, message }) => events.push(`fail ${kind}: ${message}`),
        ...handler,
      },
    )
    return { call, events, waiting }
  }
  return { upstreams, send }
}

/** An origin that nothing listens on any more. fetch of Node refuses low ports by itself. */
async function closedOrigin(): Promise<string> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return `http://127.0.0.1:${port}`
}

it('The fetch transport refuses to connect to what was checked', async () => {
  await expect(connectTo('https://example.com', async () => [])).rejects.toThrow('this runtime cannot pin a connection')
})

describe('Upstreams through fetch', () => {
  it('send the request, and deliver head, data and end in order', async () => {
    const upstream = await startUpstream()
    const { events, waiting } = open().send(upstream.origin)
    const call = await upstream.next()
    expect([
      call.method,
      call.path,
      call.headers['x-test'],
      call.headers['accept-encoding'],
      call.body.toString(),
      waiting.count,
    ]).toEqual([...['POST', '/v1/x?a=b', 'yes', 'identity', '{"a":1}', 1]])
    call.answer(201, 'hello', { 'set-cookie': 'a=b' })
    expect([await events.next(), await events.next(), await events.next(), waiting.count]).toEqual([
      'head 201 a=b',
      'data hello',
      'end',
      0,
    ])
  })

  it.each([
    {
      what: 'compressed',
      answer: [200, { 'content-encoding': 'gzip' }, gzipSync('hello')],
      expected: ['head 200 ', 'data hello', 'end'],
    },
    { what: 'a redirect', answer: [307, { location: '/elsewhere' }, 'no'], expected: ['head 307 ', 'data no', 'end'] },
    { what: 'without a body', answer: [204, {}, ''], expected: ['head 204 ', 'end'] },
  ] as const)('deliver an answer that is $what', async ({ answer: [status, headers, body], expected }) => {
    const upstream = await startUpstream((call) => {
      call.head(status, headers)
      call.end(body)
    })
    const { events } = open().send(upstream.origin)
    for (const event of expected) expect(await events.next()).toBe(event)
    expect(upstream.calls).toHaveLength(1)
  })

  it('fail when the provider is closed, late, silent or cut off', async () => {
    const { send } = open(40)
    const closed = send(await closedOrigin())
    expect(await closed.events.next()).toBe('fail upstream: The provider cannot be reached (ECONNREFUSED).')
    expect([closed.call.sent(), closed.waiting.count]).toEqual([false, 0])

    const upstream = await startUpstream()
    const late = send(upstream.origin)
    const asked = await upstream.next()
    expect(await late.events.next()).toBe('fail timeout: The provider did not begin its response in time.')
    await asked.left
    expect(late.call.sent()).toBe(true)

    for (const [end, message] of [
      [() => {}, 'timeout: The provider stopped sending data during its response.'],
      [
        (one: { reset(): void }) => one.reset(),
        'upstream: The connection to the provider broke during its response (ECONNRESET).',
      ],
    ] as const) {
      const broken = send(upstream.origin, { firstByteMs: 5_000 })
      const call = await upstream.next()
      call.head(200)
      await call.write('a')
      expect([await broken.events.next(), await broken.events.next()]).toEqual(['head 200 ', 'data a'])
      end(call)
      expect(await broken.events.next()).toMatch(
        message.includes('stopped') ? `fail ${message}` : /^fail upstream: .* broke during/,
      )
      await call.left
    }
  })

  it.each(['head', 'data'] as const)('end the call when its handler throws in %s, or aborts', async (event) => {
    const upstream = await startUpstream()
    const { send } = open()
    const thrown = send(
      upstream.origin,
      {},
      {
        [event]: () => {
          throw new HeadgateError('over-limit', 'Too much.')
        },
      },
    )
    const first = await upstream.next()
    first.head(200)
    await first.write('a')
    await first.left
    expect(thrown.events.all.at(-1)).toBe('fail over-limit: Too much.')

    const aborted = send(upstream.origin)
    const second = await upstream.next()
    second.head(200)
    expect(await aborted.events.next()).toBe('head 200 ')
    aborted.call.abort()
    await second.left
    expect(aborted.events.all).toEqual(['head 200 '])
  })

  it('stop reading while a call is paused, and close when nothing runs', async () => {
    const upstream = await startUpstream()
    const { upstreams, send } = open()
    let read = 0
    const { call, events } = send(
      upstream.origin,
      {},
      {
        data({ length }) {
          read += length
        },
      },
    )
    const asked = await upstream.next()
    asked.head(200)
    await events.next()
    call.pause()
    const wave = Buffer.alloc(64 * 1024 * 1024, 'x')
    asked.fill(wave)
    const other = send(upstream.origin)
    ;(await upstream.next()).answer(200, 'ok')
    while ((await other.events.next()) !== 'end');
    expect(read).toBe(0)
    const closing = upstreams.close()
    call.resume()
    asked.end()
    expect(await events.next()).toBe('end')
    await closing
    expect(read).toBe(wave.length)
  })
})
