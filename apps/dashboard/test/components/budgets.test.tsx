// @vitest-environment happy-dom
import { screen, within } from '@testing-library/react'
import { describe, expect, it } from 'vitest'
import type { BudgetItem } from '../../web/api/budgets.ts'
import type { ResponseOf } from '../../web/api/call.ts'
import { isBlocked } from '../../web/budgets/budget-meter.tsx'
import { budgetsInScope } from '../../web/budgets/scope.ts'
import { tightestOf } from '../../web/pages/budgets/limits-section.tsx'
import { BudgetsPage } from '../../web/pages/budgets/page.tsx'
import { type Answers, account, show } from './shown.tsx'

const DOLLAR = 1_000_000_000
const BUDGET: BudgetItem = {
  id: 'budget_1',
  scope: 'organization',
  owner: 'org_1',
  name: 'All',
  limit: String(50 * DOLLAR),
  period: 'month',
  zone: 'UTC',
  soft: false,
  counts: 'charged',
  spent: String(10 * DOLLAR),
  held: '0',
  tiedUp: String(DOLLAR),
  resetAt: Date.now() + 86_400_000,
  source: 'config',
  version: 1,
}
const OTHERS: readonly BudgetItem[] = [
  { ...BUDGET, id: 'budget_2', scope: 'project', owner: 'prj_1', name: 'Research' },
  { ...BUDGET, id: 'budget_3', scope: 'project', owner: 'prj_2', name: 'Sales' },
  { ...BUDGET, id: 'budget_4', scope: 'key', owner: 'key_1', name: 'Key 1' },
  { ...BUDGET, id: 'budget_5', scope: 'key', owner: 'key_2', name: 'Key 2' },
  { ...BUDGET, id: 'budget_6', scope: 'member', owner: 'usr_1', name: 'Ada' },
]
const KEYS = [
  { id: 'key_1', project: 'prj_1', environment: 'production' },
  { id: 'key_2', project: 'prj_1', environment: 'staging' },
]
const ALERT: ResponseOf<'GET /alerts'>['items'][number] = {
  id: 'alert_1',
  budget: { id: 'budget_1', name: 'All', scope: 'organization', owner: 'org_1', soft: false },
  percent: 80,
  limit: BUDGET.limit,
  spent: BUDGET.spent,
  window: '2026-11',
  at: 0,
  tries: 1,
}

const NONE: Answers = {
  'GET /budgets': { items: [BUDGET] },
  'GET /budgets/shared': { items: [] },
  'GET /budgets/orphaned-leases': { items: [] },
  'GET /limits': { keys: [], projects: [], models: [] },
  'GET /alerts': { items: [], hasDestination: true },
  'GET /organization': { id: 'org_1', name: 'A', signUp: 'invite', domains: [], version: 1 } as never,
  'GET /projects': { items: [] },
  'GET /keys': { items: KEYS as never },
  'GET /members': { items: [] },
}

const open = (at: string, answers: Answers = {}) => show(at, <BudgetsPage />, { ...NONE, ...answers })
const budgetNames = async () => {
  const section = await screen.findByRole('region', { name: 'Budgets' })
  return within(section)
    .getAllByRole('link')
    .map(({ textContent }) => textContent)
}

describe('The budgets page', () => {
  it('shows alerts without a destination as not sent, and says where to set one', async () => {
    const alerts = { items: [ALERT], hasDestination: false }
    await open('/budgets', { 'GET /alerts': alerts })
    const section = await screen.findByRole('region', { name: 'Alerts' })
    expect(within(section).getByText('not sent: no destination')).toBeTruthy()
    expect(within(section).queryByText('delivered')).toBeNull()
    expect(within(section).getByText('budgets.alerts.url')).toBeTruthy()
    const link = within(section).getByRole('link', { name: 'Add a destination' })
    expect(link.getAttribute('href')).toBe('/organization?tab=alerts')
  })

  it('shows members the budgets of others that restrict their keys: name, left and reset', async () => {
    const shared = { id: 'budget_9', scope: 'project', name: 'Team', period: 'month', soft: false, left: '0' } as const
    await open('/budgets', {
      'GET /me': account({ 'budgets.read': 'own', 'keys.read': 'own' }),
      'GET /budgets': { items: [] },
      'GET /budgets/shared': { items: [{ ...shared, resetAt: Date.now() + 3_600_000 }] },
    })
    const section = await screen.findByRole('region', { name: 'Shared budgets' })
    expect(section.textContent).toContain('Team')
    expect(section.textContent).toContain('$0.00 left per month, resets')
    expect(within(section).getByText('refuses requests')).toBeTruthy()
  })

  it('shows the budgets that restrict the chosen project and environment', async () => {
    const all = { 'GET /budgets': { items: [BUDGET, ...OTHERS] } }
    await open('/budgets?project=prj_1&environment=staging', all)
    expect((await budgetNames()).toSorted()).toEqual(['All', 'Key 2', 'Research'])
  })

  it('shows all budgets without a choice', async () => {
    await open('/budgets', { 'GET /budgets': { items: [BUDGET, ...OTHERS] } })
    expect(await budgetNames()).toHaveLength(6)
  })

  it('shows what gateways hold only if that refuses requests', async () => {
    await open('/budgets?row=budget_1')
    await screen.findByText('Left')
    expect(screen.queryByText('Held by gateways')).toBeNull()
  })

  it('shows what gateways hold if nothing else is left', async () => {
    await open('/budgets?row=budget_1', { 'GET /budgets': { items: [{ ...BUDGET, tiedUp: String(40 * DOLLAR) }] } })
    expect(await screen.findByText('Held by gateways')).toBeTruthy()
  })

  it('shows how many requests a budget refused, with a link to them', async () => {
    const refused = { requests: 3, lastAt: Date.now() - 60_000 }
    const key = { ...BUDGET, scope: 'key' as const, owner: 'key_1', refused }
    await open('/budgets?row=budget_1', { 'GET /budgets': { items: [key] } })
    const link = await screen.findByRole('link', { name: 'Show requests' })
    const query = new URL(link.getAttribute('href') ?? '', 'http://localhost').searchParams
    expect(Object.fromEntries(query)).toMatchObject({ key: 'key_1', outcome: 'refused', failure: 'over-budget' })
    expect(screen.getByText('3 requests refused in 24 hours.')).toBeTruthy()
  })

  it('shows how much of a rate limit is used now', async () => {
    const limited = { id: 'key_1', name: 'web', limits: { requestsPerMinute: 10, tokensPerMinute: 1_000 }, version: 1 }
    await open('/budgets', {
      'GET /limits': { keys: [{ ...limited, used: { requests: 4, tokens: 900 } }], projects: [], models: [] },
    })
    expect(await screen.findByRole('img', { name: 'web: 900 of 1,000 tokens in the last minute' })).toBeTruthy()
  })
})

describe('A budget', () => {
  it('is blocked if gateways hold all that is left of a hard limit', () => {
    const of = (spent: number, tiedUp: number, soft = false) =>
      isBlocked({ limit: '50', spent: String(spent), tiedUp: String(tiedUp), soft })
    expect([of(10, 1), of(10, 39), of(10, 40), of(10, 41), of(50, 0), of(10, 40, true)]).toEqual([
      false,
      false,
      true,
      true,
      false,
      false,
    ])
  })

  it('is in scope if it restricts requests of the project and environment', () => {
    const names = (scope: object) => budgetsInScope([BUDGET, ...OTHERS], scope, KEYS).map(({ name }) => name)
    expect(names({})).toHaveLength(6)
    expect(names({ project: 'prj_1' })).toEqual(['All', 'Research', 'Key 1', 'Key 2'])
    expect(names({ project: 'prj_2' })).toEqual(['All', 'Sales'])
    expect(names({ environment: 'production' })).toEqual(['All', 'Research', 'Sales', 'Key 1'])
  })
})

describe('The tightest rate limit', () => {
  it('is the one with the largest used part', () => {
    const limits = { requestsPerMinute: 10, tokensPerMinute: 100 }
    expect(tightestOf(limits, { requests: 5, tokens: 10 })?.text).toBe('5 of 10 requests in the last minute')
    expect(tightestOf(limits, { requests: 0, tokens: 120 })).toEqual({
      share: 1.2,
      text: '120 of 100 tokens in the last minute',
    })
    expect(tightestOf({ concurrent: 3 }, { requests: 5, tokens: 10 })).toBeUndefined()
  })
})
