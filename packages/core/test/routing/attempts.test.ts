import { describe, expect, it } from 'vitest'
import { type ErrorKind, HeadgateError } from '../../src/errors.ts'
import { type AttemptPlan, type Outcome, runAttempts } from '../../src/routing/attempts.ts'
import { createHealth } from '../../src/routing/health.ts'

const failed = (kind: ErrorKind, retryAfterMs?: number): HeadgateError => new HeadgateError(kind, kind, { retryAfterMs })

/** Runs attempts at `a`, `b`, `c` whose outcomes are given one after the other; tells who was asked and how long was waited. */
async function run(script: Record<string, Outcome[]>, changes: Partial<AttemptPlan<string>> = {}) {
  const asked: string[] = []
  const waits: number[] = []
  const [first = 'a', ...rest] = Object.keys(script)
  const outcome = await runAttempts({
    candidates: [first, ...rest],
    nameOf: (name) => name,
    async attempt(name) {
      asked.push(name)
      const outcomes = script[name] ?? []
      const nth = asked.filter((one) => one === name).length - 1
      return outcomes[Math.min(nth, outcomes.length - 1)] ?? 'served'
    },
    health: createHealth(),
    deadline: Date.now() + 60_000,
    backoff: 1000,
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
    expect(await run({ a: [failed('upstream')] })).toEqual({ asked: 'aaaa', waits: [1000, 2000, 4000], outcome: 'upstream' })
    expect(await run({ a: [failed('overloaded')], b: [failed('upstream')] })).toEqual({
      asked: 'abaaa',
      waits: [1000, 2000, 4000],
      outcome: 'overloaded',
    })
  })

  it('wait as long as the upstream asks, and ask first who asks for the least', async () => {
    expect(await run({ a: [failed('rate-limited', 7000), 'served'] })).toEqual({ asked: 'aa', waits: [7000], outcome: 'served' })
    expect(await run({ a: [failed('rate-limited', 7000)], b: [failed('upstream'), 'served'] })).toEqual({
      asked: 'abb',
      waits: [1000],
      outcome: 'served',
    })
  })

  it('stop where the wait would pass the deadline', async () => {
    const deadline = Date.now() + 5000
    expect(await run({ a: [failed('rate-limited', 6000)] }, { deadline })).toEqual({ asked: 'a', waits: [], outcome: 'rate-limited' })
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
    expect(await run({ a: [failed('timeout')], b: [failed('timeout')], c: [] })).toEqual({ asked: 'ab', waits: [], outcome: 'timeout' })
    expect(await run({ a: [failed('timeout')], b: [failed('upstream')], c: [] })).toEqual({ asked: 'ab', waits: [], outcome: 'upstream' })
    expect(await run({ a: [failed('timeout')] })).toEqual({ asked: 'a', waits: [], outcome: 'timeout' })
  })

  it('stop when nobody waits any more', async () => {
    let left = false
    const isOver = () => left
    const leaving = async (): Promise<Outcome> => {
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

  it('begin with those that are well, and forget a failure once one serves', async () => {
    const health = createHealth()
    health.failed('a', 'upstream', Date.now())
    expect((await run({ a: ['served'], b: [failed('upstream')], c: [failed('upstream')] }, { health })).asked).toBe('bca')
    expect((await run({ a: ['served'], b: [], c: [] }, { health })).asked).toBe('a')
  })
})

describe('Health', () => {
  it('lets a provider rest longer each time, for a minute at most, or as long as it asks', () => {
    const health = createHealth()
    const restOf = (now: number): number => {
      let ms = 0
      while (!health.isWell('a', now + ms)) ms += 500
      return ms
    }
    const rests = Array.from({ length: 7 }, () => {
      health.failed('a', 'upstream', 0)
      return restOf(0)
    })
    expect(rests).toEqual([2000, 4000, 8000, 16_000, 32_000, 60_000, 60_000])
    health.served('a')
    health.failed('a', 'rate-limited', 0, 10_000)
    expect(restOf(0)).toBe(10_000)
  })

  it('is not touched by what is the fault of the request', () => {
    const health = createHealth()
    for (const kind of ['invalid-request', 'unknown-model', 'context-too-long', 'cancelled', 'cut'] as const) health.failed('a', kind, 0)
    expect(health.isWell('a', 0)).toBe(true)
  })
})
