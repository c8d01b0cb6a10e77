import { describe, expect, it } from 'vitest'
import { HeadgateError } from '../../../core/src/errors.ts'
import type { EndpointLimits } from '../../src/ports/routing.ts'
import { type Candidate, subjectOf } from '../../src/routing/candidates.ts'
import { plainTarget } from '../../src/routing/health.ts'
import { createLoad, type Load } from '../../src/routing/load.ts'

const target = plainTarget('p', 'm')
const candidateWith = (limits?: EndpointLimits) => ({ endpoint: { limits } }) as Candidate
/** A candidate at an endpoint of its own. */
const endpoint = (limits: EndpointLimits, name = 'e') =>
  ({ instance: { name: 'p' }, endpoint: { name, limits }, model: 'm' }) as Candidate
const loadOf = (most = 1_000): Load => createLoad({ most, ms: 60_000, clock: () => 0 })
const refused = new HeadgateError('overloaded', 'Too much.')

/** Begins calls, and returns the functions that end them. */
const begin = (load: Load, candidate: Candidate, calls: number, tokens = 0, now = 0) =>
  Array.from({ length: calls }, () => load.enter(candidate, target, tokens, now))

describe('The load of an endpoint', () => {
  it('is limited by `concurrent`', () => {
    const load = loadOf()
    const candidate = candidateWith({ concurrent: 2 })
    const [first] = begin(load, candidate, 2)
    expect(load.msUntilFree(candidate, target, 0, 0)).toBeGreaterThan(0)
    first?.('served', 1)
    first?.('served', 1)
    expect([load.msUntilFree(candidate, target, 0, 1), load.inFlight(target)]).toEqual([0, 1])
  })

  it('is limited by requests and tokens per minute', () => {
    const load = loadOf()
    const requests = candidateWith({ requestsPerMinute: 3 })
    begin(load, requests, 3)
    expect(load.msUntilFree(requests, target, 0, 30_000)).toBeGreaterThan(29_000)
    expect(load.msUntilFree(requests, target, 0, 62_000)).toBe(0)
    const tokens = candidateWith({ tokensPerMinute: 1_000 })
    begin(load, tokens, 2, 400)
    expect(load.msUntilFree(tokens, target, 200, 1_000)).toBe(0)
    expect(load.msUntilFree(tokens, target, 201, 1_000)).toBeGreaterThan(0)
    // A request that exceeds the limit by itself is sent when nothing else is.
    expect(load.msUntilFree(tokens, target, 5_000, 62_000)).toBe(0)
  })

  it('is reduced by a tenth after a refusal, at most once per second, and grows again', () => {
    const load = loadOf()
    const candidate = candidateWith()
    const ends = begin(load, candidate, 100)
    expect(load.limitOf(target, 0)).toBe(Number.POSITIVE_INFINITY)
    ends[0]?.(refused, 10_000)
    ends[1]?.(refused, 10_500)
    expect(load.limitOf(target, 10_500)).toBe(90)
    expect(load.msUntilFree(candidate, target, 0, 10_500)).toBeGreaterThan(0)
    ends[2]?.(refused, 11_500)
    expect(load.limitOf(target, 11_500)).toBe(81)
    for (const end of ends.slice(3, 50)) end('served', 12_000)
    expect(load.limitOf(target, 12_000)).toBeGreaterThanOrEqual(81)
    expect(load.limitOf(target, 700_000)).toBe(Number.POSITIVE_INFINITY)
  })

  it('is never reduced below four calls', () => {
    const load = loadOf()
    for (let at = 10_000; at < 100_000; at += 2_000) load.enter(candidateWith(), target, 0, at)(refused, at)
    expect(load.limitOf(target, 100_000)).toBe(4)
  })

  const waitFor = (load: Load, candidate: Candidate, key = 'key-1') =>
    load.queue.wait({ key, weight: 1, serviceClass: 'normal', tokens: 100 }, [candidate], { tokens: 100, ms: 60_000 })

  it('gives the place of a call that ends to the next request in fair order', async () => {
    const load = loadOf()
    const candidate = endpoint({ concurrent: 1 })
    const end = load.enter(candidate, subjectOf(candidate), 0, 0)
    const waits = ['a', 'a', 'b'].map((key) => waitFor(load, candidate, key))
    expect([load.queue.isWaiting(subjectOf(candidate)), load.queue.waiting('normal')]).toEqual([true, 3])
    const order: number[] = []
    const served = waits.map(async ({ result }, nth) => {
      const place = await result
      if (place === undefined || typeof place === 'string') return
      order.push(nth)
      expect(load.msUntilFree(candidate, subjectOf(candidate), 0, 0)).toBeGreaterThan(0)
      place.leave('served', 0)
    })
    end('served', 0)
    await Promise.all(served)
    expect(order).toEqual([0, 2, 1])
    expect([load.queue.isWaiting(subjectOf(candidate)), load.queue.waiting('normal')]).toEqual([false, 0])
    expect(load.inFlight(subjectOf(candidate))).toBe(0)
  })

  it('lets a limited number of requests wait, for a limited time, and forgets those that leave', async () => {
    const load = loadOf(4)
    const candidate = endpoint({ concurrent: 1 })
    load.enter(candidate, subjectOf(candidate), 0, 0)
    const [first, second] = [waitFor(load, candidate), waitFor(load, candidate)]
    expect(await waitFor(load, candidate).result).toBe('queue-full')
    first?.leave()
    expect([await first?.result, load.queue.waiting('normal')]).toEqual([undefined, 1])
    const request = { key: 'key-1', weight: 1, serviceClass: 'normal', tokens: 1 } as const
    expect(await load.queue.wait(request, [candidate], { tokens: 0, ms: 1 }).result).toBe('queue-timeout')
    second?.leave()
    expect(load.queue.isWaiting(subjectOf(candidate))).toBe(false)
  })

  it('serves a request that waits for several endpoints at the first with space', async () => {
    const load = loadOf()
    const [one, other] = [endpoint({ concurrent: 1 }, 'one'), endpoint({ concurrent: 1 }, 'other')]
    load.enter(one, subjectOf(one), 0, 0)
    const end = load.enter(other, subjectOf(other), 0, 0)
    const wait = load.queue.wait({ key: 'key-1', weight: 1, serviceClass: 'batch', tokens: 1 }, [one, other], {
      tokens: 0,
      ms: 60_000,
    })
    expect(load.queue.waiting('batch')).toBe(1)
    end('served', 0)
    expect(await wait.result).toMatchObject({ candidate: other })
    expect(load.queue.isWaiting(subjectOf(one))).toBe(false)
  })
})
