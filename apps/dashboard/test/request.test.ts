import { describe, expect, it } from 'vitest'
import { FAILURES } from '../web/failures.ts'
import { lengthOf, timelineOf } from '../web/pages/requests/attempts.tsx'
import { attemptBill, billingOf, WHY } from '../web/pages/requests/billing.ts'
import { listedLosses } from '../web/pages/requests/losses.tsx'
import { tokensOf } from '../web/pages/requests/tokens.tsx'

const attempt = {
  family: null,
  provider: 'east',
  endpoint: null,
  model: 'm',
  startedAt: 1_000,
  durationMs: 310,
  status: 429,
  failure: 'rate-limited',
  code: 'rate_limit_exceeded',
  cost: '0',
  priceId: null,
}
const NO_TOKENS = {
  input: null,
  output: null,
  cacheRead: null,
  cacheWrite: null,
  cacheWriteLong: null,
  reasoning: null,
  audioInput: null,
  audioOutput: null,
  imageInput: null,
  imageOutput: null,
  variant: null,
}

describe('The way of a request', () => {
  it('is its calls with the waits between them, from its beginning', () => {
    const served = {
      ...attempt,
      provider: 'west',
      startedAt: 2_310,
      durationMs: 1_000,
      status: 200,
      failure: null,
      cost: '773500',
    }
    const way = { at: 1_000, durationMs: 2_310, attempts: [attempt, served] }
    expect(timelineOf(way).map(({ kind, from, to }) => [kind, from, to])).toEqual([
      ['attempt', 0, 310],
      ['wait', 310, 1_310],
      ['attempt', 1_310, 2_310],
    ])
    expect(lengthOf(way)).toBe(2_310)
  })

  it('has no waits that are none, and no times before its beginning', () => {
    const next = { ...attempt, startedAt: 1_315 }
    expect(
      timelineOf({ at: 1_005, durationMs: 600, attempts: [attempt, next] }).map(({ kind, from }) => [kind, from]),
    ).toEqual([
      ['attempt', 0],
      ['attempt', 310],
    ])
    expect(timelineOf({ at: 0, durationMs: 1 })).toEqual([])
  })

  it('says of each call why it is not billed', () => {
    expect(attemptBill(attempt)).toBe('not billed: rejected with 429')
    expect(attemptBill({ ...attempt, status: null })).toBe('not billed: provider not reached')
    expect(attemptBill({ ...attempt, cost: null })).toBe(
      'may be charged: the connection was lost after the request was sent',
    )
    expect(attemptBill({ ...attempt, cost: null, failure: null })).toBe('cost unknown')
    expect(attemptBill({ ...attempt, cost: '12', failure: null })).toBeUndefined()
  })
})

describe('Tokens of a request', () => {
  it('add up to their totals', () => {
    const [input, output] = tokensOf({
      ...NO_TOKENS,
      input: 1_234,
      output: 345,
      cacheRead: 1_000,
      cacheWrite: 100,
      cacheWriteLong: 60,
      reasoning: 120,
    })
    expect(input?.parts).toEqual([
      { title: 'uncached', count: 134 },
      { title: 'cache reads', count: 1_000 },
      { title: 'cache writes', count: 40 },
      { title: 'cache writes (1 h)', count: 60 },
    ])
    expect(output?.parts).toEqual([
      { title: 'text', count: 225 },
      { title: 'reasoning', count: 120 },
    ])
  })

  it('that are unknown are not zero, and totals without parts are plain', () => {
    expect(tokensOf({ ...NO_TOKENS, output: 5 })).toEqual([
      { title: 'Input', count: null, parts: [], within: [] },
      { title: 'Output', count: 5, parts: [], within: [] },
    ])
  })
})

describe('Why a request is billed, or not', () => {
  const row = { why: 'served', billed: true, estimated: false, charged: '5', cost: '5', output: 1 }

  it('has a sentence for every word of the ledger', () => {
    // As `docs/usage.md` lists them.
    const words = [
      'served',
      'canceled',
      'cut',
      'failed',
      'empty',
      'expired',
      'cached',
      'usage-unknown',
      'price-unknown',
      'released',
      'lost',
      'unknown',
    ]
    expect(Object.keys(WHY)).toEqual(words)
    for (const why of words) expect(billingOf({ ...row, why })[0]).toMatch(/\.$/)
    expect(billingOf({ ...row, why: 'new-word' })).toEqual(['Billing reason: new-word.'])
  })

  it('says what else counted', () => {
    expect(billingOf({ ...row, estimated: true })).toHaveLength(2)
    expect(billingOf({ ...row, cost: '8' })[1]).toContain('The provider cost is higher')
    expect(billingOf({ ...row, why: 'cut', billed: false })[1]).toBe('Not billed: the cost is unknown.')
  })

  it('names every kind of failure', () => {
    for (const text of Object.values(FAILURES)) expect(text).not.toMatch(/^$/)
  })
})

describe('What was lost', () => {
  it('is told by path, of the request and of the answer', () => {
    const losses = [
      { path: 'messages[*].cache_control', kind: 'dropped', reason: 'no marks' },
      { path: 'response.id', kind: 'changed', reason: 'own' },
      'x',
      null,
    ]
    expect(listedLosses(losses)).toEqual([
      { path: 'messages[*].cache_control', kind: 'dropped', reason: 'no marks', isInResponse: false },
      { path: 'id', kind: 'changed', reason: 'own', isInResponse: true },
    ])
  })
})
