import { describe, expect, it } from 'vitest'
import { createRetryBudget } from '../../src/routing/retry-budget.ts'

describe('A retry budget', () => {
  it('has three for a provider that is asked little', () => {
    const budget = createRetryBudget()
    budget.countCall('p', 0)
    expect([1, 2, 3, 4].map((at) => budget.mayRetry('p', at))).toEqual([true, true, true, false])
    expect(budget.mayRetry('q', 5)).toBe(true)
  })

  it('has a fifth of what a provider was asked at first, and neither is added to the other', () => {
    const budget = createRetryBudget()
    for (let at = 0; at < 1_000; at++) budget.countCall('p', at)
    let again = 0
    while (budget.mayRetry('p', 2_000)) again++
    expect(again).toBe(200)
  })

  it('fills up again within about ten seconds', () => {
    const budget = createRetryBudget()
    for (let nth = 0; nth < 4; nth++) budget.mayRetry('p', 1_000)
    expect(budget.mayRetry('p', 11_000)).toBe(false)
    expect(budget.mayRetry('p', 11_250)).toBe(true)
  })

  it('holds in any ten seconds of a long outage', () => {
    const budget = createRetryBudget()
    let again = 0
    let first = 0
    for (let at = 0; at < 120_000; at += 10) {
      budget.countCall('p', at)
      first++
      while (budget.mayRetry('p', at)) again++
    }
    expect(again / first).toBeLessThanOrEqual(0.2)
    expect(again / first).toBeGreaterThan(0.15)
  })

  it('goes over to the gateway that takes the place of another', () => {
    const before = createRetryBudget()
    for (let nth = 0; nth < 3; nth++) before.mayRetry('p', 0)
    const after = createRetryBudget()
    after.copyFrom(before, 'p')
    expect(after.mayRetry('p', 1)).toBe(false)
  })
})
