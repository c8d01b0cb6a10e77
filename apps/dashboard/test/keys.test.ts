import { describe, expect, it } from 'vitest'
import type { BudgetItem } from '../web/api/budgets.ts'
import type { Key } from '../web/api/keys.ts'
import { tightest } from '../web/budgets/forecast.ts'
import { draftOf, keyBodyOf, keyChangeOf, NEW_KEY } from '../web/pages/keys/draft.ts'
import { rightsOf } from '../web/pages/keys/rights.ts'
import { secretState, stateOf } from '../web/pages/keys/state.tsx'

const NOW = Date.UTC(2026, 10, 22)
const DAY = 86_400_000

describe('A key that is typed', () => {
  it('is told nothing of what is empty', () => {
    expect(keyBodyOf({ ...NEW_KEY, name: ' ci ' }, NOW)).toEqual({ body: { name: 'ci', environment: 'development' } })
  })

  it('has lists by commas and lines, limits, a budget and an end', () => {
    const draft = {
      ...NEW_KEY,
      models: 'gpt-*, demo\n',
      requestsPerMinute: '60',
      budget: '0.5',
      period: 'day' as const,
      endsIn: '30',
    }
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

  it('is a service key where that is chosen', () => {
    expect(keyBodyOf({ ...NEW_KEY, service: true }, NOW)).toEqual({
      body: { environment: 'development', service: true },
    })
  })

  it('says which fields hold no number', () => {
    const read = keyBodyOf({ ...NEW_KEY, budget: 'much', endsIn: '0', concurrent: '1.5' }, NOW)
    expect('errors' in read && Object.keys(read.errors).toSorted()).toEqual(['budget', 'concurrent', 'endsIn'])
  })
})

describe('A key that is changed', () => {
  const key: Key = {
    id: 'key_1',
    prefix: 'hg_p_ab…yz',
    name: 'ci',
    project: 'proj_1',
    environment: 'production',
    createdAt: NOW,
    version: 3,
    models: ['gpt-*', 'demo'],
    limits: { requestsPerMinute: 60, concurrent: 4 },
    expiresAt: NOW + DAY,
    secrets: [],
  }
  const changed = (change: Partial<ReturnType<typeof draftOf>>) => keyChangeOf({ ...draftOf(key), ...change }, key)

  it('says nothing of what stays as it is', () => {
    expect(changed({})).toEqual({ body: {} })
    // To the minute is all that can be typed of its end.
    const odd = { ...key, expiresAt: NOW + 12_345 }
    expect(keyChangeOf(draftOf(odd), odd)).toEqual({ body: {} })
  })

  it('takes back what is emptied, and says all limits where one changes', () => {
    expect(changed({ name: ' ', models: '', endsAt: '' })).toEqual({
      body: { name: null, models: null, expiresAt: null },
    })
    expect(changed({ concurrent: '' })).toEqual({ body: { limits: { requestsPerMinute: 60 } } })
    expect(changed({ requestsPerMinute: '', concurrent: ' ' })).toEqual({ body: { limits: null } })
    expect(changed({ addresses: '10.0.0.0/8\n192.0.2.7', name: 'nightly' })).toEqual({
      body: { name: 'nightly', addresses: ['10.0.0.0/8', '192.0.2.7'] },
    })
  })

  it('says which fields hold no number and no time', () => {
    const read = changed({ tokensPerMinute: 'many', endsAt: 'tomorrow' })
    expect('errors' in read && Object.keys(read.errors).toSorted()).toEqual(['endsAt', 'tokensPerMinute'])
  })
})

describe('Keys', () => {
  it('are active, ending, ended, revoked, or stopped with their creator', () => {
    expect(stateOf({}, NOW)).toBe('active')
    expect(stateOf({ expiresAt: NOW + 30 * DAY }, NOW)).toBe('active')
    expect(stateOf({ expiresAt: NOW + DAY }, NOW)).toBe('ending')
    expect(stateOf({ expiresAt: NOW }, NOW)).toBe('ended')
    expect(stateOf({ expiresAt: NOW + DAY, revokedAt: NOW }, NOW)).toBe('revoked')
    expect(stateOf({ creator: 'active' }, NOW)).toBe('active')
    for (const creator of ['left', 'disabled', 'viewer'] as const) {
      expect(stateOf({ creator }, NOW)).toBe('stopped')
      expect(stateOf({ creator, expiresAt: NOW }, NOW)).toBe('ended')
      expect(stateOf({ creator, revokedAt: NOW }, NOW)).toBe('revoked')
      expect(secretState({ creator }, undefined, NOW)).toBe('stopped')
    }
  })

  it('decides the state of its secrets', () => {
    expect(secretState({}, undefined, NOW)).toBe('active')
    expect(secretState({}, NOW + DAY, NOW)).toBe('ending')
    expect(secretState({}, NOW, NOW)).toBe('expired')
    expect(secretState({ expiresAt: NOW }, undefined, NOW)).toBe('expired')
    expect(secretState({ revokedAt: NOW }, undefined, NOW)).toBe('revoked')
    expect(secretState({ revokedAt: NOW }, NOW + DAY, NOW)).toBe('revoked')
  })

  it('say what they may do in a line', () => {
    expect(rightsOf({})).toBe('All')
    expect(rightsOf({ models: ['a', 'b'], scopes: ['admin', 'metrics'], families: ['chat'] })).toBe(
      '2 models · chat · admin, metrics',
    )
    expect(rightsOf({ models: [] })).toBe('0 models')
  })

  it('show the budget of which most is gone', () => {
    const budget = (id: string, spent: string): BudgetItem => ({
      id,
      scope: 'key',
      owner: 'k',
      name: id,
      limit: '100',
      period: 'day',
      zone: 'UTC',
      soft: false,
      counts: 'charged',
      spent,
      held: '0',
      tiedUp: '0',
      source: 'store',
      version: 1,
    })
    expect(
      tightest([budget('a', '50'), budget('b', '60'), { ...budget('c', '99'), scope: 'project' }]).get('k')?.id,
    ).toBe('b')
  })
})
