import { once } from 'node:events'
import { connect, createServer, type Server } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { clientOf, redisOf } from './redis-server.ts'

/** Time without data after which the client replaces its connection, in milliseconds. */
const SILENCE_MS = 500

/** Maximum duration of a call in milliseconds. */
const DEADLINE_MS = 50

/** Milliseconds after which a timer of `ms` milliseconds ran. */
async function timerOf(ms: number): Promise<number> {
  const begun = performance.now()
  await setTimeout(ms)
  return performance.now() - begun
}

/** Proxy of a server, which reports each connection. */
async function openProxy(port: number): Promise<{ readonly server: Server; readonly url: string }> {
  const server = createServer((socket) => {
    const remote = connect(port, '127.0.0.1')
    socket.pipe(remote).pipe(socket)
    socket.on('error', () => {}).on('close', () => remote.destroy())
    remote.on('error', () => {}).on('close', () => socket.destroy())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  return { server, url: `redis://127.0.0.1:${Object(server.address()).port}` }
}

describe('A stopped Redis', () => {
  it('fails calls within their deadline, then immediately, and answers within a second of its return', async (context) => {
    const server = await redisOf(context)
    const proxy = await openProxy(server.port)
    const { redis, reported } = await clientOf(proxy.url, { silenceMs: SILENCE_MS })
    await redis.call('ping')
    const isReplaced = once(proxy.server, 'connection')
    server.pause()
    const failing = async (): Promise<number> => {
      const begun = performance.now()
      await expect(redis.call('ping')).rejects.toMatchObject({ kind: 'unavailable' })
      return performance.now() - begun
    }
    for (let nth = 0; nth < 5; nth++) {
      // A busy machine runs timers late, too.
      const timer = timerOf(DEADLINE_MS)
      const wait = await failing()
      expect(wait).toBeGreaterThanOrEqual(DEADLINE_MS - 1)
      expect(wait - (await timer)).toBeLessThan(DEADLINE_MS / 2)
    }
    expect(redis.isReachable).toBe(false)
    expect(reported.transitions).toEqual(['unreachable: no answer within 50 ms'])
    expect(await failing()).toBeLessThan(5)
    await isReplaced
    server.resume()
    const since = performance.now()
    await vi.waitUntil(() => redis.isReachable, { timeout: 30_000, interval: 5 })
    expect(performance.now() - since).toBeLessThan(1_000)
    expect(await redis.call('ping')).toBe('PONG')
    expect(reported.transitions.slice(1)).toEqual(['reachable'])
    expect(redis.calls).toMatchObject({ failed: 5, skipped: 1 })
  })
})
