import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { limitsByName, memoryRateLimits } from '../../src/index.ts'
import { memoryCounters } from '../../src/operate.ts'
import type { AppliedLimit, RateEstimate, RateLimit, RateRefusal, RateSlot } from '../../src/ports/rates.ts'
import { limitsOfKey } from '../../src/routing/rate-limits/limits.ts'

const key = (limit: RateLimit, id = 'k'): AppliedLimit => ({ scope: 'key', id, limit })

/** Counters by a clock that the test sets. */
function start(most?: number) {
  const clock = { now: 1_000_000 }
  const counters = memoryCounters({ clock: () => clock.now, ...(most !== undefined && { most }) })
  const take = (limits: readonly AppliedLimit[], tokens?: RateEstimate) => counters.take({ limits, tokens })
  const admits = (limits: readonly AppliedLimit[], tokens?: RateEstimate): RateSlot => {
    const answer = take(limits, tokens)
    if (!('leave' in answer)) throw new Error(`refused: ${JSON.stringify(answer)}`)
    return answer
  }
  const refuses = (limits: readonly AppliedLimit[], tokens?: RateEstimate): RateRefusal => {
    const answer = take(limits, tokens)
    if ('leave' in answer) throw new Error('admitted')
    return answer
  }
  return { clock, counters, take, admits, refuses }
}

/** The most that any 60 seconds hold. */
function most(taken: readonly { at: number; amount: number }[]): number {
  return Math.max(
    0,
    ...taken.map(({ at: end }) =>
      taken.reduce((sum, { at, amount }) => (at > end - 60_000 && at <= end ? sum + amount : sum), 0),
    ),
  )
}

const steps = fc.array(
  fc.record({
    wait: fc.oneof(fc.integer({ min: 0, max: 400 }), fc.integer({ min: 0, max: 30_000 })),
    tokens: fc.integer({ min: 1, max: 900 }),
  }),
  { minLength: 1, maxLength: 120 },
)

describe('A limit of a minute', () => {
  it('is never passed in any 60 seconds, whatever the schedule', () => {
    fc.assert(
      fc.property(
        steps,
        fc.integer({ min: 1, max: 12 }),
        fc.integer({ min: 900, max: 3_000 }),
        (schedule, requests, tokens) => {
          const { clock, take } = start()
          const limits = [key({ requestsPerMinute: requests, tokensPerMinute: tokens })]
          const admitted: { at: number; tokens: number }[] = []
          for (const step of schedule) {
            clock.now += step.wait
            if ('leave' in take(limits, { input: 1, output: step.tokens - 1 }))
              admitted.push({ at: clock.now, tokens: step.tokens })
          }
          expect(most(admitted.map(({ at }) => ({ at, amount: 1 })))).toBeLessThanOrEqual(requests)
          expect(most(admitted.map(({ at, tokens: amount }) => ({ at, amount })))).toBeLessThanOrEqual(tokens)
        },
      ),
    )
  })

  it('tells exactly when there is room again: a millisecond earlier it refuses, then it admits', () => {
    fc.assert(
      fc.property(steps, fc.integer({ min: 1, max: 6 }), (schedule, requests) => {
        const { clock, take } = start()
        const limits = [key({ requestsPerMinute: requests, tokensPerMinute: 2_000 })]
        for (const step of schedule) {
          clock.now += step.wait
          const asked = { input: 1, output: step.tokens - 1 }
          const answer = take(limits, asked)
          if ('leave' in answer) continue
          const { retryAfterMs = 0 } = answer
          expect(retryAfterMs).toBeGreaterThan(0)
          expect(retryAfterMs).toBeLessThanOrEqual(60_250)
          clock.now += retryAfterMs - 1
          expect('leave' in take(limits, asked)).toBe(false)
          clock.now += 1
          expect('leave' in take(limits, asked)).toBe(true)
        }
      }),
    )
  })

  it('has room for one request when nothing was asked for a minute, however large its output', () => {
    const { clock, admits } = start()
    const limits = [key({ tokensPerMinute: 1_000 })]
    for (let nth = 0; nth < 5; nth++) {
      admits(limits, { input: 1_000, output: 1_000_000 })
      clock.now += 60_250
    }
  })

  it('lets all of it be used at once', () => {
    const { admits, refuses } = start()
    const limits = [key({ requestsPerMinute: 100, tokensPerMinute: 10_000 })]
    for (let nth = 0; nth < 100; nth++) admits(limits, { input: 60, output: 40 })
    expect(refuses(limits, { input: 1, output: 0 })).toMatchObject({
      scope: 'key',
      unit: 'requests',
      limit: 100,
      remaining: 0,
    })
  })

  it('never has room for an input that is larger than it', () => {
    const { refuses, counters } = start()
    const refusal = refuses([key({ tokensPerMinute: 100 })], { input: 101, output: 1 })
    expect(refusal).toMatchObject({ unit: 'tokens', asked: 101 })
    expect(refusal.retryAfterMs).toBeUndefined()
    expect(counters.size).toBe(0)
  })
})

describe('Tokens that were reserved', () => {
  const limits = [key({ tokensPerMinute: 1_000 })]
  const left = (states: readonly { unit: string; remaining: number }[]) =>
    states.find(({ unit }) => unit === 'tokens')?.remaining

  it.each([
    ['less than was thought', 100, 900],
    ['nothing', 0, 1_000],
    ['as many as was thought', 400, 600],
    ['more than was thought', 700, 300],
    ['nobody knows how many', undefined, 600],
    ['no count', Number.NaN, 600],
  ])('are put right when they turn out to be %s', (_, used, remaining) => {
    const { admits } = start()
    const place = admits(limits, { input: 100, output: 300 })
    expect(left(place.states)).toBe(600)
    place.leave(used)
    place.leave(used)
    expect(left(admits(limits, { input: 0, output: 0 }).states)).toBe(remaining)
  })

  it('that turn out to be more count from then on', () => {
    const { clock, admits, refuses } = start()
    const place = admits(limits, { input: 100, output: 0 })
    clock.now += 50_000
    place.leave(2_000)
    clock.now += 10_250
    expect(refuses(limits, { input: 1, output: 0 }).retryAfterMs).toBe(50_000)
  })

  it('that have left the minute give nothing back', () => {
    const { clock, admits } = start()
    const place = admits(limits, { input: 900, output: 0 })
    clock.now += 60_250
    const next = admits(limits, { input: 900, output: 0 })
    place.leave(0)
    expect(left(next.states)).toBe(100)
    expect(left(admits(limits, { input: 0, output: 0 }).states)).toBe(100)
  })
})

describe('Requests at a time', () => {
  it('are as many as the limit, until one ends', () => {
    const { admits, refuses } = start()
    const limits = [key({ concurrent: 2 })]
    const first = admits(limits)
    admits(limits)
    expect(refuses(limits)).toMatchObject({ unit: 'concurrent', limit: 2, retryAfterMs: 1_000 })
    first.leave(undefined)
    first.leave(undefined)
    admits(limits)
    refuses(limits)
  })
})

describe('Several limits', () => {
  it('take all or none, and name the one that lasts longest', () => {
    const { clock, admits, refuses } = start()
    const own = key({ requestsPerMinute: 2 })
    const model: AppliedLimit = { scope: 'model', id: 'openai/*', limit: { requestsPerMinute: 1 } }
    admits([model])
    clock.now += 30_000
    expect(refuses([own, model])).toMatchObject({ scope: 'model', id: 'openai/*', retryAfterMs: 30_250 })
    admits([own])
    admits([own])
    expect(refuses([own, model])).toMatchObject({ scope: 'key', id: 'k', retryAfterMs: 60_250 })
  })

  it('say what is left of the tightest', () => {
    const { admits } = start()
    const model: AppliedLimit = { scope: 'model', id: 'm', limit: { requestsPerMinute: 5, concurrent: 7 } }
    expect(admits([key({ requestsPerMinute: 10 }), model]).states).toEqual([
      { unit: 'requests', limit: 5, remaining: 4, resetMs: 60_250 },
      { unit: 'concurrent', limit: 7, remaining: 6, resetMs: 0 },
    ])
  })

  it('are those of the person who created the key, for all of their keys in an organization together', () => {
    const memberLimits = { concurrent: 2 }
    const of = (id: string, organization: string) =>
      limitsOfKey({ id, owners: { organization, member: 'per_a' }, memberLimits, limits: { concurrent: 9 } }).map(
        (one) => [one.scope, one.id],
      )
    expect(of('key_1', 'org_a')).toEqual([
      ['key', 'key_1'],
      ['member', 'per_a in org_a'],
    ])
    expect(of('key_2', 'org_a')[1]).toEqual(['member', 'per_a in org_a'])
    expect(of('key_2', 'org_b')[1]).toEqual(['member', 'per_a in org_b'])
    expect(limitsOfKey({ id: 'key_3', owners: { organization: 'org_a' }, memberLimits })).toEqual([])
  })

  it('of keys, projects and models hold together', () => {
    const limitsOf = limitsByName({
      models: { 'openai/*': { requestsPerMinute: 3 } },
      projects: { web: { concurrent: 1 }, 'team-*': { requestsPerMinute: 9 } },
    })
    const names = (project: string | undefined, model: string) =>
      limitsOf(
        { id: 'k', limits: { concurrent: 4 }, ...(project !== undefined && { owners: { project } }) },
        model,
      ).map(({ scope, id }) => [scope, id])
    expect(names('web', 'openai/gpt')).toEqual([
      ['key', 'k'],
      ['project', 'web'],
      ['model', 'openai/*'],
    ])
    expect(names('team-a', 'other')).toEqual([
      ['key', 'k'],
      ['project', 'team-a (team-*)'],
    ])
    expect(names(undefined, 'other')).toEqual([['key', 'k']])
  })

  it('may be changed: what was counted stays', () => {
    const { admits, refuses } = start()
    for (let nth = 0; nth < 5; nth++) admits([key({ requestsPerMinute: 5 })])
    refuses([key({ requestsPerMinute: 5 })])
    expect(admits([key({ requestsPerMinute: 6 })]).states).toMatchObject([{ limit: 6, remaining: 0 }])
    expect(refuses([key({ requestsPerMinute: 2 })])).toMatchObject({ remaining: 0 })
  })
})

describe('What is counted', () => {
  it('is forgotten when it is idle, and never before', () => {
    const { clock, counters, admits, refuses } = start()
    const held = admits([key({ concurrent: 1 }, 'held')])
    for (let nth = 0; nth < 5_000; nth++) admits([key({ requestsPerMinute: 1 }, `key-${nth}`)]).leave(undefined)
    refuses([key({ requestsPerMinute: 1 }, 'key-0')])
    expect(counters.size).toBe(5_001)
    clock.now += 60_250
    for (let nth = 0; nth < 5_000; nth++) admits([key({ requestsPerMinute: 1 }, `other-${nth}`)]).leave(undefined)
    expect(counters.size).toBeLessThan(10_000)
    refuses([key({ concurrent: 1 }, 'held')])
    held.leave(undefined)
  })

  it('is bounded: where so much is counted nothing more is', () => {
    const { clock, counters, admits, refuses } = start(3)
    for (const id of ['a', 'b', 'c']) admits([key({ requestsPerMinute: 2 }, id)]).leave(undefined)
    expect(refuses([key({ requestsPerMinute: 2 }, 'd')]).retryAfterMs).toBe(1_000)
    admits([key({ requestsPerMinute: 2 }, 'a')])
    clock.now += 60_250
    admits([key({ requestsPerMinute: 2 }, 'd')])
    expect(counters.size).toBe(2)
  })
})

describe('Rate limits', () => {
  it('do not hold for who has none', () => {
    const limits = memoryRateLimits()
    expect(limits.take({ principal: { id: 'k' }, model: 'm' })).toBeUndefined()
    expect(limits.take({ principal: { id: 'k', limits: { requestsPerMinute: 1 } }, model: 'm' })).toHaveProperty(
      'leave',
    )
    expect(limits.take({ principal: { id: 'k', limits: { requestsPerMinute: 1 } }, model: 'n' })).toMatchObject({
      scope: 'key',
      unit: 'requests',
    })
  })

  it('of tokens do not hold for what has none', () => {
    const limits = memoryRateLimits()
    const principal = { id: 'k', limits: { tokensPerMinute: 10 } }
    expect(limits.take({ principal, model: 'm', estimate: () => ({ input: 10, output: 0 }) })).toHaveProperty('leave')
    expect(limits.take({ principal, model: 'm', estimate: () => ({ input: 1, output: 0 }) })).toMatchObject({
      unit: 'tokens',
    })
    expect(limits.take({ principal, model: 'm' })).toMatchObject({ states: [] })
  })
})
