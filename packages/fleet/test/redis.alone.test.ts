import { describe, expect, it, vi } from 'vitest'
import { clientOf, redisOf } from './redis-server.ts'

describe('A stopped Redis', () => {
  it('fails calls within 60 ms, then at once, and answers within a second of its return', async (context) => {
    const server = await redisOf(context)
    const { redis, reported } = await clientOf(server.url)
    await redis.call('ping')
    server.pause()
    const failing = async (): Promise<number> => {
      const begun = performance.now()
      await expect(redis.call('ping')).rejects.toMatchObject({ kind: 'unavailable' })
      return performance.now() - begun
    }
    const waits: number[] = []
    for (let nth = 0; nth < 5; nth++) waits.push(await failing())
    for (const wait of waits) expect(wait).toBeGreaterThanOrEqual(49)
    expect(Math.max(...waits)).toBeLessThan(60)
    expect(redis.isReachable).toBe(false)
    expect(reported.transitions).toEqual(['unreachable: no answer within 50 ms'])
    expect(await failing()).toBeLessThan(5)
    // Longer than the time after which the connection is replaced.
    await new Promise((resolve) => setTimeout(resolve, 6_000))
    server.resume()
    const since = performance.now()
    await vi.waitUntil(() => redis.isReachable, { timeout: 30_000, interval: 5 })
    expect(performance.now() - since).toBeLessThan(1_000)
    expect(await redis.call('ping')).toBe('PONG')
    expect(reported.transitions.slice(1)).toEqual(['reachable'])
    expect(redis.calls).toMatchObject({ failed: 5, skipped: 1 })
  })
})
