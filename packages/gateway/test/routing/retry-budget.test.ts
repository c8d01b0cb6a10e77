import { describe, expect, it } from 'vitest'
import { createRetryBudget } from '../../src/routing/retry-budget.ts'

describe('A retry budget', () => {
  it('has ten retries for a provider with few calls', () => {
    const budget = createRetryBudget()
    budget.countCall('p', 0)
    expect(Array.from({ length: 11 }, (_, at) => budget.mayRetry('p', at))).toEqual([...Array(10).fill(true), false])
    expect(budget.mayRetry('q', 15)).toBe(true)
  })

  it('does not count a call that was not made', () => {
    const budget = createRetryBudget({ least: 0 })
    for (let nth = 0; nth < 100; nth++) budget.countCall('p', 0)()
    expect(budget.mayRetry('p', 1)).toBe(false)
  })

  it('has a fifth of what a provider was asked at first, and neither is added to the other', () => {
    const budget = createRetryBudget()
    for (let at = 0; at < 1_000; at++) budget.countCall('p', at)
    let again = 0
    while (budget.mayRetry('p', 2_000)) again++
    expect(again).toBe(200)
  })

  it('fills up again within about two minutes', () => {
    const budget = createRetryBudget()
    for (let nth = 0; nth < 11; nth++) budget.mayRetry('p', 1_000)
    expect(budget.mayRetry('p', 120_000)).toBe(false)
    expect(budget.mayRetry('p', 124_000)).toBe(true)
  })

  it('multiplies an outage by at most 1.2, also if each call takes a minute', () => {
    const budget = createRetryBudget()
    let [first, again] = [0, 0]
    for (let at = 0; at < 600_000; at += 1_000) {
      budget.countCall('p', at)
      first++
      // The calls of a minute ago fail now, and each would be repeated three times.
      for (let nth = 0; nth < 3 && at >= 60_000; nth++) if (budget.mayRetry('p', at)) again++
    }
    expect((first + again) / first).toBeLessThanOrEqual(1.2)
    expect(again / first).toBeGreaterThan(0.15)
  })

  it('holds in any two minutes of a long outage', () => {
    const budget = createRetryBudget()
    let again = 0
    let first = 0
    for (let at = 0; at < 600_000; at += 100) {
      budget.countCall('p', at)
      first++
      while (budget.mayRetry('p', at)) again++
    }
    expect(again / first).toBeLessThanOrEqual(0.2)
    expect(again / first).toBeGreaterThan(0.15)
  })

  it('goes over to the gateway that takes the place of another', () => {
    const before = createRetryBudget()
    for (let nth = 0; nth < 10; nth++) before.mayRetry('p', 0)
    const after = createRetryBudget()
    after.copyFrom(before, 'p')
    expect(after.mayRetry('p', 1)).toBe(false)
  })
})
