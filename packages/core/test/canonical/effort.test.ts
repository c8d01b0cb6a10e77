import { describe, expect, it } from 'vitest'
import { effortOfBudget, nearestEffort } from '../../src/canonical/effort.ts'

describe('How much a model thinks', () => {
  it.each([
    [-1, undefined],
    [0, 'none'],
    [1, 'minimal'],
    [1024, 'minimal'],
    [1025, 'low'],
    [4096, 'low'],
    [16_384, 'medium'],
    [16_385, 'high'],
    [1_000_000, 'high'],
  ])('with a budget of %i tokens is %s', (budget, effort) => {
    expect(effortOfBudget(budget)).toBe(effort)
  })

  it.each([
    ['medium', ['low', 'medium', 'high'], 'medium'],
    ['minimal', ['low', 'high'], 'low'],
    ['medium', ['low', 'high'], 'high'],
    ['max', ['low', 'high'], 'high'],
    ['none', ['low', 'high'], 'low'],
    ['low', [], undefined],
  ] as const)('%s of %j is %s', (asked, levels, effort) => {
    expect(nearestEffort(asked, levels)).toBe(effort)
  })
})
