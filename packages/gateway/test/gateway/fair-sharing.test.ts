import { describe, expect, it, vi } from 'vitest'
import { CHAT, chatAnswer, chatRequest } from '../../../core/test/support/wire.ts'
import type { GatewayOptions, Principal, ProviderEntry } from '../../src/index.ts'
import { DIME, dime, SMALL, spending, startBounded } from '../support/budgets.ts'
import { chatProvider, type RunningGateway, SINKS, startGateway } from '../support/gateway.ts'
import { startUpstream, type Upstream, type UpstreamCall } from '../support/upstream.ts'

type Waiting = RunningGateway & { readonly upstream: Upstream }

/** Where requests wait: for an endpoint, or for the gateway. */
const PLACES = ['endpoint', 'gateway'] as const

/** Options with which at most `concurrent` calls are in progress. */
function limited(url: string, place: (typeof PLACES)[number], concurrent: number, queue: number) {
  const provider = chatProvider(url, { known: [SMALL] })
  const endpoint: ProviderEntry = { provider, endpoints: [{ name: 'e', provider, limits: { concurrent } }] }
  // One endpoint can have half of the places.
  return place === 'endpoint'
    ? { providers: [endpoint], limits: { queue: 2 * queue } }
    : { providers: [provider], limits: { concurrent, queue } }
}

const byCredential = (credential: string): Principal => ({ id: credential })

async function start(
  place: (typeof PLACES)[number],
  concurrent: number,
  {
    queue = 500,
    sink = 'node',
    ...options
  }: Partial<GatewayOptions> & { queue?: number; sink?: 'node' | 'fetch' } = {},
): Promise<Waiting> {
  const upstream = await startUpstream()
  const shared = { authenticate: byCredential, ...options }
  return { upstream, ...(await startGateway(sink, { ...limited(upstream.url, place, concurrent, queue), ...shared })) }
}

/** Sends a request of a key. The upstream sees the key as `user`. */
function send({ post }: RunningGateway, key: string, headers: Record<string, string> = {}): Promise<Response> {
  return post(CHAT, { ...chatRequest, user: key }, { headers: { authorization: `Bearer ${key}`, ...headers } })
}

const userOf = (call: UpstreamCall): unknown => call.json()['user']
const answer = (call: UpstreamCall): void => call.answer(200, chatAnswer())
const until = (isTrue: () => boolean): Promise<void> =>
  vi.waitFor(() => expect(isTrue()).toBe(true), { interval: 1, timeout: 10_000 })

describe.each(PLACES)('Requests that wait for the %s', (place) => {
  it('are served in fair order of their keys', async () => {
    const running = await start(place, 1)
    const { upstream, gateway } = running
    const heavy = Array.from({ length: 20 }, () => send(running, 'heavy'))
    answer(await upstream.next())
    await until(() => gateway.waiting('normal') === 18)
    const light = send(running, 'light')
    await until(() => gateway.waiting('normal') === 19)
    const users: unknown[] = []
    while (!users.includes('light')) {
      const call = await upstream.next()
      users.push(userOf(call))
      answer(call)
    }
    expect(users.length).toBeLessThanOrEqual(4)
    expect((await light).status).toBe(200)
    for (let nth = users.length + 1; nth < 21; nth++) answer(await upstream.next())
    expect((await Promise.all(heavy)).every(({ status }) => status === 200)).toBe(true)
  })

  it('wait at most twice as long as alone if another key has 50 times as many', async () => {
    const running = await start(place, 4)
    const { upstream, gateway } = running
    let isOver = false
    let isDone = false
    /** Rounds so far: in each, all calls in progress end. */
    let round = 0
    const times: number[] = []
    const heavy = async (): Promise<void> => {
      while (!isOver) expect((await send(running, 'heavy')).status).toBe(200)
    }
    const light = async (): Promise<void> => {
      for (let nth = 0; nth < 20; nth++) {
        const begun = round
        expect((await send(running, 'light')).status).toBe(200)
        times.push(round - begun)
      }
      isOver = true
    }
    const all = Promise.all([...Array.from({ length: 50 }, heavy), light()]).finally(() => {
      isDone = true
    })
    let taken = 0
    while (!isDone) {
      await until(() => {
        const begun = upstream.calls.length - taken
        return isDone || (isOver ? begun > 0 : begun === 4 && gateway.inFlight() === 51)
      })
      round++
      const held = upstream.calls.slice(taken)
      taken += held.length
      held.forEach(answer)
    }
    await all
    const p95 = times.toSorted((one, other) => one - other)[Math.floor(times.length * 0.95) - 1]
    // Alone, each takes one round.
    expect(p95).toBeLessThanOrEqual(2)
  })

  it('are few: all others get a 429 at once, and every place is used', async () => {
    const running = await start(place, 2, { queue: 4 })
    const { upstream, access, rows } = running
    const all = Array.from({ length: 24 }, () => send(running, 'key-1'))
    for (let nth = 0; nth < 18; nth++)
      expect(await access.next()).toMatchObject({
        status: 429,
        principal: 'key-1',
        error: { kind: 'over-limit' },
        shed: { reason: 'queue-full', serviceClass: 'normal' },
      })
    expect(upstream.calls).toHaveLength(2)
    for (let nth = 0; nth < 6; nth++) answer(await upstream.next())
    const responses = await Promise.all(all)
    expect(responses.filter(({ status }) => status === 200)).toHaveLength(6)
    for (const { status, headers } of responses)
      if (status === 429) expect(Number(headers.get('retry-after'))).toBeGreaterThanOrEqual(1)
    expect(rows).toHaveLength(6)
  })

  it.each(SINKS)('wait for a limited time, cost nothing and hold nothing (%s)', async (sink) => {
    const upstream = await startUpstream()
    const options = { ...limited(upstream.url, place, 1, 10), times: { queue: 20 } }
    const { post, rows, access, cents } = await startBounded(sink, 1, options)
    const first = post(CHAT, dime)
    const call = await upstream.next()
    const late = await post(CHAT, dime)
    expect([late.status, await late.text()]).toEqual([429, expect.stringContaining('maximum number')])
    expect(await access.next()).toMatchObject({ shed: { reason: 'queue-timeout', serviceClass: 'normal' } })
    expect([rows.length, cents()]).toEqual([0, { spent: 0, held: DIME / 10 }])
    spending()(call)
    expect((await first).status).toBe(200)
    expect([rows.length, cents()]).toEqual([1, { spent: DIME / 10, held: 0 }])
  })

  it('are forgotten if their caller leaves', async () => {
    const running = await start(place, 1)
    const { upstream, gateway } = running
    const first = send(running, 'key-1')
    const call = await upstream.next()
    const leaving = new AbortController()
    const left = running.post(CHAT, chatRequest, { signal: leaving.signal }).catch(() => 'left')
    await until(() => gateway.waiting('normal') === 1)
    const last = send(running, 'key-2')
    await until(() => gateway.waiting('normal') === 2)
    leaving.abort()
    await left
    await until(() => gateway.waiting('normal') === 1)
    answer(call)
    const next = await upstream.next()
    expect(userOf(next)).toBe('key-2')
    answer(next)
    expect([(await first).status, (await last).status]).toEqual([200, 200])
    expect(upstream.calls).toHaveLength(2)
    expect([gateway.waiting('normal'), gateway.inFlight()]).toEqual([0, 0])
  })

  it('are served by their class, which a header can only lower', async () => {
    const principals: Record<string, Principal> = {
      normal: { id: 'normal' },
      urgent: { id: 'urgent', class: 'interactive' },
    }
    const running = await start(place, 1, { authenticate: (credential) => principals[credential] })
    const { upstream, gateway } = running
    const all = [send(running, 'normal')]
    let last = await upstream.next()
    const add = async (key: string, header: string, serviceClass: 'interactive' | 'normal' | 'batch') => {
      const before = gateway.waiting(serviceClass)
      all.push(send(running, key, { 'headgate-class': header }))
      await until(() => gateway.waiting(serviceClass) === before + 1)
    }
    await add('urgent', 'batch', 'batch')
    await add('normal', 'interactive', 'normal')
    await add('urgent', 'interactive', 'interactive')
    const users: unknown[] = []
    for (let nth = 0; nth < 3; nth++) {
      answer(last)
      last = await upstream.next()
      users.push(userOf(last))
    }
    answer(last)
    expect(users).toEqual(['urgent', 'normal', 'urgent'])
    expect((await Promise.all(all)).every(({ status }) => status === 200)).toBe(true)
    const unknown = await send(running, 'urgent', { 'headgate-class': 'urgent' })
    expect([unknown.status, await unknown.text()]).toEqual([400, expect.stringContaining('headgate-class')])
  })
})

describe('A request that waits', () => {
  it('takes its weight into account', async () => {
    const principals: Record<string, Principal> = { one: { id: 'one' }, five: { id: 'five', weight: 5 } }
    const running = await start('gateway', 1, { authenticate: (credential) => principals[credential] })
    const { upstream, gateway } = running
    const all = [send(running, 'one')]
    const first = await upstream.next()
    for (let nth = 0; nth < 24; nth++) all.push(send(running, nth % 2 === 0 ? 'one' : 'five'))
    await until(() => gateway.waiting('normal') === 24)
    answer(first)
    const users: unknown[] = []
    for (let nth = 0; nth < 24; nth++) {
      const call = await upstream.next()
      users.push(userOf(call))
      answer(call)
    }
    expect(users.slice(0, 12).filter((user) => user === 'five').length).toBeGreaterThanOrEqual(9)
    await Promise.all(all)
  })

  it('for the gateway is not a dry run, and other paths do not wait', async () => {
    const running = await start('gateway', 1)
    const first = send(running, 'key-1')
    const call = await running.upstream.next()
    expect((await send(running, 'key-1', { 'headgate-dry-run': 'true' })).status).toBe(200)
    expect((await running.call('/v1/models')).status).toBe(200)
    answer(call)
    expect((await first).status).toBe(200)
  })

  it('waits no longer than the time limit of its caller', async () => {
    const running = await start('gateway', 1)
    const first = send(running, 'key-1')
    const call = await running.upstream.next()
    expect((await send(running, 'key-1', { 'headgate-timeout-ms': '20' })).status).toBe(429)
    answer(call)
    await first
  })
})
