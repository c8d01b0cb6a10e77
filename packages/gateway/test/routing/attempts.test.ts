import { describe, expect, it } from 'vitest'
import { type ErrorKind, HeadgateError } from '../../../core/src/errors.ts'
import { now } from '../../src/clock.ts'
import { type AttemptOutcome, type AttemptPlan, runAttempts } from '../../src/routing/attempts.ts'
import { createHealth, type HealthTarget, plainTarget } from '../../src/routing/health.ts'
import { createRetryBudget } from '../../src/routing/retry-budget.ts'

const failed = (kind: ErrorKind, retryAfterMs?: number): HeadgateError =>
  new HeadgateError(kind, kind, { retryAfterMs })

const about = (model: string): HealthTarget => plainTarget('p', model)

/**
 * Runs attempts at `a`, `b`, `c` whose outcomes are given one after the other; tells who was asked and how long was
 * waited.
 */
async function run(script: Record<string, AttemptOutcome[]>, changes: Partial<AttemptPlan<string>> = {}) {
  const asked: string[] = []
  const waits: number[] = []
  const outcome = await runAttempts({
    candidates: Object.keys(script),
    subjectOf: about,
    async attempt(name) {
      asked.push(name)
      const outcomes = script[name] ?? []
      const nth = asked.filter((one) => one === name).length - 1
      return outcomes[Math.min(nth, outcomes.length - 1)] ?? 'served'
    },
    health: createHealth(),
    deadline: Date.now() + 60_000,
    retries: createRetryBudget(),
    backoff: 1000,
    random: () => 1,
    wait: async (ms) => void waits.push(ms),
    isOver: () => false,
    ...changes,
  })
  return { asked: asked.join(''), waits, outcome: outcome === 'served' ? outcome : outcome.kind }
}

describe('Attempts', () => {
  it('end with the first that serves', async () => {
    expect(await run({ a: ['served'], b: ['served'] })).toEqual({ asked: 'a', waits: [], outcome: 'served' })
    expect(await run({ a: [failed('upstream')], b: ['served'] })).toEqual({ asked: 'ab', waits: [], outcome: 'served' })
  })

  it('are at most three more than there are candidates, after waits that double', async () => {
    expect(await run({ a: [failed('upstream')] })).toEqual({
      asked: 'aaaa',
      waits: [1000, 2000, 4000],
      outcome: 'upstream',
    })
    expect(await run({ a: [failed('overloaded')], b: [failed('upstream')] })).toEqual({
      asked: 'abaaa',
      waits: [1000, 2000, 4000],
      outcome: 'overloaded',
    })
  })

  it('wait as long as the upstream asks, and ask first who asks for the least', async () => {
    expect(await run({ a: [failed('rate-limited', 7000), 'served'] })).toEqual({
      asked: 'aa',
      waits: [7500],
      outcome: 'served',
    })
    expect(await run({ a: [failed('rate-limited', 7000)], b: [failed('upstream'), 'served'] })).toEqual({
      asked: 'abb',
      waits: [1000],
      outcome: 'served',
    })
  })

  it('leave half of a wait to chance, and never come before they were asked to', async () => {
    const random = () => 0
    expect((await run({ a: [failed('upstream')] }, { random })).waits).toEqual([500, 1000, 2000])
    expect((await run({ a: [failed('rate-limited', 7000), 'served'] }, { random })).waits).toEqual([7000])
    for (const wait of (await run({ a: [failed('upstream')] }, { random: Math.random })).waits.map(
      (wait, nth) => wait / (1000 * 2 ** nth),
    )) {
      expect(wait).toBeGreaterThanOrEqual(0.5)
      expect(wait).toBeLessThanOrEqual(1)
    }
  })

  it('count for what may be asked again where a provider was called, and else do not', async () => {
    const retries = createRetryBudget()
    for (let nth = 0; nth < 30; nth++) await run({ a: [failed('over-budget')] }, { retries, calls: () => 0 })
    let again = 0
    while (retries.mayRetry('p', Date.now())) again++
    expect(again).toBe(10)
  })

  it('call a provider again at most ten times in two minutes, and then fail without a wait', async () => {
    const retries = createRetryBudget()
    for (let nth = 0; nth < 3; nth++) expect((await run({ a: [failed('upstream')] }, { retries })).asked).toBe('aaaa')
    expect((await run({ a: [failed('upstream')] }, { retries })).asked).toBe('aa')
    expect(await run({ a: [failed('upstream')] }, { retries })).toEqual({ asked: 'a', waits: [], outcome: 'upstream' })
  })

  it('call a candidate for certain failures only after these', async () => {
    const onlyAfter = (name: string) => (name === 'b' ? (['context-too-long', 'content-policy'] as const) : undefined)
    const changes = { onlyAfter }
    expect((await run({ a: [failed('context-too-long')], b: ['served'] }, changes)).asked).toBe('ab')
    expect((await run({ a: [failed('content-policy')], b: ['served'] }, changes)).asked).toBe('ab')
    expect((await run({ a: [failed('invalid-request')], b: ['served'] }, changes)).asked).toBe('a')
    expect((await run({ a: [failed('our-credential')], b: [], c: ['served'] }, changes)).asked).toBe('ac')
    // A failure that ends the request still does, for candidates without such a rule.
    expect(await run({ a: [failed('content-policy')], c: ['served'] }, changes)).toMatchObject({
      asked: 'a',
      outcome: 'content-policy',
    })
  })

  it('stop where the wait would pass the deadline', async () => {
    const deadline = Date.now() + 5000
    expect(await run({ a: [failed('rate-limited', 6000)] }, { deadline })).toEqual({
      asked: 'a',
      waits: [],
      outcome: 'rate-limited',
    })
  })

  it.each<ErrorKind>(['invalid-request', 'content-policy', 'cut', 'internal'])(
    'end with a failure that no other could mend: %s',
    async (kind) => {
      expect(await run({ a: [failed(kind)], b: ['served'] })).toEqual({ asked: 'a', waits: [], outcome: kind })
    },
  )

  it.each<ErrorKind>(['context-too-long', 'unknown-model', 'our-credential', 'our-quota'])(
    'go on to the next, but not again: %s',
    async (kind) => {
      expect(await run({ a: [failed(kind)], b: [failed(kind)] })).toEqual({ asked: 'ab', waits: [], outcome: kind })
    },
  )

  it('ask again only those that may be asked again', async () => {
    expect((await run({ a: [failed('our-credential')], b: [failed('upstream')] })).asked).toBe('abbbb')
  })

  it('allow one more candidate after a timeout', async () => {
    expect((await run({ a: [failed('timeout')], b: ['served'], c: [] })).asked).toBe('ab')
    expect(await run({ a: [failed('timeout')], b: [failed('timeout')], c: [] })).toEqual({
      asked: 'ab',
      waits: [],
      outcome: 'timeout',
    })
    expect(await run({ a: [failed('timeout')], b: [failed('upstream')], c: [] })).toEqual({
      asked: 'ab',
      waits: [],
      outcome: 'upstream',
    })
    expect(await run({ a: [failed('timeout')] })).toEqual({ asked: 'a', waits: [], outcome: 'timeout' })
  })

  it('stop when nobody waits any more', async () => {
    let left = false
    const isOver = () => left
    const leaving = async (): Promise<AttemptOutcome> => {
      left = true
      return failed('upstream')
    }
    expect((await run({ a: [], b: ['served'] }, { isOver, attempt: leaving })).outcome).toBe('upstream')
    left = false
    const wait = async () => {
      left = true
    }
    expect((await run({ a: [failed('upstream')] }, { isOver, wait })).asked).toBe('a')
  })

  it('remember who failed, and forget it once one serves', async () => {
    const health = createHealth()
    const isWell = () => health.isHealthy(about('a'), now())
    await run({ a: [failed('rate-limited')], b: ['served'] }, { health })
    expect(isWell()).toBe(false)
    await run({ a: ['served'] }, { health })
    expect(isWell()).toBe(true)
  })

  it('take a candidate from its source only when its turn comes', async () => {
    const taken: string[] = []
    function* candidates() {
      for (const name of ['a', 'b', 'c']) {
        taken.push(name)
        yield name
      }
    }
    await run({ a: [failed('upstream')], b: ['served'] }, { candidates: candidates() })
    expect(taken).toEqual(['a', 'b'])
  })
})
