import { openCommandStore } from '@headgate/store'
import { describe, expect, it, onTestFinished, type TestContext, vi } from 'vitest'
import { type RedisServer, startRedis } from '../../../tools/redis.ts'
import { createRateServer } from '../src/cluster/rate-server.ts'
import type { Slot } from '../src/cluster/workers.ts'
import { startInProcess } from './in-process.ts'
import { command, type Started, start } from './program.ts'
import { temporaryFolder } from './temporary.ts'
import { startUpstream } from './upstream.ts'

const LONG = { timeout: 120_000 }
const HEADGATE_SECRET = 'secret-of-the-gateways-of-this-test-0123456789'

async function redisOf({ skip }: TestContext): Promise<RedisServer> {
  const server = await startRedis()
  if (!server) {
    process.stderr.write('Redis is not installed here: NOTHING is shown of programs that share limits through it.\n')
    return skip('Redis is not installed')
  }
  onTestFinished(() => server.remove())
  return server
}

/** Configuration of programs in front of one upstream. */
async function configurationOf(more: object): Promise<object> {
  const { baseUrl } = await startUpstream()
  const mine = { adapter: 'openai-compatible', baseUrl, apiKey: 'upstream-secret', models: ['model-1'] }
  return { providers: { mine }, ...more }
}

function environmentOf({ url }: RedisServer): Record<string, string> {
  return { HEADGATE_REDIS_URL: url, HEADGATE_SECRET }
}

async function chat({ url }: Started, key = 'sk-limited'): Promise<number> {
  const answer = await fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'model-1', messages: [{ role: 'user', content: 'hello' }], max_tokens: 10 }),
  })
  await answer.text()
  return answer.status
}

async function readinessOf({ url }: Started): Promise<{ readonly status: number; readonly notes: readonly string[] }> {
  const answer = await fetch(`${url}/readyz`)
  const { notes = [] } = (await answer.json()) as { notes?: string[] }
  return { status: answer.status, notes }
}

const limits = (limit: object) => ({ keys: [{ key: 'sk-limited', limits: limit }] })

describe('Two programs with one Redis', () => {
  it('hold a limit of requests together, and use it', LONG, async (context) => {
    const redis = await redisOf(context)
    const config = await configurationOf(limits({ requestsPerMinute: 60 }))
    const programs = await Promise.all(
      [1, 2].map(() =>
        startInProcess({
          folder: temporaryFolder({ 'headgate.config.json': config }),
          environment: environmentOf(redis),
        }),
      ),
    )
    const callers = programs.flatMap((program) =>
      Array.from({ length: 4 }, async () => {
        const statuses: number[] = []
        for (let nth = 0; nth < 20; nth++) statuses.push(await chat(program))
        return statuses
      }),
    )
    const statuses = (await Promise.all(callers)).flat()
    const served = statuses.filter((status) => status === 200).length
    expect(served).toBeLessThanOrEqual(60)
    expect(served).toBeGreaterThanOrEqual(58)
    expect(statuses.filter((status) => status === 429)).toHaveLength(160 - served)
    for (const program of programs) expect(await readinessOf(program)).toEqual({ status: 200, notes: [] })
  })

  it('serve while it is stopped, say so, and count together again afterwards', LONG, async (context) => {
    const redis = await redisOf(context)
    const config = await configurationOf(limits({ requestsPerMinute: 1_000 }))
    const program = await startInProcess({
      folder: temporaryFolder({ 'headgate.config.json': config }),
      environment: environmentOf(redis),
    })
    expect(await chat(program)).toBe(200)
    redis.pause()
    for (let nth = 0; nth < 30; nth++) expect(await chat(program)).toBe(200)
    await vi.waitUntil(async () => (await readinessOf(program)).notes.length > 0, { timeout: 30_000 })
    const { status, notes } = await readinessOf(program)
    expect(status).toBe(200)
    expect(notes.join()).toMatch(/Redis/)
    redis.resume()
    await vi.waitUntil(async () => (await readinessOf(program)).notes.length === 0, { timeout: 30_000 })
    expect(await chat(program)).toBe(200)
    const lines = program.log().filter(({ msg }) => String(msg).includes('rate limit'))
    expect(lines).toHaveLength(2)
  })

  it('start without it', LONG, async (context) => {
    const redis = await redisOf(context)
    await redis.kill()
    const config = await configurationOf(limits({ requestsPerMinute: 3 }))
    const program = await startInProcess({
      folder: temporaryFolder({ 'headgate.config.json': config }),
      environment: environmentOf(redis),
    })
    expect([await chat(program), await chat(program), await chat(program), await chat(program)]).toEqual([
      200, 200, 200, 429,
    ])
    expect((await readinessOf(program)).notes).toHaveLength(1)
    await redis.start()
    await vi.waitUntil(async () => (await readinessOf(program)).notes.length === 0, { timeout: 30_000 })
  })

  it('refuse a revoked key by a message, long before they read the store again', LONG, async (context) => {
    const redis = await redisOf(context)
    const config = await configurationOf({})
    const folder = temporaryFolder({ 'headgate.config.json': config })
    // One after the other: both open the store in the thread of the test.
    const one = await startInProcess({ folder, environment: environmentOf(redis) })
    const other = await startInProcess({ folder, environment: environmentOf(redis) })
    const archive = await openCommandStore({ dataDir: `${folder}/.headgate`, onProblem: () => {} })
    onTestFinished(() => archive.close())
    const admin = await archive.keys.create({ scopes: ['admin'] })
    const rounds = 6
    let waited = 0
    for (let round = 0; round < rounds; round++) {
      const { key, stored } = await archive.keys.create({ name: `caller ${round}` })
      expect(await chat(other, key)).toBe(200)
      const answer = await fetch(`${one.url}/api/v1/keys/${stored.id}/revoke`, {
        method: 'POST',
        headers: { authorization: `Bearer ${admin.key}`, 'content-type': 'application/json' },
      })
      expect(answer.status, await answer.text()).toBe(200)
      const since = performance.now()
      await vi.waitUntil(async () => (await chat(other, key)) === 401, { timeout: 30_000, interval: 5 })
      waited += performance.now() - since
    }
    // The store is read each 500 ms, so that the mean would be 250 ms.
    expect(waited / rounds).toBeLessThan(150)
  })

  it('with workers count for all of their processes, and have one set of metrics', {
    ...LONG,
    tags: ['full'],
  }, async (context) => {
    const redis = await redisOf(context)
    const config = await configurationOf({
      keys: [
        { key: 'sk-limited', limits: { requestsPerMinute: 40 } },
        { key: 'sk-metrics', scopes: ['metrics'] },
      ],
    })
    const programs = await Promise.all(
      [1, 2].map(() =>
        start({
          folder: temporaryFolder({ 'headgate.config.json': config }),
          environment: environmentOf(redis),
          args: ['--workers', '2'],
        }),
      ),
    )
    const callers = programs.flatMap((program) =>
      Array.from({ length: 4 }, async () => {
        const statuses: number[] = []
        for (let nth = 0; nth < 15; nth++) statuses.push(await chat(program))
        return statuses
      }),
    )
    const statuses = (await Promise.all(callers)).flat()
    const served = statuses.filter((status) => status === 200).length
    expect(served).toBeLessThanOrEqual(40)
    expect(served).toBeGreaterThanOrEqual(38)
    for (const program of programs) {
      const metrics = await fetch(`${program.url}/metrics`, { headers: { authorization: 'Bearer sk-metrics' } })
      const text = await metrics.text()
      expect(text).toMatch(/^headgate_rates_shared 1$/m)
      expect(Number(/^headgate_redis_calls_total\{result="answered"\} (\d+)$/m.exec(text)?.[1])).toBeGreaterThan(0)
    }
    redis.pause()
    for (const program of programs)
      await vi.waitUntil(async () => (await readinessOf(program)).notes.length > 0, { timeout: 30_000 })
    redis.resume()
    for (const program of programs) {
      await vi.waitUntil(async () => (await readinessOf(program)).notes.length === 0, { timeout: 30_000 })
      expect(await program.stop(), program.output()).toBe(0)
    }
  })
})

describe('The address of Redis', () => {
  it('is checked at the start, without showing its password', async () => {
    const folder = temporaryFolder({ 'headgate.config.json': { providers: { demo: {} } } })
    const environment = { HEADGATE_REDIS_URL: 'http://:hunter2@127.0.0.1' }
    const { code, stderr } = await command(['config', 'check'], { folder, environment })
    expect(code).toBe(1)
    expect(stderr).toContain('HEADGATE_REDIS_URL: ')
    expect(stderr).not.toContain('hunter2')
  })

  it('is checked by the doctor', LONG, async (context) => {
    const redis = await redisOf(context)
    const folder = temporaryFolder({ 'headgate.config.json': { providers: { demo: {} } } })
    const doctor = () => command(['doctor'], { folder, environment: environmentOf(redis) })
    expect((await doctor()).stdout).toMatch(/^ok +redis +Redis \d.* responds$/m)
    await redis.kill()
    const { code, stdout } = await doctor()
    expect(code).toBe(1)
    expect(stdout).toMatch(/^wrong +redis +Redis is unreachable: .*ECONNREFUSED/m)
  })
})

describe('The rate server', () => {
  it('answers when its counters do, in one message for a turn, and frees places of a dead worker', async () => {
    const slot: Slot = { number: 1, up: true, startedAt: 0, quickDeaths: 0 }
    const orders: unknown[] = []
    const taking: ((places: number) => void)[] = []
    const left: unknown[] = []
    const server = createRateServer(
      { tell: (_, order) => void orders.push(order) },
      {
        take: () =>
          new Promise((resolve) => {
            taking.push(() => resolve({ states: [], leave: (tokens) => void left.push(tokens) }))
          }),
      },
    )
    const limit = { limits: [{ scope: 'key' as const, id: 'k', limit: { requestsPerMinute: 1 } }] }
    server.asked(
      slot,
      [1, 2, 3].map((id) => ({ id, ...limit })),
      [],
    )
    expect(orders).toEqual([])
    for (const answer of taking.splice(0, 2)) answer(1)
    await vi.waitUntil(() => orders.length > 0)
    expect(orders).toEqual([{ kind: 'rated', replies: [1, 2].map((id) => ({ id, states: [] })) }])
    server.asked(slot, [], [{ id: 1, tokens: 7 }])
    expect(left).toEqual([7])
    server.forget(slot)
    for (const answer of taking.splice(0)) answer(1)
    await vi.waitUntil(() => left.length === 3, { timeout: 20_000 })
    expect(left).toEqual([7, 0, undefined])
    expect(orders).toHaveLength(1)
  })
})
