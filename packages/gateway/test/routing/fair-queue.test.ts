import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { SERVICE_CLASSES, type ServiceClass } from '../../src/ports/service-class.ts'
import {
  CLASS_WEIGHTS,
  createFairQueue,
  type FairQueueOptions,
  type FairRequest,
} from '../../src/routing/fair-queue.ts'

type Named = FairRequest & { readonly nth: number }

/** A queue of requests, and those that gave way. */
function queueOf(options: Partial<FairQueueOptions<Named>> = {}) {
  const evicted: Named[] = []
  const queue = createFairQueue<Named>({
    most: 1_000,
    ms: 10_000,
    clock: () => 0,
    onEvicted: (value) => evicted.push(value),
    ...options,
  })
  let count = 0
  const add = (given: Partial<FairRequest> = {}) => {
    const request = { key: 'a', weight: 1, serviceClass: 'normal' as const, tokens: 100, ...given, nth: count++ }
    return queue.add(request, request)
  }
  const takeAll = (): Named[] => {
    const all: Named[] = []
    for (let next = queue.take(); next; next = queue.take()) all.push(next)
    return all
  }
  return { queue, add, takeAll, evicted }
}

/** Jain's index of fairness: 1 = equal. */
function jain(amounts: readonly number[]): number {
  const sum = amounts.reduce((total, one) => total + one, 0)
  return (sum * sum) / (amounts.length * amounts.reduce((total, one) => total + one * one, 0))
}

/** Tokens by key that a queue serves while each key always has waiting requests. */
function servedWhileBacklogged(
  keys: readonly { readonly key: string; readonly weight: number; readonly sizes: readonly number[] }[],
  rounds: number,
): number[] {
  const { queue, add } = queueOf()
  const places = new Map(keys.map(({ key }) => [key, 0]))
  const refill = ({ key, weight, sizes }: (typeof keys)[number]): void => {
    const place = places.get(key) ?? 0
    places.set(key, place + 1)
    add({ key, weight, tokens: sizes[place % sizes.length] ?? 1 })
  }
  for (const one of keys) for (let nth = 0; nth < 3; nth++) refill(one)
  const served = new Map(keys.map(({ key }) => [key, 0]))
  for (let nth = 0; nth < rounds; nth++) {
    const next = queue.take()
    const own = keys.find(({ key }) => key === next?.key)
    if (!next || !own) throw new Error('The queue is empty.')
    served.set(next.key, (served.get(next.key) ?? 0) + next.tokens)
    refill(own)
  }
  return [...served.values()]
}

const sizes = fc.array(fc.integer({ min: 50, max: 2_000 }), { minLength: 1, maxLength: 5 })

describe('A fair queue', () => {
  it('serves keys with the same weight equally in tokens, however large their requests are', () => {
    fc.assert(
      fc.property(fc.array(sizes, { minLength: 2, maxLength: 8 }), (all) => {
        const keys = all.map((own, nth) => ({ key: `k${nth}`, weight: 1, sizes: own }))
        // The largest requests come many times.
        expect(jain(servedWhileBacklogged(keys, 30_000))).toBeGreaterThanOrEqual(0.95)
      }),
      { numRuns: 15 },
    )
  })

  it('serves keys by their weight', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 20 }), { minLength: 2, maxLength: 5 }), (weights) => {
        const keys = weights.map((weight, nth) => ({ key: `k${nth}`, weight, sizes: [50, 400, 1_500] }))
        const served = servedWhileBacklogged(keys, 20_000)
        expect(jain(served.map((tokens, nth) => tokens / (weights[nth] ?? 1)))).toBeGreaterThanOrEqual(0.98)
      }),
      { numRuns: 20 },
    )
  })

  it('serves the classes by their weights, and never none of the last', () => {
    const { queue, add } = queueOf()
    for (const serviceClass of SERVICE_CLASSES) for (let nth = 0; nth < 300; nth++) add({ serviceClass })
    const counts = new Map<ServiceClass, number>()
    for (let nth = 0; nth < 260; nth++) {
      const { serviceClass } = queue.take() ?? {}
      if (serviceClass) counts.set(serviceClass, (counts.get(serviceClass) ?? 0) + 1)
    }
    for (const serviceClass of SERVICE_CLASSES)
      expect(Math.abs((counts.get(serviceClass) ?? 0) - 20 * CLASS_WEIGHTS[serviceClass])).toBeLessThanOrEqual(2)
  })

  it('serves a lone request after a few of a key with many', () => {
    const { add, takeAll } = queueOf()
    for (let nth = 0; nth < 500; nth++) add({ key: 'heavy' })
    add({ key: 'light' })
    expect(takeAll().findIndex(({ key }) => key === 'light')).toBeLessThanOrEqual(2)
  })

  it('serves the requests of a key in their order, each once, except those that left', () => {
    const steps = fc.array(
      fc.record({
        key: fc.constantFrom('a', 'b', 'c'),
        serviceClass: fc.constantFrom(...SERVICE_CLASSES),
        tokens: fc.integer({ min: 1, max: 5_000 }),
        does: fc.constantFrom('stay', 'stay', 'leave', 'take'),
      }),
      { maxLength: 200 },
    )
    fc.assert(
      fc.property(steps, (all) => {
        const { queue, add, takeAll } = queueOf()
        const left: number[] = []
        const taken: Named[] = []
        for (const [nth, { does, ...request }] of all.entries()) {
          const place = add(request)
          if (does === 'leave') {
            place?.leave()
            place?.leave()
            left.push(nth)
          }
          const next = does === 'take' ? queue.take() : undefined
          if (next) taken.push(next)
        }
        taken.push(...takeAll())
        expect(queue.size).toBe(0)
        for (const serviceClass of SERVICE_CLASSES) expect(queue.waiting(serviceClass)).toBe(0)
        const inOrder = taken.map(({ nth }) => nth).toSorted((one, other) => one - other)
        expect(inOrder).toEqual([...all.keys()].filter((nth) => !left.includes(nth)))
        for (const own of Map.groupBy(taken, ({ key, serviceClass }) => `${key} ${serviceClass}`).values())
          expect(own.map(({ nth }) => nth)).toEqual(own.map(({ nth }) => nth).toSorted((one, other) => one - other))
      }),
    )
  })

  it('never holds more than its maximum, nor more than that of several queues together', () => {
    const total = { count: 0, most: 12 }
    const one = queueOf({ most: 8, total })
    const other = queueOf({ most: 8, total })
    for (let nth = 0; nth < 20; nth++) {
      one.add({ key: `k${nth % 3}` })
      other.add()
      expect(one.queue.size).toBeLessThanOrEqual(8)
      expect(total.count).toBe(one.queue.size + other.queue.size)
      expect(total.count).toBeLessThanOrEqual(12)
    }
    one.takeAll()
    other.takeAll()
    expect(total.count).toBe(0)
  })

  it('has the newest request of the longest queue of the lowest class give way', () => {
    const { add, evicted, takeAll } = queueOf({ most: 4 })
    for (let nth = 0; nth < 3; nth++) add({ key: 'many' })
    add({ key: 'few' })
    // No other key has so many waiting requests.
    expect(add({ key: 'many' })).toBeUndefined()
    expect(add({ key: 'new' })).toBeDefined()
    expect(evicted.map(({ nth }) => nth)).toEqual([2])
    expect(add({ key: 'low', serviceClass: 'batch' })).toBeUndefined()
    expect(add({ key: 'many', serviceClass: 'interactive' })).toBeDefined()
    expect(evicted.map(({ nth }) => nth)).toEqual([2, 1])
    expect(takeAll().map(({ nth }) => nth)).toHaveLength(4)
  })

  it('passes over requests that cannot start, and keeps their place', () => {
    const { queue, add } = queueOf()
    add({ key: 'blocked' })
    add({ key: 'blocked' })
    add({ key: 'free' })
    const canStart = ({ key }: Named): boolean => key === 'free'
    expect(queue.take(canStart)?.key).toBe('free')
    expect(queue.take(canStart)).toBeUndefined()
    expect([queue.take()?.nth, queue.take()?.nth, queue.take()]).toEqual([0, 1, undefined])
  })

  it('is not changed by looks at a full endpoint', () => {
    const played = (looks: number): number[] => {
      const { queue, add } = queueOf()
      for (let nth = 0; nth < 30; nth++) add({ key: `k${nth % 3}`, tokens: 100 + nth })
      return Array.from({ length: 30 }, () => {
        for (let look = 0; look < looks; look++) expect(queue.take(() => false)).toBeUndefined()
        return queue.take()?.nth ?? -1
      })
    }
    expect(played(1)).toEqual(played(0))
    expect(played(2)).toEqual(played(0))
  })

  it('refuses requests that would wait too long at the present rate', () => {
    let now = 0
    const { queue, add } = queueOf({ ms: 1_000, clock: () => now })
    expect(queue.expectedMs()).toBeUndefined()
    for (let nth = 0; nth < 40; nth++) add()
    // One each 50 ms: 20 can be served within a second.
    for (let nth = 0; nth < 20; nth++) {
      now += 50
      queue.take()
    }
    expect(queue.expectedMs()).toBeCloseTo(21 * 50, -1)
    expect(add()).toBeUndefined()
    queue.take()
    queue.take()
    expect(add()).toBeDefined()
    // What was measured long ago does not count.
    for (let next = queue.take(); next; next = queue.take());
    now += 10_000
    for (let nth = 0; nth < 40; nth++) expect(add()).toBeDefined()
  })
})
