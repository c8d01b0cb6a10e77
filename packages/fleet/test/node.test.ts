import type { AppliedLimit, RateExchange, RateLimit, RateRefusal, RateSlot, SharedRates } from '@headgate/gateway/ports'
import { describe, expect, it } from 'vitest'
import type { Allocations } from '../src/allocations.ts'
import { createMemorySharedRates } from '../src/counts.ts'
import { measureAllocations } from '../src/measurement.ts'
import { createAllocations } from '../src/node-allocations.ts'
import { limitsOf } from './support/fleet.ts'
import { createVirtualClock, type VirtualClock } from './support/virtual-clock.ts'

interface StartedNode {
  readonly clock: VirtualClock
  readonly counters: Allocations
  readonly exchanges: readonly RateExchange[]
  readonly shared: SharedRates
}

/** A node whose store answers after 2 ms. */
function start({ most, others = 0 }: { readonly most?: number; readonly others?: number } = {}): StartedNode {
  const clock = createVirtualClock()
  const store = createMemorySharedRates({ now: () => 1_700_000_000_000 + clock.now() })
  const exchanges: RateExchange[] = []
  for (let other = 0; other < others; other++)
    store.exchangeNow({ node: `other-${other}`, allocationMs: 1_000, windows: [], places: [] })
  const shared: SharedRates = {
    exchange: (exchange) => {
      exchanges.push(exchange)
      return new Promise((resolve) => {
        clock.set(() => {
          const reply = store.exchangeNow(exchange)
          clock.set(() => resolve(reply), 1)
        }, 1)
      })
    },
  }
  const counters = createAllocations({ shared, node: 'this', clock: clock.now, timers: clock, most })
  return { clock, counters, exchanges, shared: store }
}

/** Answer of the node after the exchanges that it waits for. */
async function take(
  { clock, counters }: StartedNode,
  limits: readonly AppliedLimit[],
  tokens?: number,
): Promise<RateSlot | RateRefusal> {
  const answer = Promise.resolve(
    counters.take({ limits, tokens: tokens === undefined ? undefined : { input: tokens, output: 0 } }),
  )
  await clock.runUntil(clock.now() + 40)
  return answer
}

async function admit(node: StartedNode, limit: RateLimit, tokens?: number): Promise<RateSlot> {
  const answer = await take(node, limitsOf(limit), tokens)
  if (!('leave' in answer)) return expect.fail(`refused: ${JSON.stringify(answer)}`)
  return answer
}

async function refuse(node: StartedNode, limit: RateLimit, tokens?: number): Promise<RateRefusal> {
  const answer = await take(node, limitsOf(limit), tokens)
  if ('leave' in answer) return expect.fail('admitted')
  return answer
}

describe('A request that other counters admitted', () => {
  it('has its place declared, also above the limit, until it ends', async () => {
    const node = start({ others: 1 })
    const limits = limitsOf({ requestsPerMinute: 10, concurrent: 2 })
    const adopted = [1, 2, 3].map(() => node.counters.adopt({ limits }))
    await node.clock.runUntil(500)
    expect(node.exchanges.at(-1)).toMatchObject({ windows: [], places: [{ key: 'key\nalice\nconcurrent', held: 3 }] })
    expect(await take(node, limits)).toMatchObject({ unit: 'concurrent' })
    for (const slot of adopted.slice(1)) slot.leave(5)
    await node.clock.runUntil(node.clock.now() + 1_000)
    expect('leave' in (await take(node, limits))).toBe(true)
  })
})

describe('A request', () => {
  it('is admitted without a promise from an allocation', async () => {
    const node = start()
    const limit = { requestsPerMinute: 1_000, tokensPerMinute: 100_000, concurrent: 50 }
    const ask = { limits: limitsOf(limit), tokens: { input: 10, output: 10 } }
    const answers = Array.from({ length: 20 }, () => node.counters.take(ask))
    await node.clock.runUntil(30)
    for (const slot of await Promise.all(answers)) if ('leave' in slot) slot.leave(20)
    const before = node.exchanges.length
    const next = node.counters.take(ask)
    expect(next).toMatchObject({
      states: [
        { unit: 'requests', limit: 1_000, remaining: 979 },
        { unit: 'tokens', limit: 100_000, remaining: 99_580 },
        { unit: 'concurrent', limit: 50, remaining: 49 },
      ],
    })
    expect(node.exchanges).toHaveLength(before)
  })

  it('shares its exchange with all requests of its turn and all of their limits', async () => {
    const node = start()
    const answers = ['a', 'b', 'c'].flatMap((id) =>
      Array.from({ length: 5 }, () =>
        node.counters.take({ limits: limitsOf({ requestsPerMinute: 100, concurrent: 9 }, id) }),
      ),
    )
    await node.clock.runUntil(10)
    for (const answer of await Promise.all(answers)) expect('leave' in answer).toBe(true)
    expect(node.exchanges).toHaveLength(1)
    expect(node.exchanges[0]?.windows).toHaveLength(3)
    expect(node.exchanges[0]?.places).toHaveLength(3)
  })

  it('counts in all of its limits, or in none', async () => {
    const node = start()
    const wide = limitsOf({ requestsPerMinute: 10 }, 'wide')
    const narrow = limitsOf({ requestsPerMinute: 1 }, 'narrow')
    expect('leave' in (await take(node, [...wide, ...narrow]))).toBe(true)
    for (let nth = 0; nth < 5; nth++)
      expect(await take(node, [...wide, ...narrow])).toMatchObject({ id: 'narrow', unit: 'requests', asked: 1 })
    for (let nth = 0; nth < 9; nth++) expect('leave' in (await take(node, wide))).toBe(true)
    expect(await take(node, wide)).toMatchObject({ id: 'wide', remaining: 0 })
  })

  it('is refused with the time after which it fits', async () => {
    const node = start()
    const limit = { requestsPerMinute: 3 }
    for (let nth = 0; nth < 3; nth++) await admit(node, limit)
    const refusal = await refuse(node, limit)
    expect(refusal).toMatchObject({ scope: 'key', id: 'alice', unit: 'requests', limit: 3, asked: 1, remaining: 0 })
    expect(refusal.states).toMatchObject([{ unit: 'requests', limit: 3, remaining: 0 }])
    const { retryAfterMs = 0 } = refusal
    expect(retryAfterMs).toBeGreaterThan(59_000)
    expect(retryAfterMs).toBeLessThanOrEqual(61_500)
    await node.clock.runUntil(node.clock.now() + retryAfterMs)
    await admit(node, limit)
  })

  it('is refused without an exchange while nothing is free', async () => {
    const node = start()
    const limit = { requestsPerMinute: 2 }
    for (let nth = 0; nth < 2; nth++) await admit(node, limit)
    await refuse(node, limit)
    const before = node.exchanges.flatMap(({ windows }) => windows).length
    for (let nth = 0; nth < 1_000; nth++) expect(node.counters.take({ limits: limitsOf(limit) })).toHaveProperty('unit')
    await node.clock.runUntil(node.clock.now() + 1_000)
    expect(node.exchanges.flatMap(({ windows }) => windows).length).toBeLessThanOrEqual(before + 2)
  })

  it('that is larger than a limit never fits', async () => {
    const node = start()
    const refusal = await refuse(node, { tokensPerMinute: 100 }, 101)
    expect(refusal).toMatchObject({ unit: 'tokens', asked: 101 })
    expect(refusal.retryAfterMs).toBeUndefined()
  })
})

describe('Tokens', () => {
  it.each([
    ['fewer', 100, 900],
    ['none', 0, 1_000],
    ['as many', 400, 600],
    ['more', 700, 300],
    ['unknown', undefined, 600],
    ['no count', Number.NaN, 600],
  ])('are corrected when a request used %s', async (_, used, left) => {
    for (const waitMs of [0, 3_000]) {
      const node = start()
      const limit = { tokensPerMinute: 1_000 }
      const slot = await admit(node, limit, 400)
      await node.clock.runUntil(node.clock.now() + waitMs)
      slot.leave(used)
      slot.leave(used)
      await node.clock.runUntil(node.clock.now() + 3_000)
      await refuse(node, limit, left + 1)
      if (left < 1_000) await admit(node, limit, left)
    }
  })

  it('that were not spent are free for other nodes after a moment', async () => {
    const node = start({ others: 1 })
    for (let nth = 0; nth < 30; nth++) void node.counters.take({ limits: limitsOf({ requestsPerMinute: 1_000 }) })
    await node.clock.runUntil(20)
    void node.counters.take({ limits: limitsOf({ requestsPerMinute: 1_000 }) })
    await node.clock.runUntil(3_000)
    const window = { key: 'key\nalice\nrequests', limit: 1_000, least: 0, want: 0, changes: [] }
    const reply = await node.shared.exchange({ node: 'other', allocationMs: 1_000, windows: [window], places: [] })
    expect(reply.windows[0]?.used).toBe(31)
  })
})

describe('Units of an allocation', () => {
  it('are not used after they expired, although the process was stopped', async () => {
    const node = start()
    const limit = { requestsPerMinute: 1_000 }
    for (let nth = 0; nth < 30; nth++) void node.counters.take({ limits: limitsOf(limit) })
    await node.clock.runUntil(30)
    await node.clock.runUntil(31)
    expect('leave' in node.counters.take({ limits: limitsOf(limit) })).toBe(true)
    let now = 1_500
    const stopped = createAllocations({
      shared: node.shared,
      node: 'stopped',
      clock: () => now,
      timers: { set: () => undefined, clear: () => {}, soon: (call) => void setImmediate(call) },
    })
    for (let nth = 0; nth < 30; nth++) await stopped.take({ limits: limitsOf(limit) })
    expect(stopped.take({ limits: limitsOf(limit) })).not.toBeInstanceOf(Promise)
    now += 5_000
    expect(stopped.take({ limits: limitsOf(limit) })).toBeInstanceOf(Promise)
  })
})

describe('Places', () => {
  it('are used again by the node that holds them, without an exchange', async () => {
    const node = start()
    const first = await admit(node, { concurrent: 1 })
    first.leave(undefined)
    const before = node.exchanges.length
    const next = node.counters.take({ limits: limitsOf({ concurrent: 1 }) })
    expect('leave' in next).toBe(true)
    expect(node.exchanges).toHaveLength(before)
  })

  it('are waited for, for a moment', async () => {
    const node = start()
    const first = await admit(node, { concurrent: 1 })
    const waiting = Promise.resolve(node.counters.take({ limits: limitsOf({ concurrent: 1 }) }))
    await node.clock.runUntil(node.clock.now() + 10)
    first.leave(undefined)
    expect(await waiting).toHaveProperty('leave')
    expect(await refuse(node, { concurrent: 1 })).toMatchObject({
      unit: 'concurrent',
      limit: 1,
      remaining: 0,
      retryAfterMs: 1_000,
    })
  })

  it('are returned when they are idle', async () => {
    const node = start()
    const slots = await Promise.all([1, 2, 3].map(() => admit(node, { concurrent: 3 })))
    const request = { key: 'key\nalice\nconcurrent', limit: 3, held: 0, demand: 2, want: 2 }
    const ask = () => node.shared.exchange({ node: 'other', allocationMs: 1_000, windows: [], places: [request] })
    await node.clock.runUntil(5_000)
    expect((await ask()).places[0]).toMatchObject({ granted: 0, others: 3, part: 1 })
    for (const slot of slots) slot.leave(undefined)
    await node.clock.runUntil(8_000)
    expect((await ask()).places[0]).toMatchObject({ granted: 2, others: 0, part: 3 })
  })
})

describe('A node', () => {
  it('returns all that it holds when it ends', async () => {
    const node = start()
    const limit = { requestsPerMinute: 1_000, concurrent: 100 }
    const answers = Array.from({ length: 40 }, () => node.counters.take({ limits: limitsOf(limit) }))
    await node.clock.runUntil(20)
    for (const slot of await Promise.all(answers)) if ('leave' in slot) slot.leave(undefined)
    const ended = node.counters.end()
    await node.clock.runUntil(100)
    await ended
    const window = { key: 'key\nalice\nrequests', limit: 1_000, least: 0, want: 0, changes: [] }
    const places = { key: 'key\nalice\nconcurrent', limit: 100, held: 0, demand: 1, want: 1 }
    const reply = await node.shared.exchange({
      node: 'other',
      allocationMs: 1_000,
      windows: [window],
      places: [places],
    })
    expect(reply.windows[0]?.used).toBe(40)
    expect(reply.places[0]?.others).toBe(0)
  })

  it('has a bounded number of limits, and removes idle ones', async () => {
    const node = start({ most: 3 })
    for (const id of ['a', 'b', 'c'])
      expect('leave' in (await take(node, limitsOf({ requestsPerMinute: 2 }, id)))).toBe(true)
    expect(await take(node, limitsOf({ requestsPerMinute: 2 }, 'd'))).toMatchObject({ retryAfterMs: 1_000 })
    expect('leave' in (await take(node, limitsOf({ requestsPerMinute: 2 }, 'a')))).toBe(true)
    await node.clock.runUntil(node.clock.now() + 70_000)
    expect('leave' in (await take(node, limitsOf({ requestsPerMinute: 2 }, 'd')))).toBe(true)
    expect(node.counters.size).toBe(1)
  })

  it('needs few microseconds for an admitted request', async () => {
    const { nsPerRequest, requests } = await measureAllocations({ requests: 20_000 })
    expect(requests).toBeGreaterThanOrEqual(20_000)
    // The bar is 5 µs; a busy machine gets more time.
    expect(nsPerRequest).toBeLessThan(50_000)
  })
})
