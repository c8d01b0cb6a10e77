import { describe, expect, it } from 'vitest'
import {
  type CallerAnswer,
  type Evidence,
  maximumInWindow,
  maximumOpen,
  meanUse,
  NO_ALLOWANCE,
  type UpstreamCall,
  unexpectedAnswers,
  violationsOf,
} from '../fleet/checker.ts'

const call = (number: number, at: number, more: Partial<UpstreamCall> = {}): UpstreamCall => ({
  number,
  key: 'k',
  at,
  endAt: at + 10,
  tokens: 100,
  charged: 1,
  ...more,
})
const answerTo = ({ number, key, at }: UpstreamCall, more: Partial<CallerAnswer> = {}): CallerAnswer => ({
  number,
  key,
  node: 0,
  at: at - 1,
  ms: 12,
  status: 200,
  ...more,
})
const evidenceOf = (calls: readonly UpstreamCall[], more: Partial<Evidence> = {}): Evidence => ({
  keys: [{ name: 'k' }],
  calls,
  answers: calls.map((one) => answerTo(one)),
  rows: calls.map(({ number }) => ({ number, why: 'served' })),
  kills: [],
  allowance: NO_ALLOWANCE,
  isShared: true,
  ...more,
})

describe('The checker of the fleet', () => {
  it('finds the maximum of any 60 seconds, wherever they begin', () => {
    const items = [0, 30_000, 59_999, 60_000, 89_999].map((at) => ({ at, amount: 1 }))
    expect(maximumInWindow(items)).toBe(4)
    expect(maximumInWindow(items.slice(0, 3))).toBe(3)
    expect(maximumInWindow([])).toBe(0)
    expect(meanUse(items, 5, { from: 0, to: 61_000 })).toBeCloseTo(3 / 5)
  })

  it('counts calls that are open at the same time, and not those that follow each other', () => {
    expect(
      maximumOpen([call(1, 0, { endAt: 10 }), call(2, 10, { endAt: 20 }), call(3, 15, { endAt: undefined })]),
    ).toBe(2)
  })

  it('reports limits and budgets that were exceeded', () => {
    const calls = [1, 2, 3].map((number) => call(number, number))
    const keys = [{ name: 'k', requestsPerMinute: 2, tokensPerMinute: 200, concurrent: 2, budget: 2 }]
    expect(violationsOf(evidenceOf(calls, { keys }))).toEqual([
      'k: 3 requests in 60 s, the limit is 2',
      'k: 300 tokens in 60 s, the limit is 200',
      'k: 3 calls at the same time, the limit is 2',
      'k: 3 nano-dollars, the limit is 2',
    ])
    // No allowance is for budgets, and no separate counts excuse them.
    expect(violationsOf(evidenceOf(calls, { keys, allowance: { windows: 0.5, places: 0.5 } }))).toEqual([
      'k: 3 nano-dollars, the limit is 2',
    ])
    expect(violationsOf(evidenceOf(calls, { keys, isShared: false }))).toEqual(['k: 3 nano-dollars, the limit is 2'])
    expect(violationsOf(evidenceOf(calls))).toEqual([])
  })

  it('reports missing, doubled and invented rows', () => {
    const calls = [1, 2].map((number) => call(number, number))
    const rows = [
      { number: 2, why: 'served' },
      { number: 2, why: 'served' },
      { number: 3, why: 'served' },
      { number: 4, why: 'lost' },
    ]
    expect(violationsOf(evidenceOf(calls, { rows }))).toEqual([
      'request 1: the upstream was called, and there is no row',
      'request 2: there are several rows',
      'request 3: the row is of a call that the upstream does not know',
    ])
  })

  it('excuses rows of the last second of a lost disk, and no others', () => {
    const calls = [call(1, 0), call(2, 4_500), call(3, 4_900, { endAt: undefined }), call(4, 6_000)]
    const lost = (isDiskLost: boolean) =>
      violationsOf(evidenceOf(calls, { rows: [], kills: [{ node: 0, at: 5_000, isDiskLost }] })).length
    expect(lost(true)).toBe(2)
    expect(lost(false)).toBe(4)
  })

  it('reports a revoked key that is served after a second, and one that is never refused', () => {
    const early = call(1, 900)
    const late = call(2, 2_000)
    const revoked = { key: 'k', at: 500 }
    const refusal = answerTo(call(3, 2_500), { status: 401 })
    const of = (calls: readonly UpstreamCall[], answers: readonly CallerAnswer[]) =>
      violationsOf(evidenceOf(calls, { answers, revoked }))
    expect(of([early], [answerTo(early), refusal])).toEqual([])
    expect(of([early], [answerTo(early)])).toEqual(['the revoked key was never refused'])
    expect(of([early, late], [answerTo(early), answerTo(late), refusal])).toEqual([
      'node 0 served 1499 ms after the revocation',
      'the upstream was called 1500 ms after the revocation',
    ])
  })

  it('groups answers that nothing explains', () => {
    const answers = [200, 503, 503, 0].map((status, number) => answerTo(call(number, number), { status }))
    expect(unexpectedAnswers(answers, ({ status }) => status === 200)).toEqual([
      'k: node 0 answered 503, 2 times',
      'k: node 0 answered nothing, 1 times',
    ])
  })
})
