import type { RateExchange, SharedRates } from '@headgate/gateway/ports'
import { describe, expect, it, vi } from 'vitest'
import type { RedisClient } from '../src/redis/client.ts'
import { type FleetMessages, redisMessages } from '../src/redis/messages.ts'
import { redisSharedRates } from '../src/redis/rates.ts'
import type { RoutingRecords } from '../src/redis/routing-message.ts'
import { redisScript } from '../src/redis/script.ts'
import { conform } from './conformance.ts'
import { clientOf, redisOf } from './redis-server.ts'

const LONG = { timeout: 120_000 }
const NOTHING: RateExchange = { node: 'a', allocationMs: 1_000, windows: [], places: [] }
/** Calls of these tests may take long on a busy machine. */
const PATIENT = { deadlineMs: 10_000 }

/** Runs scripts by a clock of the test instead of the server's. */
function clocked(redis: RedisClient, now: () => number): Pick<RedisClient, 'run' | 'subscribe'> {
  return {
    subscribe: redis.subscribe,
    run: ({ source }, keys, args) => {
      const moment = now()
      const [seconds, rest] = [Math.floor(moment / 1_000), (moment % 1_000) * 1_000]
      const own = source.replace("redis.call('TIME')", `{ '${seconds}', '${rest}' }`)
      expect(own).not.toBe(source)
      return redis.run(redisScript(own), keys, args)
    },
  }
}

/** Rates of a node with a connection of its own. */
async function nodeRates(url: string): Promise<SharedRates> {
  return redisSharedRates((await clientOf(url, PATIENT)).redis)
}

describe('Rates in Redis', () => {
  it('are those of the model, exchange by exchange', LONG, async (context) => {
    const server = await redisOf(context)
    const { redis } = await clientOf(server.url, PATIENT)
    await conform(redisSharedRates(redis))
  })

  it('are those of the model while slots leave the window', LONG, async (context) => {
    const server = await redisOf(context)
    const { redis } = await clientOf(server.url, PATIENT)
    let now = 1_700_000_000_000
    await conform(redisSharedRates(clocked(redis, () => now)), {
      runs: 60,
      advance: (ms) => {
        now += ms
      },
    })
  })

  it('are those of the model when the clock of the server jumps', LONG, async (context) => {
    const server = await redisOf(context)
    const { redis } = await clientOf(server.url, PATIENT)
    const jumps = [1, 250, -900, 7_000, 0, -30_000, 3_600_000, 10, -5, 100_000, -7_200_000, 60_000, 1_000]
    let now = 1_700_000_000_000
    let turn = 0
    const jumping = (): number => {
      turn += 1
      now += jumps[turn % jumps.length] ?? 0
      return now
    }
    await conform(redisSharedRates(clocked(redis, jumping)), { runs: 60, seed: 7 })
  })

  it('are exact up to 2^53', LONG, async (context) => {
    const server = await redisOf(context)
    const { redis } = await clientOf(server.url, PATIENT)
    const shared = redisSharedRates(redis)
    const most = Number.MAX_SAFE_INTEGER
    const ask = (least: number, want: number) =>
      shared.exchange({ ...NOTHING, windows: [{ key: 'k', limit: most, least, want, changes: [] }] })
    expect(await ask(1, most - 1)).toMatchObject({ windows: [{ granted: most - 1, used: most - 1, freeInMs: 0 }] })
    expect(await ask(1, 5)).toMatchObject({ windows: [{ granted: 1, used: most }] })
    const { windows } = await ask(1, 1)
    expect(windows).toMatchObject([{ granted: 0, used: most }])
    expect(windows[0]?.freeInMs).toBeGreaterThan(60_000)
  })

  it('are exchanged for many limits in several scripts, in their order', LONG, async (context) => {
    const server = await redisOf(context)
    const { redis } = await clientOf(server.url, PATIENT)
    const shared = redisSharedRates(redis)
    const windows = Array.from({ length: 300 }, (_, nth) => ({
      key: `w${nth}`,
      limit: nth + 1,
      least: 1,
      want: nth + 1,
      changes: [],
    }))
    const places = Array.from({ length: 300 }, (_, nth) => ({
      key: `p${nth}`,
      limit: nth + 1,
      held: 0,
      demand: nth + 1,
      want: nth + 1,
    }))
    const reply = await shared.exchange({ ...NOTHING, windows, places })
    expect(reply.windows.map(({ granted }) => granted)).toEqual(windows.map(({ want }) => want))
    expect(reply.places.map(({ granted }) => granted)).toEqual(places.map(({ want }) => want))
    expect(redis.calls.answered).toBe(3)
  })

  it('report free places to the node that lacks them, and to no other', LONG, async (context) => {
    const server = await redisOf(context)
    const [a, b, c] = [await nodeRates(server.url), await nodeRates(server.url), await nodeRates(server.url)]
    const [reported, others]: [string[], string[]] = [[], []]
    b.onFreePlaces?.('b', (key) => reported.push(key))
    c.onFreePlaces?.('c', (key) => others.push(key))
    const ask = (shared: SharedRates, node: string, held: number, demand: number) => {
      const request = { key: 'key\nalice\nconcurrent', limit: 1, held, demand, want: demand - held }
      return shared.exchange({ ...NOTHING, node, places: [request] })
    }
    expect((await ask(a, 'a', 0, 1)).places).toMatchObject([{ granted: 1 }])
    expect((await ask(b, 'b', 0, 1)).places).toMatchObject([{ granted: 0, others: 1 }])
    // Subscriptions begin at different moments.
    const isReported = async (): Promise<boolean> => {
      await ask(a, 'a', 1, 1)
      await ask(a, 'a', 0, 0)
      return reported.length > 0
    }
    await vi.waitUntil(isReported, { timeout: 30_000, interval: 20 })
    expect(reported[0]).toBe('key\nalice\nconcurrent')
    expect(others).toEqual([])
    expect((await ask(b, 'b', 0, 1)).places).toMatchObject([{ granted: 1, others: 0 }])
  })

  it('expire in Redis, and have a name of their own for each server that has lost them', LONG, async (context) => {
    const server = await redisOf(context)
    const { redis, reported } = await clientOf(server.url, PATIENT)
    const shared = redisSharedRates(redis)
    const taking = { ...NOTHING, windows: [{ key: 'k', limit: 10, least: 1, want: 10, changes: [] }] }
    const first = await shared.exchange(taking)
    const ttl = Number(await redis.call('pttl', '{headgate}:window:k'))
    // The amount counts until 60.25 seconds after its allocation has expired.
    expect(ttl).toBeGreaterThan(61_500)
    expect(ttl).toBeLessThanOrEqual(62_500)
    expect((await shared.exchange(taking)).windows).toMatchObject([{ granted: 0, used: 10 }])
    expect((await shared.exchange(taking)).instance).toBe(first.instance)
    await server.kill()
    await server.start()
    const again = await vi.waitUntil(() => shared.exchange(taking).catch(() => undefined), { timeout: 30_000 })
    expect(again.instance).not.toBe(first.instance)
    expect(again.windows).toMatchObject([{ granted: 10, used: 10 }])
    expect(reported.refusals).toEqual([])
  })
})

describe('A client of Redis', () => {
  it('opens without a server, says so once, and is reachable when the server is', LONG, async (context) => {
    const server = await redisOf(context)
    await server.kill()
    const { redis, reported } = await clientOf(server.url, { connectMs: 300 })
    expect(redis.isReachable).toBe(false)
    expect(reported.transitions).toMatchObject([expect.stringContaining('ECONNREFUSED')])
    await expect(redis.call('ping')).rejects.toMatchObject({ kind: 'unavailable' })
    expect(redis.calls).toEqual({ answered: 0, failed: 0, refused: 0, skipped: 1 })
    await server.start()
    await vi.waitUntil(() => redis.isReachable, { timeout: 30_000 })
    expect(await redis.call('ping')).toBe('PONG')
    expect(reported.transitions).toHaveLength(2)
  })

  it('logs in, and never shows its password', LONG, async (context) => {
    const server = await redisOf(context, { args: ['--requirepass', 'hunter2'] })
    const { redis } = await clientOf(server.url.replace('//', '//:hunter2@'), PATIENT)
    expect(await redis.call('ping')).toBe('PONG')
    const wrong = await clientOf(server.url.replace('//', '//:hunter3@'), { connectMs: 500 })
    expect(wrong.redis.isReachable).toBe(false)
    const error: unknown = await wrong.redis.call('ping').catch((reason: unknown) => reason)
    expect(JSON.stringify([wrong.reported, String(error), error])).not.toContain('hunter')
  })

  it('reports once that Redis refuses calls, and remains reachable', LONG, async (context) => {
    const server = await redisOf(context)
    const { redis, reported } = await clientOf(server.url, PATIENT)
    await redis.call('set', 'text', 'no hash')
    for (let nth = 0; nth < 7; nth++) await expect(redis.call('hget', 'text', 'x')).rejects.toThrow('WRONGTYPE')
    expect(reported.refusals).toHaveLength(1)
    expect(redis.isReachable).toBe(true)
    await redis.call('ping')
    await redis.call('hget', 'text', 'x').catch(() => {})
    expect(reported.refusals).toHaveLength(2)
    expect(redis.calls).toEqual({ answered: 2, failed: 0, refused: 8, skipped: 0 })
  })
})

describe('A client of several servers', () => {
  it('finds the master through its Sentinels', LONG, async (context) => {
    const server = await redisOf(context)
    const sentinel = await redisOf(context, { sentinelOf: server.port })
    const url = `redis+sentinel://127.0.0.1:${sentinel.port}/main`
    const { redis } = await clientOf(url, { ...PATIENT, connectMs: 10_000 })
    await redis.call('set', 'through', 'sentinel')
    const direct = await clientOf(server.url, PATIENT)
    expect(await direct.redis.call('get', 'through')).toBe('sentinel')
    const { messages, changes } = nodeOf(redis, 'a')
    await vi.waitUntil(
      async () => {
        await direct.redis.call('publish', '{headgate}:changed', 'b')
        return changes.length > 0
      },
      { timeout: 30_000, interval: 20 },
    )
    messages.end()
  })

  it('uses a cluster: all keys are in one slot', LONG, async (context) => {
    const server = await redisOf(context, { args: ['--cluster-enabled', 'yes', '--cluster-announce-ip', '127.0.0.1'] })
    const direct = await clientOf(server.url, PATIENT)
    await direct.redis.call('cluster', 'addslotsrange', 0, 16_383)
    await vi.waitUntil(async () => String(await direct.redis.call('cluster', 'info')).includes('cluster_state:ok'), {
      timeout: 30_000,
    })
    const url = server.url.replace('redis:', 'redis+cluster:')
    const { redis } = await clientOf(url, { ...PATIENT, connectMs: 10_000 })
    expect(redis.isReachable).toBe(true)
    const taking = {
      ...NOTHING,
      windows: [{ key: 'k', limit: 10, least: 1, want: 10, changes: [] }],
      places: [{ key: 'k', limit: 2, held: 0, demand: 2, want: 3 }],
    }
    expect(await redisSharedRates(redis).exchange(taking)).toMatchObject({
      windows: [{ granted: 10 }],
      places: [{ granted: 2 }],
    })
    const { messages, changes } = nodeOf(redis, 'a')
    await vi.waitUntil(
      async () => {
        await direct.redis.call('publish', '{headgate}:changed', 'b')
        return changes.length > 0
      },
      { timeout: 30_000, interval: 20 },
    )
    messages.share({ promptCaches: [], cooldowns: [{ key: 'p', kind: 'our-quota', leftMs: 60_000 }] })
    await vi.waitUntil(async () => (await messages.storedCooldowns()).length === 1, { timeout: 30_000 })
  })
})

/** A node with what it receives. */
function nodeOf(redis: RedisClient, node: string) {
  const changes: string[] = []
  const routing: RoutingRecords[] = []
  const messages: FleetMessages = redisMessages(redis, {
    node,
    onChange: () => changes.push('changed'),
    onRouting: (records) => routing.push(records),
  })
  return { messages, changes, routing }
}

const CACHE = {
  prefix: { hashes: ['abc'], bytes: 5_000 },
  target: 'demo\n\nmodel',
  use: { input: 2_000 },
  facts: undefined,
}

describe('Messages between nodes', () => {
  it('report changes and knowledge to all other nodes', LONG, async (context) => {
    const server = await redisOf(context)
    const nodes = await Promise.all(
      ['a', 'b', 'c'].map(async (name) => nodeOf((await clientOf(server.url, PATIENT)).redis, name)),
    )
    const [a, b, c] = nodes
    // Subscriptions begin at different moments.
    await vi.waitUntil(
      () => {
        a?.messages.changed()
        return b && c && b.changes.length > 0 && c.changes.length > 0
      },
      { timeout: 30_000, interval: 60 },
    )
    expect(a?.changes).toEqual([])
    const at = performance.timeOrigin + performance.now() - 1_000
    const begun = [
      { key: 'openai', kind: 'our-quota' as const, leftMs: 60_000 },
      { key: 'demo\neu\nmodel', kind: 'rate-limited' as const, leftMs: 7_000 },
    ]
    a?.messages.share({ promptCaches: [{ ...CACHE, at }], cooldowns: begun })
    await vi.waitUntil(() => b?.routing.length === 1 && c?.routing.length === 1, { timeout: 30_000 })
    expect(b?.routing[0]?.cooldowns).toEqual(begun)
    const [cache] = b?.routing[0]?.promptCaches ?? []
    expect(cache).toMatchObject({ ...CACHE, at: expect.any(Number) })
    expect(Math.abs((cache?.at ?? 0) - at)).toBeLessThan(60_000)
    expect(a?.routing).toEqual([])
    const stored = await vi.waitUntil(
      async () => {
        const found = await c?.messages.storedCooldowns()
        return found?.length === 2 ? found : undefined
      },
      { timeout: 30_000 },
    )
    expect(stored.map(({ key, kind }) => ({ key, kind }))).toEqual(
      expect.arrayContaining(begun.map(({ key, kind }) => ({ key, kind }))),
    )
    for (const { leftMs } of stored) expect(leftMs).toBeGreaterThan(0)
  })

  it('of another version or without meaning are ignored', LONG, async (context) => {
    const server = await redisOf(context)
    const { redis } = await clientOf(server.url, PATIENT)
    const { routing } = nodeOf((await clientOf(server.url, PATIENT)).redis, 'a')
    const valid = { v: 1, node: 'b', sentAt: 0, cooldowns: [], caches: [] }
    const wrong = ['no JSON', '[]', 'null', JSON.stringify({ ...valid, v: 2 }), JSON.stringify({ v: 1 })]
    const damaged = { ...valid, cooldowns: [1, { key: 'x' }, null], caches: [{}, { prefix: { hashes: [1] } }] }
    await vi.waitUntil(
      async () => {
        for (const message of [...wrong, JSON.stringify(damaged)])
          await redis.call('publish', '{headgate}:routing', message)
        return routing.length > 0
      },
      { timeout: 30_000, interval: 60 },
    )
    for (const records of routing) expect(records).toEqual({ promptCaches: [], cooldowns: [] })
  })
})
