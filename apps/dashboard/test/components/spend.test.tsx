// @vitest-environment happy-dom
import { screen, waitFor, within } from '@testing-library/react'
import { describe, expect, it } from 'vitest'
import type { MonthStatement, SpendAnswer, SpendRow } from '../../web/api/spend.ts'
import { budgetsInScope } from '../../web/budgets/scope.ts'
import { Figure } from '../../web/components/figure.tsx'
import { orderOf } from '../../web/pages/spend/group-table.tsx'
import { SpendPage } from '../../web/pages/spend/page.tsx'
import { RangePicker } from '../../web/shell/range-picker.tsx'
import { type Answers, account, choose, type Sent, show } from './shown.tsx'

const NONE = {
  requests: 0,
  failed: 0,
  unpriced: 0,
  input: 0,
  output: 0,
  cacheRead: 0,
  cacheWrite: 0,
  charged: '0',
  cost: '0',
  held: '0',
}

function group(name: string, dollars: number, before = 0): SpendRow {
  const sums = (amount: number) => ({ ...NONE, requests: 100, failed: 4, charged: String(amount * 1_000_000_000) })
  return { ids: [`key_${name}`], names: [name], sums: sums(dollars), before: sums(before) }
}

const GROUPS = Array.from({ length: 120 }, (_, place) => group(`k${place}`, 120 - place, 60))

/** Pages of the groups that a search matches, as the API answers. */
function spendOf({ query }: Sent): SpendAnswer {
  const matching = GROUPS.filter(({ names: [name] }) => name?.includes(query['search'] ?? ''))
  const start = Number(query['cursor'] ?? 0)
  const end = start + Number(query['limit'])
  const total = {
    sums: { ...NONE, requests: 12_000, charged: '9000000000' },
    before: { ...NONE, requests: 11_000, charged: '8000000000' },
  }
  return {
    items: matching.slice(start, end),
    movers: GROUPS.slice(0, 6),
    ...(end < matching.length && { cursor: String(end) }),
    count: matching.length,
    total,
    from: 0,
    to: 1,
    before: 0,
    beforeTo: 0,
    zone: 'UTC',
  }
}

const ALL = { 'usage.read': 'all', 'budgets.read': 'all', 'keys.read': 'all' }
const ANSWERS: Answers = {
  'GET /me': account(ALL),
  'GET /spend': async (sent) => spendOf(sent),
  'GET /usage/series': { points: [], zone: 'UTC' },
  'GET /usage/latency': { firstByteMs: null },
  'GET /budgets': { items: [] },
  'GET /keys': { items: [] },
}

/** A busy machine needs longer than usual for the first page. */
const SOON = { timeout: 10_000 }
const table = () => screen.findByRole('table', { name: /^Usage by/ }, SOON)

describe('The page of spend', () => {
  it('lists all groups in pages with their names, and finds them by name', async () => {
    const { user, sent } = await show('/spend?by=key', <SpendPage />, ANSWERS)
    expect(within(await table()).getByText('k0')).toBeTruthy()
    expect(screen.getByText(/50 of 120 groups/)).toBeTruthy()
    await user.click(screen.getByRole('button', { name: 'Show more' }))
    await screen.findByText(/100 of 120 groups/)
    await user.type(screen.getByRole('searchbox', { name: 'Find a group' }), 'k119')
    await screen.findByText('1 group')
    expect(within(await table()).getByText('k119')).toBeTruthy()
    expect(sent.some(({ name, query }) => name === 'GET /spend' && query['search'] === 'k119')).toBe(true)
  })

  it('has a subgroup, an order and the period before, which the server computes', async () => {
    const at = '/spend?by=project&then=model&range=2025-10&zone=America/Los_Angeles&sort=-change'
    const { sent } = await show(at, <SpendPage />, ANSWERS)
    await table()
    const asked = sent.find(({ name, query }) => name === 'GET /spend' && query['by'] === 'project,model')
    expect(asked?.query).toMatchObject({
      from: String(Date.parse('2025-10-01T07:00Z')),
      to: String(Date.parse('2025-11-01T07:00Z')),
      before: String(Date.parse('2025-09-01T07:00Z')),
      beforeTo: String(Date.parse('2025-10-01T07:00Z')),
      sort: 'change',
    })
    const series = sent.find(({ name }) => name === 'GET /usage/series')
    expect(series?.query).toMatchObject({ by: 'project,model', zone: 'America/Los_Angeles', top: '5', step: 'day' })
  })

  it('keeps the names in the chart while the table shows other groups', async () => {
    const points = [
      { start: Date.now(), names: ['key_k0'], counts: { requests: 1 }, failed: 0, cost: '1', charged: '1', held: '0' },
    ]
    const { user } = await show('/spend?by=key', <SpendPage />, {
      ...ANSWERS,
      'GET /usage/series': { points, zone: 'UTC' },
    })
    await table()
    await user.type(screen.getByRole('searchbox', { name: 'Find a group' }), 'k119')
    await screen.findByText('1 group', undefined, SOON)
    const chart = screen.getByRole('region', { name: 'Spend by key' })
    expect(within(chart).getByRole('button', { name: 'k0' })).toBeTruthy()
  })

  it('names the biggest changes', async () => {
    await show('/spend?by=key', <SpendPage />, ANSWERS)
    const movers = await screen.findByRole('region', { name: 'Biggest changes' })
    expect((await within(movers).findByText('k0')).getAttribute('href')).toContain('key=key_k0')
    expect(movers.textContent).toContain('▲ $60.00')
    expect(movers.textContent).toContain('$60.00 → $120.00')
  })

  it('offers end users, sessions and tags only to those who see all usage', async () => {
    const { user } = await show('/spend', <SpendPage />, { ...ANSWERS, 'GET /me': account({ 'usage.read': 'own' }) })
    await table()
    await user.click(screen.getByRole('combobox', { name: 'Group by' }))
    expect(await screen.findByRole('option', { name: 'by key' })).toBeTruthy()
    expect(screen.queryByRole('option', { name: 'by end user' })).toBeNull()
  })

  it('shows the statement of a month, and has its file', async () => {
    const sums = { ...NONE, requests: 3, charged: '1500000000', cost: '1000000000' }
    const statement: MonthStatement = {
      month: '2026-10',
      zone: 'UTC',
      from: 0,
      to: 1,
      isComplete: true,
      total: sums,
      lines: [{ project: 'prj_1', projectName: 'Web', model: 'm', sums }],
      providers: [],
    }
    await show('/spend?statement=2026-10&project=prj_1', <SpendPage />, {
      ...ANSWERS,
      'GET /spend/statement': statement,
    })
    const lines = await screen.findByRole('table', { name: 'Usage by project and model' })
    expect(
      within(lines)
        .getAllByRole('row')
        .map(({ textContent }) => textContent),
    ).toEqual(['ProjectModelRequestsTokensChargedProvider cost', 'Webm30$1.50$1.00', 'Total30$1.50$1.00'])
    expect(screen.getByRole('link', { name: 'CSV' }).getAttribute('href')).toContain(
      '/spend/statement?month=2026-10&zone=UTC&project=prj_1&format=csv',
    )
  })
})

describe('The order of groups', () => {
  it('is the greatest first, and names by alphabet', () => {
    expect([undefined, '-requests', 'requests', 'name', '-name', 'bogus'].map((text) => orderOf(text))).toEqual([
      { sort: 'spend', order: 'usual' },
      { sort: 'requests', order: 'usual' },
      { sort: 'requests', order: 'reversed' },
      { sort: 'name', order: 'usual' },
      { sort: 'name', order: 'reversed' },
      { sort: 'spend', order: 'reversed' },
    ])
  })
})

describe('A change of a figure', () => {
  const tone = async (delta: NonNullable<Parameters<typeof Figure>[0]['delta']>) => {
    await show(
      '/spend',
      <Figure title="Figure" delta={delta}>
        1
      </Figure>,
    )
    return screen.getByText(/[▲▼=]/).className.match(/text-\w+/)?.[0] ?? ''
  }

  it.each([
    ['of spend', { share: 0.5 }, ''],
    ['of latency by chance', { share: 0.003, isWorse: true }, ''],
    ['of latency', { share: 0.2, isWorse: true }, 'text-bad'],
    ['for the better', { share: -0.2, isWorse: true }, 'text-good'],
    ['of a share by chance', { share: 0.008, isWorse: true, isPoints: true }, ''],
    ['of a share', { share: 0.02, isWorse: true, isPoints: true }, 'text-bad'],
  ])('is good or bad only where it says something: %s', async (_, delta, expected) => {
    expect(await tone(delta)).toBe(expected)
  })
})

describe('Budgets beside the chart', () => {
  it('restrict the chosen project', () => {
    const keys = [{ id: 'key_1', project: 'prj_1', environment: 'production' }]
    const of = (scope: 'key' | 'project' | 'organization' | 'member', owner: string) =>
      budgetsInScope([{ scope, owner }], { project: 'prj_1' }, keys).length === 1
    expect([of('project', 'prj_1'), of('key', 'key_1'), of('organization', 'org_1')]).toEqual([true, true, true])
    expect([of('project', 'prj_2'), of('key', 'key_2'), of('member', 'usr_1')]).toEqual([false, false, false])
  })
})

describe('The range of the pages', () => {
  it('is chosen among calendar periods, months and custom ranges', async () => {
    const { user, address } = await show('/spend?range=7d', <RangePicker />, ANSWERS)
    await choose(user, 'Time range', 'This month')
    await waitFor(() => expect(address()).toBe('/spend?range=this-month'))
    await choose(user, 'Time range', 'Custom…')
    await waitFor(() => expect(address()).toMatch(/range=\d{4}-\d\d-\d\d.*\.\./))
    expect(await screen.findByRole('button', { name: /^Custom time range/ })).toBeTruthy()
  })
})
