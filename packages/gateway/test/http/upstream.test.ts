import { once } from 'node:events'
import type { Socket } from 'node:net'
import { setImmediate as turn } from 'node:timers/promises'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import type { HeadgateError } from '../../../core/src/errors.ts'
import { createInbox, type Inbox } from '../../../core/test/support/inbox.ts'
import { createUpstreams, type UpstreamCall, type UpstreamRequest, type Upstreams } from '../../src/http/upstream.ts'
import { CLOSED_ORIGIN, startUpstream, type Upstream } from '../support/upstream.ts'

type Event = { head: number } | { data: string } | { end: true } | { fail: HeadgateError }

function open(times: { connect?: number; firstByte?: number; silence?: number } = {}): Upstreams {
  const upstreams = createUpstreams({ connect: 5_000, firstByte: 5_000, silence: 5_000, ...times })
  onTestFinished(() => upstreams.destroy())
  return upstreams
}

function send(upstreams: Upstreams, origin: string, changes: Partial<UpstreamRequest> = {}) {
  const events = createInbox<Event>()
  const call: UpstreamCall = upstreams.call(
    { method: 'POST', origin, path: '/v1/x?a=b', headers: { 'x-test': 'yes' }, body: '{"a":1}', ...changes },
    {
      head: (status) => events.push({ head: status }),
      data: (chunk) => events.push({ data: chunk.toString('utf8') }),
      end: () => events.push({ end: true }),
      fail: (error) => events.push({ fail: error }),
    },
  )
  return { call, events }
}

/** Waits for the end, and until the connection may be used again: undici lets one turn of the event loop pass. */
async function ended(events: Inbox<Event>): Promise<void> {
  let event = await events.next()
  while (!('end' in event)) event = await events.next()
  await turn()
  await turn()
}

/** Waits for a connection, and until both sides know it. */
async function connected(upstream: Upstream): Promise<Socket> {
  const socket = await upstream.connected()
  await turn()
  await turn()
  return socket
}

const failureIn = (event: Event): string =>
  'fail' in event ? `${event.fail.kind}: ${event.fail.message}` : JSON.stringify(event)

describe('The connections to upstreams', () => {
  it('send what they are given and tell what comes, in order', async () => {
    const upstream = await startUpstream((call) => call.answer(201, 'hello'))
    const { events } = send(open(), upstream.origin)
    expect([await events.next(), await events.next(), await events.next()]).toEqual([
      { head: 201 },
      { data: 'hello' },
      { end: true },
    ])
    const [call] = upstream.calls
    expect([call?.method, call?.path, call?.headers['x-test'], call?.body.toString('utf8')]).toEqual([
      'POST',
      '/v1/x?a=b',
      'yes',
      '{"a":1}',
    ])
  })

  it('use a connection again once it is free, and as many as there are calls', async () => {
    const upstream = await startUpstream()
    const upstreams = open()
    const first = send(upstreams, upstream.origin)
    const second = send(upstreams, upstream.origin)
    for (const call of [await upstream.next(), await upstream.next()]) call.answer(200, 'ok')
    for (const { events } of [first, second]) await ended(events)
    const third = send(upstreams, upstream.origin)
    ;(await upstream.next()).answer(200, 'ok')
    await ended(third.events)
    expect(upstream.calls.map((call) => call.connection).sort()).toEqual([1, 1, 2])
  })

  it('opens a connection before the first call, which uses it', async () => {
    const upstream = await startUpstream((call) => call.answer(200, 'ok'))
    const upstreams = open()
    upstreams.preconnect(upstream.origin)
    upstreams.preconnect(upstream.origin)
    await connected(upstream)
    await ended(send(upstreams, upstream.origin).events)
    // The pool has it now, so that another one is not needed.
    upstreams.preconnect(upstream.origin)
    await ended(send(upstreams, upstream.origin).events)
    expect(upstream.calls.map(({ connection }) => connection)).toEqual([1, 1])
  })

  it('repeats the call if the connection that was opened before is dead', async () => {
    const upstream = await startUpstream()
    const upstreams = open()
    upstreams.preconnect(upstream.origin)
    await connected(upstream)
    const { events } = send(upstreams, upstream.origin)
    const first = await upstream.next()
    expect(first.connection).toBe(1)
    first.reset()
    const second = await upstream.next()
    expect(second.connection).toBe(2)
    second.answer(200, 'ok')
    expect(await events.next()).toEqual({ head: 200 })
  })

  it('opens another connection if the upstream has closed the first before a call', async () => {
    const upstream = await startUpstream((call) => call.answer(200, 'ok'))
    const upstreams = open()
    upstreams.preconnect(upstream.origin)
    const socket = await connected(upstream)
    socket.destroy()
    await once(socket, 'close')
    await turn()
    await turn()
    const { events } = send(upstreams, upstream.origin)
    expect(await events.next()).toEqual({ head: 200 })
  })

  it('do not replace one where whoever calls does not want that', async () => {
    const upstream = await startUpstream()
    const upstreams = open()
    const first = send(upstreams, upstream.origin)
    ;(await upstream.next()).answer(200, 'ok')
    await ended(first.events)
    const second = send(upstreams, upstream.origin, { mayRepeat: () => false })
    ;(await upstream.next()).reset()
    expect(failureIn(await second.events.next())).toMatch(/^upstream: The provider cannot be reached/)
    expect(upstream.calls).toHaveLength(2)
  })

  it('replace a reused connection that dies before any byte came, at once and once', async () => {
    const upstream = await startUpstream()
    const upstreams = open()
    const first = send(upstreams, upstream.origin)
    ;(await upstream.next()).answer(200, 'ok')
    await ended(first.events)

    const second = send(upstreams, upstream.origin)
    const stale = await upstream.next()
    expect(stale.connection).toBe(1)
    stale.reset()
    const replacement = await upstream.next()
    expect(replacement.connection).toBe(2)
    replacement.reset()
    expect(failureIn(await second.events.next())).toMatch(/^upstream: The provider cannot be reached/)
    expect(upstream.calls).toHaveLength(3)
  })

  it('do not ask again where a new connection dies, nor where an answer had begun', async () => {
    const upstream = await startUpstream()
    const upstreams = open()
    const first = send(upstreams, upstream.origin)
    ;(await upstream.next()).reset()
    expect(failureIn(await first.events.next())).toMatch(/^upstream: The provider cannot be reached/)

    const second = send(upstreams, upstream.origin)
    ;(await upstream.next()).answer(200, 'ok')
    await ended(second.events)
    const third = send(upstreams, upstream.origin)
    const call = await upstream.next()
    call.head(200)
    expect(await third.events.next()).toEqual({ head: 200 })
    call.reset()
    expect(failureIn(await third.events.next())).toMatch(/^upstream: The connection to the provider broke during/)
    expect(upstream.calls).toHaveLength(3)
  })

  it('do not ask again where a new connection dies while another is not yet free', async () => {
    const upstream = await startUpstream()
    const upstreams = open()
    const first = send(upstreams, upstream.origin)
    ;(await upstream.next()).answer(200, 'ok')
    let event = await first.events.next()
    while (!('end' in event)) event = await first.events.next()
    const second = send(upstreams, upstream.origin)
    const call = await upstream.next()
    expect(call.connection).toBe(2)
    call.reset()
    expect(failureIn(await second.events.next())).toMatch(/^upstream: The provider cannot be reached/)
    expect(upstream.calls).toHaveLength(2)
  })

  it('say when nobody listens', async () => {
    const { events } = send(open(), CLOSED_ORIGIN)
    expect(failureIn(await events.next())).toBe('upstream: The provider cannot be reached (ECONNREFUSED).')
  })

  it('say when no answer begins in time, and when it falls silent', async () => {
    const upstream = await startUpstream()
    const upstreams = open({ firstByte: 40, silence: 40 })
    const silent = send(upstreams, upstream.origin)
    const call = await upstream.next()
    const slow = send(upstreams, upstream.origin)
    call.head(200)
    await call.write('a')
    expect([await silent.events.next(), await silent.events.next()]).toEqual([{ head: 200 }, { data: 'a' }])
    expect(failureIn(await silent.events.next())).toBe(
      'timeout: The provider stopped sending data during its response.',
    )
    expect(failureIn(await slow.events.next())).toBe('timeout: The provider did not begin its response in time.')
  })

  it('say when what comes is no HTTP', async () => {
    const upstream = await startUpstream((call) => call.raw('SSH-2.0-OpenSSH_9.2\r\n'))
    const { events } = send(open(), upstream.origin)
    expect(failureIn(await events.next())).toMatch(/^upstream: The provider cannot be reached \(HTTPParserError/)
  })

  it('close the connection of a call that is aborted, and say no more', async () => {
    const upstream = await startUpstream()
    const { call, events } = send(open(), upstream.origin)
    const asked = await upstream.next()
    asked.head(200)
    await events.next()
    call.abort()
    await asked.left
    expect(events.all).toEqual([{ head: 200 }])
  })

  it('do not send a call that was aborted before it was connected', async () => {
    const upstream = await startUpstream((call) => call.answer(200, 'ok'))
    const upstreams = open()
    const { call, events } = send(upstreams, upstream.origin)
    call.abort()
    const other = send(upstreams, upstream.origin, { path: '/other' })
    await ended(other.events)
    expect([events.all, upstream.calls.map((one) => one.path)]).toEqual([[], ['/other']])
  })

  it('stop reading while a call is paused', async () => {
    const upstream = await startUpstream()
    const upstreams = open()
    const { call, events } = send(upstreams, upstream.origin)
    const asked = await upstream.next()
    asked.head(200)
    await events.next()
    call.pause()
    const wave = Buffer.alloc(64 * 1024 * 1024, 'x')
    asked.fill(wave)
    const read = () => events.all.reduce((sum, event) => sum + ('data' in event ? event.data.length : 0), 0)
    // Other calls come and go meanwhile.
    for (let other = 0; other < 20; other++) {
      const { events: others } = send(upstreams, upstream.origin)
      ;(await upstream.next()).answer(200, 'ok')
      await ended(others)
    }
    expect(read()).toBeLessThan(1024 * 1024)
    call.resume()
    asked.end()
    await ended(events)
    expect(read()).toBe(wave.length)
  })

  it('go through the proxy that the environment names, but for what it excepts', async () => {
    const proxy = await startUpstream((call) => call.answer(200, 'by proxy'))
    const upstream = await startUpstream((call) => call.answer(200, 'direct'))
    vi.stubEnv('HTTP_PROXY', proxy.origin)
    vi.stubEnv('NO_PROXY', '')
    const { events } = send(open(), upstream.origin)
    expect([await events.next(), await events.next()]).toEqual([{ head: 200 }, { data: 'by proxy' }])
    expect(proxy.calls.map((call) => call.path)).toEqual([`${upstream.origin}/v1/x?a=b`])

    vi.stubEnv('NO_PROXY', '127.0.0.1')
    const { events: excepted } = send(open(), upstream.origin)
    expect([await excepted.next(), await excepted.next()]).toEqual([{ head: 200 }, { data: 'direct' }])
  })

  it('close when nothing runs any more', async () => {
    const upstream = await startUpstream()
    const upstreams = open()
    const { events } = send(upstreams, upstream.origin)
    const call = await upstream.next()
    let closed = false
    const closing = upstreams.close().then(() => {
      closed = true
    })
    call.head(200)
    await events.next()
    expect(closed).toBe(false)
    call.end()
    await closing
    expect(await events.next()).toEqual({ end: true })
    expect(failureIn(await send(upstreams, upstream.origin).events.next())).toMatch(
      /^upstream: The provider cannot be reached/,
    )
  })
})
