import { describe, expect, it } from 'vitest'
import { tightest } from '../web/pages/keys/budgets-of.ts'
import { keyBodyOf, NEW_KEY } from '../web/pages/keys/draft.ts'
import { type Budget, stateOf } from '../web/pages/keys/keys.ts'
import { rightsOf } from '../web/pages/keys/rights.ts'

const NOW = Date.UTC(2026, 10, 22)
const DAY = 86_400_000

describe('A key that is typed', () => {
  it('is told nothing of what is empty', () => {
    expect(keyBodyOf({ ...NEW_KEY, name: ' ci ' }, NOW)).toEqual({ body: { name: 'ci', environment: 'development' } })
  })

  it('has lists by commas and lines, limits, a budget and an end', () => {
    const draft = { ...NEW_KEY, models: 'gpt-*, demo\n', requestsPerMinute: '60', budget: '0.5', period: 'day' as const, endsIn: '30' }
    expect(keyBodyOf(draft, NOW)).toEqual({
      body: {
        environment: 'development',
        models: ['gpt-*', 'demo'],
        limits: { requestsPerMinute: 60 },
        budgets: [{ limit: '500000000', period: 'day' }],
        expiresAt: NOW + 30 * DAY,
      },
    })
  })

  it('says which fields hold no number', () => {
    const read = keyBodyOf({ ...NEW_KEY, budget: 'much', endsIn: '0', concurrent: '1.5' }, NOW)
    expect('errors' in read && Object.keys(read.errors).toSorted()).toEqual(['budget', 'concurrent', 'endsIn'])
  })
})

describe('Keys', () => {
  it('are active, ending, ended or revoked', () => {
    expect(stateOf({}, NOW)).toBe('active')
    expect(stateOf({ expiresAt: NOW + 30 * DAY }, NOW)).toBe('active')
    expect(stateOf({ expiresAt: NOW + DAY }, NOW)).toBe('ending')
    expect(stateOf({ expiresAt: NOW }, NOW)).toBe('ended')
    expect(stateOf({ expiresAt: NOW + DAY, revokedAt: NOW }, NOW)).toBe('revoked')
  })

  it('say what they may do in a line', () => {
    expect(rightsOf({})).toBe('everything')
    expect(rightsOf({ models: ['a', 'b'], scopes: ['admin', 'metrics'], families: ['chat'] })).toBe('2 models · chat · admin, metrics')
    expect(rightsOf({ models: [] })).toBe('0 models')
  })

  it('show the budget of which most is gone', () => {
    const budget = (id: string, spent: string): Budget => ({
      ...{ id, scope: 'key', owner: 'k', name: id, limit: '100', period: 'day', zone: 'UTC', soft: false, counts: 'charged' },
      ...{ spent, tiedUp: '0', source: 'store', version: 1 },
    })
    expect(tightest([budget('a', '50'), budget('b', '60'), { ...budget('c', '99'), scope: 'project' }]).get('k')?.id).toBe('b')
  })
})
