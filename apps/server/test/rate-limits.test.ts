import { writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'
import Anthropic from '@anthropic-ai/sdk'
import type { CountedRequest, RateCounters, RateSlot } from '@headgate/gateway/ports'
import OpenAI from 'openai'
import { describe, expect, it, vi } from 'vitest'
import type { WorkerNews, WorkerOrder } from '../src/cluster/messages.ts'
import { openOwnCounters } from '../src/cluster/own-counters.ts'
import { createRateServer } from '../src/cluster/rate-server.ts'
import { createSharedCounters } from '../src/cluster/shared-counters.ts'
import type { Slot } from '../src/cluster/workers.ts'
import { startInProcess } from './in-process.ts'
import { type Started, start } from './program.ts'
import { temporaryFolder } from './temporary.ts'
import { END, startUpstream } from './upstream.ts'

const LONG = { timeout: 240_000 }

interface Answered {
  readonly status: number
  readonly headers: NodeJS.Dict<string | string[]>
  readonly text: string
}

/** A request over a connection of its own, so that any worker may have it. */
function chat({ url }: Started, key: string, more: object = {}): Promise<Answered> {
  const { promise, resolve, reject } = Promise.withResolvers<Answered>()
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  const asked = request(`${url}/v1/chat/completions`, { method: 'POST', agent: false, headers }, (response) => {
    let text = ''
    response.setEncoding('utf8').on('data', (piece: string) => (text += piece))
    response.on('error', reject)
    response.on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, text }))
  })
  asked.on('error', reject)
  asked.end(
    JSON.stringify({ model: 'model-1', messages: [{ role: 'user', content: 'hello' }], max_tokens: 10, ...more }),
  )
  return promise
}

/** A gateway in front of one upstream: in this process, or a program with workers. */
async function startLimited(config: object, workers: number) {
  const upstream = await startUpstream()
  const mine = {
    adapter: 'openai-compatible',
    baseUrl: upstream.baseUrl,
    apiKey: 'upstream-secret',
    models: ['model-1'],
  }
  const written = (config: object) => JSON.stringify({ providers: { mine }, ...config })
  const folder = temporaryFolder({ 'headgate.config.json': { providers: { mine }, ...config } })
  return {
    upstream,
    gateway: await (workers === 1
      ? startInProcess({ folder })
      : start({ folder, args: ['--workers', String(workers)] })),
    configure: (config: object) => writeFileSync(join(folder, 'headgate.config.json'), written(config)),
  }
}

const statuses = (answers: readonly Answered[]): Record<string, number> => {
  const counts: Record<string, number> = {}
  for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1
  return counts
}

describe('Three workers', () => {
  it('hold 100 requests and 10,000 tokens a minute together: none is over, and all are used', {
    ...LONG,
    tags: ['full'],
  }, async () => {
    const { gateway } = await startLimited(
      { keys: [{ key: 'sk-limited', limits: { requestsPerMinute: 100, tokensPerMinute: 10_000 } }] },
      3,
    )
    const callers = Array.from({ length: 8 }, async () => {
      const answers: Answered[] = []
      for (let nth = 0; nth < 25; nth++) answers.push(await chat(gateway, 'sk-limited'))
      return answers
    })
    const answers = (await Promise.all(callers)).flat()
    expect(statuses(answers)).toEqual({ 200: 100, 429: 100 })
    const served = gateway.log().filter(({ msg, status }) => msg === 'request' && status === 200)
    expect(new Set(served.map(({ worker }) => worker)).size).toBeGreaterThan(1)
    for (const { status, headers } of answers) {
      expect(headers['x-ratelimit-limit-requests']).toBe('100')
      if (status === 429) expect(Number(headers['retry-after'])).toBeGreaterThan(0)
    }
    expect(await gateway.stop()).toBe(0)
  })

  it('hold the tokens of a minute together, whatever was reserved', { ...LONG, tags: ['full'] }, async () => {
    const { gateway } = await startLimited({ keys: [{ key: 'sk-limited', limits: { tokensPerMinute: 1_000 } }] }, 3)
    let served = 0
    // Twice in a row: what a request did not use is free once its worker has reported it.
    for (let round = 0, refused = 0; refused < 2 && round < 50; round++) {
      const answers = await Promise.all(Array.from({ length: 12 }, () => chat(gateway, 'sk-limited')))
      const { 200: good = 0 } = statuses(answers)
      served += good
      refused = good === 0 ? refused + 1 : 0
    }
    // Each is ten tokens, and is taken for about 35 until that is known.
    expect(served * 10).toBeLessThanOrEqual(1_000)
    expect(served * 10).toBeGreaterThanOrEqual(950)
    expect(await gateway.stop()).toBe(0)
  })

  it('hold what is asked of models and projects by all keys together', { ...LONG, tags: ['full'] }, async () => {
    const keys = ['sk-local-one', 'sk-local-two', 'sk-local-three'].map((key) => ({ key, project: 'web' }))
    const limits = { models: { 'model-*': { requestsPerMinute: 30 } }, projects: { web: { requestsPerMinute: 20 } } }
    const { gateway } = await startLimited({ keys: [...keys, 'sk-local-free'], limits }, 3)
    const answers = await Promise.all(Array.from({ length: 42 }, (_, nth) => chat(gateway, keys[nth % 3]?.key ?? '')))
    expect(statuses(answers)).toEqual({ 200: 20, 429: 22 })
    expect(answers.find(({ status }) => status === 429)?.text).toContain(
      'The project web is limited to 20 requests per minute',
    )
    const others = await Promise.all(Array.from({ length: 15 }, () => chat(gateway, 'sk-local-free')))
    expect(statuses(others)).toEqual({ 200: 10, 429: 5 })
    expect(await gateway.stop()).toBe(0)
  })

  it('hold requests at a time, have those back that a dead worker had, and follow limits that change', {
    ...LONG,
    tags: ['full'],
  }, async () => {
    const keys = (concurrent: number) => ({ keys: [{ key: 'sk-limited', limits: { concurrent } }] })
    const { gateway, upstream, configure } = await startLimited(keys(6), 3)
    const stream = () => chat(gateway, 'sk-limited', { stream: true }).catch(() => undefined)
    const streams = Array.from({ length: 12 }, stream)
    await vi.waitUntil(() => upstream.streams.length === 6, { timeout: 60_000 })
    expect((await chat(gateway, 'sk-limited')).status).toBe(429)
    const pid = Number(gateway.log().find(({ msg, worker }) => msg === 'serving' && worker === 1)?.['pid'])
    process.kill(pid, 'SIGKILL')
    await vi.waitUntil(
      () => upstream.streams.some(({ destroyed }) => destroyed) || gateway.output().includes('worker 1 has ended'),
      {
        timeout: 60_000,
      },
    )
    await vi.waitUntil(
      () => gateway.log().filter(({ msg, worker }) => msg === 'serving' && worker === 1).length === 2,
      { timeout: 60_000 },
    )
    const open = upstream.streams.filter(({ destroyed }) => !destroyed).length
    const more = Array.from({ length: 6 }, stream)
    await vi.waitUntil(() => upstream.streams.filter(({ destroyed }) => !destroyed).length === 6, { timeout: 60_000 })
    expect(upstream.streams).toHaveLength(12 - open)
    configure(keys(7))
    gateway.reload()
    await vi.waitUntil(() => gateway.output().includes('reloaded the configuration'), { timeout: 60_000 })
    await vi.waitUntil(async () => (await chat(gateway, 'sk-limited')).status === 200, { timeout: 60_000 })
    for (const one of upstream.streams) one.end(END)
    await Promise.all([...streams, ...more])
    for (let nth = 0; nth < 20; nth++) expect((await chat(gateway, 'sk-limited')).status).toBe(200)
    expect(await gateway.stop()).toBe(0)
  })
})

describe('One process', () => {
  it('counts on when its configuration is read anew', LONG, async () => {
    const keys = (requestsPerMinute: number) => ({ keys: [{ key: 'sk-limited', limits: { requestsPerMinute } }] })
    const { gateway, configure } = await startLimited(keys(2), 1)
    const ask = async () => (await chat(gateway, 'sk-limited')).status
    expect([await ask(), await ask(), await ask()]).toEqual([200, 200, 429])
    configure(keys(3))
    gateway.reload()
    await vi.waitUntil(() => gateway.output().includes('reloaded the configuration'), { timeout: 60_000 })
    expect([await ask(), await ask()]).toEqual([200, 429])
    expect(await gateway.stop()).toBe(0)
  })

  it(
    'is understood by the SDKs: a limit is their RateLimitError, and they come again after as long as it says',
    LONG,
    async () => {
      const keys = ['sk-openai', 'sk-anthropic'].map((key) => ({ key, limits: { concurrent: 1 } }))
      const { gateway, upstream } = await startLimited({ keys }, 1)
      const model = 'model-1'
      const messages = [{ role: 'user' as const, content: 'hello' }]
      const openai = (maxRetries: number) =>
        new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: 'sk-openai', maxRetries }).chat.completions.create({
          model,
          messages,
        })
      const anthropic = (maxRetries: number) =>
        new Anthropic({ baseURL: gateway.url, apiKey: 'sk-anthropic', maxRetries }).messages.create({
          model,
          messages,
          max_tokens: 10,
        })
      for (const [key, ask, RateLimitError] of [
        ['sk-openai', openai, OpenAI.RateLimitError],
        ['sk-anthropic', anthropic, Anthropic.RateLimitError],
      ] as const) {
        const held = chat(gateway, key, { stream: true })
        const nth = upstream.streams.length
        await vi.waitUntil(() => upstream.streams.length === nth + 1, { timeout: 60_000 })
        await expect(ask(0)).rejects.toBeInstanceOf(RateLimitError)
        const refused = () => gateway.log().filter(({ msg, status }) => msg === 'request' && status === 429).length
        const before = refused()
        const begun = performance.now()
        const again = ask(2)
        await vi.waitUntil(() => refused() > before, { timeout: 60_000 })
        upstream.streams[nth]?.end(END)
        await held
        await again
        expect(performance.now() - begun).toBeGreaterThanOrEqual(990)
      }
      expect(await gateway.stop()).toBe(0)
    },
  )
})

/** A worker and its primary process, whose messages the test hands on. */
function startPair(counters?: RateCounters) {
  const slot: Slot = { number: 1, up: true, startedAt: 0, quickDeaths: 0 }
  const news: WorkerNews[] = []
  const orders: WorkerOrder[] = []
  const silences: string[] = []
  const own = createOwn()
  const shared = createSharedCounters({
    tell: (one) => void news.push(one),
    onSilence: () => void silences.push('silent'),
    openOwn: async () => own,
  })
  const desk = createRateServer({ tell: (to, order) => void (to === slot && orders.push(order)) }, counters)
  const up = () => {
    for (const one of news.splice(0)) if (one.kind === 'rates') desk.asked(slot, one.questions, one.leaves)
  }
  const down = () => {
    for (const one of orders.splice(0)) if (one.kind === 'rated') shared.answered(one.replies)
  }
  return { slot, news, orders, silences, own, shared, desk, up, down }
}

/** Counters of a worker that admit everything, and what they were asked. */
function createOwn() {
  const calls: string[] = []
  const slot = (name: string): RateSlot => ({
    states: [],
    leave: (tokens) => void calls.push(`${name} left ${tokens}`),
  })
  return {
    calls,
    take: (_: CountedRequest) => {
      calls.push('take')
      return slot('taken')
    },
    adopt: (_: CountedRequest) => {
      calls.push('adopt')
      return slot('adopted')
    },
    close: async () => void calls.push('close'),
  }
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))
const key = (limit: object) => ({ limits: [{ scope: 'key' as const, id: 'k', limit }] })

describe('A worker that asks for a place', () => {
  it('asks with all that is asked in its turn, in one message', async () => {
    const { news, orders, shared, up, down } = startPair()
    const asked = Array.from({ length: 5 }, () => shared.take(key({ requestsPerMinute: 3 })))
    await turn()
    expect(news).toMatchObject([{ kind: 'rates', questions: [1, 2, 3, 4, 5].map((id) => ({ id })), leaves: [] }])
    up()
    expect(orders).toHaveLength(1)
    down()
    const answers = await Promise.all(asked)
    expect(answers.map((answer) => 'leave' in answer)).toEqual([true, true, true, false, false])
    for (const answer of answers) if ('leave' in answer) answer.leave(7)
    for (const answer of answers) if ('leave' in answer) answer.leave(7)
    await turn()
    expect(news).toMatchObject([{ questions: [], leaves: [1, 2, 3].map((id) => ({ id, tokens: 7 })) }])
  })

  it('counts itself after two seconds without an answer, says so once, and gives back what comes later', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const { news, silences, own, shared, up, down } = startPair()
    const asked = [shared.take(key({ concurrent: 1 })), shared.take(key({ concurrent: 1 }))]
    await turn()
    vi.advanceTimersByTime(2_000)
    for (const answer of await Promise.all(asked)) expect(answer).toHaveProperty('leave')
    expect(silences).toEqual(['silent'])
    expect(own.calls).toEqual(['take', 'take'])
    up()
    down()
    await turn()
    expect(news).toMatchObject([{ questions: [], leaves: [{ id: 1, tokens: 0 }] }])
    expect(own.calls.slice(2)).toEqual(['close'])
    up()
    const next = shared.take(key({ concurrent: 1 }))
    await turn()
    up()
    down()
    expect(await next).toHaveProperty('leave')
    expect(own.calls).toHaveLength(3)
    vi.useRealTimers()
  })

  it('counts itself without its primary process, also what waits for an answer, and declares what runs', async () => {
    const { news, own, shared, up, down } = startPair()
    const running = shared.take(key({ concurrent: 2 }))
    const ended = shared.take(key({ concurrent: 2 }))
    await turn()
    up()
    down()
    const [first, second] = await Promise.all([running, ended])
    if ('leave' in second) second.leave(3)
    const waiting = shared.take(key({ concurrent: 2 }))
    await turn()
    news.length = 0
    shared.orphaned()
    expect(await waiting).toHaveProperty('leave')
    expect(await shared.take(key({ concurrent: 2 }))).toHaveProperty('leave')
    expect(own.calls.toSorted()).toEqual(['adopt', 'take', 'take'])
    if ('leave' in first) first.leave(7)
    expect(own.calls.slice(3)).toEqual(['adopted left 7'])
    await turn()
    expect(news).toEqual([])
  })

  it('waits a moment for one that has just ended elsewhere', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const { slot, shared, desk, up, down } = startPair()
    const other: Slot = { ...slot, number: 2 }
    desk.asked(other, [{ id: 1, ...key({ concurrent: 1 }) }], [])
    const asked = shared.take(key({ concurrent: 1 }))
    await turn()
    up()
    desk.asked(other, [], [{ id: 1, tokens: 0 }])
    vi.advanceTimersByTime(25)
    down()
    expect(await asked).toHaveProperty('leave')
    const refused = shared.take(key({ concurrent: 1 }))
    await turn()
    up()
    vi.advanceTimersByTime(25)
    down()
    expect(await refused).toMatchObject({ unit: 'concurrent' })
    vi.useRealTimers()
  })

  it('gets answers of counters that take a moment in one message, and nothing for a worker that died', async () => {
    const pending: ((answer: RateSlot) => void)[] = []
    const left: unknown[] = []
    const { slot, orders, desk } = startPair({ take: () => new Promise((resolve) => void pending.push(resolve)) })
    const answer = (): RateSlot => ({ states: [], leave: (tokens) => void left.push(tokens) })
    const asked = [1, 2].map((id) => ({ id, ...key({ requestsPerMinute: 9 }) }))
    desk.asked(slot, asked, [])
    expect(orders).toEqual([])
    for (const resolve of pending.splice(0)) resolve(answer())
    await turn()
    expect(orders.splice(0)).toMatchObject([{ kind: 'rated', replies: [{ id: 1 }, { id: 2 }] }])
    desk.asked(slot, [{ id: 3, ...key({ requestsPerMinute: 9 }) }], [{ id: 1, tokens: 5 }])
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    desk.forget(slot)
    for (const resolve of pending.splice(0)) resolve(answer())
    await turn()
    expect(orders).toEqual([])
    expect(left).toEqual([5, 0])
    // Its upstream calls may run for another moment.
    vi.advanceTimersByTime(1_000)
    expect(left).toEqual([5, 0, undefined])
    vi.useRealTimers()
  })

  it('that dies gives back what was under way, and nothing of what was asked', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const { slot, orders, desk } = startPair()
    const limit = key({ concurrent: 1, requestsPerMinute: 2 })
    for (const id of [1, 2, 3]) {
      desk.asked(slot, [{ id, ...limit }], [])
      if (id < 3) desk.forget(slot)
      vi.advanceTimersByTime(1_000)
    }
    vi.useRealTimers()
    expect(orders.map((order) => order.kind === 'rated' && order.replies[0]?.refusal?.unit)).toEqual([
      undefined,
      undefined,
      'requests',
    ])
  })
})

describe('The own counters of a worker', () => {
  it('have its part of each limit without shared counts, and at least 1', async () => {
    const logger = { info: () => {}, warn: () => {} }
    const counters = await openOwnCounters({ settings: {}, logger, rates: undefined }, 3)
    const admitted = async (limit: object): Promise<number> => {
      const answers = await Promise.all(
        Array.from({ length: 9 }, () =>
          counters.take({ limits: [{ scope: 'key', id: JSON.stringify(limit), limit }] }),
        ),
      )
      return answers.filter((answer) => 'leave' in answer).length
    }
    expect(await admitted({ requestsPerMinute: 7 })).toBe(2)
    expect(await admitted({ concurrent: 2 })).toBe(1)
    expect(await admitted({})).toBe(9)
  })
})
