import { describe, expect, it } from 'vitest'
import { HeadgateError } from '../../../core/src/errors.ts'
import type { EndpointLimits } from '../../src/ports/routing.ts'
import type { Candidate } from '../../src/routing/candidates.ts'
import { plainTarget } from '../../src/routing/health.ts'
import { createLoad, type Load } from '../../src/routing/load.ts'

const target = plainTarget('p', 'm')
const candidateWith = (limits?: EndpointLimits) => ({ endpoint: { limits } }) as Candidate
const refused = new HeadgateError('overloaded', 'Too much.')

/** Begins calls, and returns the functions that end them. */
const begin = (load: Load, candidate: Candidate, calls: number, tokens = 0, now = 0) =>
  Array.from({ length: calls }, () => load.enter(candidate, target, tokens, now))

describe('The load of an endpoint', () => {
  it('is limited by `concurrent`', () => {
    const load = createLoad()
    const candidate = candidateWith({ concurrent: 2 })
    const [first] = begin(load, candidate, 2)
    expect(load.msUntilFree(candidate, target, 0, 0)).toBeGreaterThan(0)
    first?.('served', 1)
    first?.('served', 1)
    expect([load.msUntilFree(candidate, target, 0, 1), load.inFlight(target)]).toEqual([0, 1])
  })

  it('is limited by requests and tokens per minute', () => {
    const load = createLoad()
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
    const load = createLoad()
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
    const load = createLoad()
    for (let at = 10_000; at < 100_000; at += 2_000) load.enter(candidateWith(), target, 0, at)(refused, at)
    expect(load.limitOf(target, 100_000)).toBe(4)
  })

  it('wakes one waiting request when a call ends, and lets at most 64 wait', async () => {
    const load = createLoad()
    const [end] = begin(load, candidateWith({ concurrent: 1 }), 1)
    const woken: number[] = []
    const waits = Array.from({ length: 64 }, async (_, nth) => {
      await load.waitForEnd([target], 60_000)
      woken.push(nth)
    })
    expect(load.waitForEnd([target], 60_000)).toBe(false)
    end?.('served', 1)
    await waits[0]
    expect(woken).toEqual([0])
    for (let nth = 1; nth < 64; nth++) load.enter(candidateWith(), target, 0, 0)('served', 1)
    await Promise.all(waits)
    expect(woken).toHaveLength(64)
  })

  it('ends a wait after its time', async () => {
    expect(await createLoad().waitForEnd([target], 1)).toBeUndefined()
  })
})
