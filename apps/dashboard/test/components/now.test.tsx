// @vitest-environment happy-dom
import { screen, within } from '@testing-library/react'
import { describe, expect, it, vi } from 'vitest'
import type { NowMinute, NowReport } from '../../web/api/now.ts'
import { NowPage } from '../../web/pages/now/page.tsx'
import { markText, outcomeSeries, totalsOf } from '../../web/pages/now/sums.ts'
import { account, show } from './shown.tsx'

// The canvas of a chart needs a browser.
vi.mock('../../web/charts/plot.tsx', () => ({ Plot: () => null }))

const MINUTE = 60_000
const NOON = Math.floor(Date.now() / MINUTE) * MINUTE

function minute(ago: number, change: Partial<NowMinute> = {}): NowMinute {
  const start = NOON - ago * MINUTE
  return { start, requests: 0, charged: '0', byOutcome: {}, byFailure: {}, byProvider: {}, ...change }
}

const PROVIDER: NowReport['providers'][number] = {
  name: 'acme',
  adapter: 'acme',
  kind: 'provider',
  families: ['chat'],
  state: 'healthy',
  why: '',
  package: { name: 'acme', version: '1.0.0' },
}

const REPORT: NowReport = {
  at: NOON,
  minutes: [
    minute(2, {
      requests: 3,
      charged: '2000000000',
      byOutcome: { served: 3 },
      byProvider: { acme: { calls: 3, failed: 0 } },
    }),
    minute(1, {
      requests: 5,
      charged: '500000000',
      byOutcome: { served: 1, 'failed-over': 1, cut: 1, failed: 1, canceled: 1 },
      byFailure: { overloaded: 1, cut: 1, canceled: 1 },
      byProvider: { acme: { calls: 4, failed: 2 } },
    }),
    minute(0),
  ],
  firstByte: { p50: 200, p95: 900, requests: 4 },
  providers: [
    { ...PROVIDER, calls: 7, failed: 2 },
    {
      ...PROVIDER,
      name: 'zeta',
      state: 'failing',
      calls: 12,
      failed: 12,
      since: NOON - 5 * MINUTE,
      lastError: { at: NOON, kind: 'our-credential', status: 401, request: 'req_5' },
    },
  ],
  cooldowns: [{ provider: 'zeta', model: 'big', until: NOON + 30 * MINUTE, kind: 'rate-limited' }],
  refusals: { total: 6, byKind: { 'over-limit': 2, 'over-budget': 4 } },
  budgets: [
    { id: 'budget_1', name: 'Team', scope: 'project', soft: false, left: '0', percent: 104, resetAt: NOON + MINUTE },
    { id: 'budget_2', name: 'Lab', scope: 'key', soft: false, left: '10000000', percent: 85 },
    { id: 'budget_4', name: 'Small', scope: 'key', soft: false, left: '9', percent: 3, refused: 7 },
    { id: 'budget_3', name: 'All', scope: 'organization', soft: false, left: '0' },
  ],
  marks: [{ at: NOON - MINUTE, what: 'key.revoke', target: 'key_1' }],
}

const AUDITOR = account({ 'usage.read': 'all', 'audit.read': 'all', 'keys.read': 'all' })
const KEY = {
  id: 'key_1',
  prefix: 'hg_p_01…ef',
  name: 'web-prod',
  project: 'prj_1',
  environment: 'staging',
  createdAt: 0,
  version: 1,
}

describe('The page Now', () => {
  const open = (report: NowReport, me = AUDITOR) =>
    show('/now', <NowPage />, {
      'GET /now': report,
      'GET /me': me,
      'GET /keys': { items: [{ ...KEY, secrets: [] }] } as never,
    })
  const region = (name: string) => screen.findByRole('region', { name })

  it('shows requests, failures, latency, refusals and spend of the last hour', async () => {
    const { sent } = await open(REPORT)
    expect((await screen.findByRole('link', { name: /^Requests ?8/ })).getAttribute('href')).toBe('/requests?range=1h')
    const failed = screen.getByRole('link', { name: /^Failure rate ?25\.0%/ })
    expect(failed.textContent).toContain('2 requests · 1 failover')
    expect(failed.getAttribute('href')).toContain('outcome=failed')
    expect(screen.getByText('900 ms')).toBeTruthy()
    expect(screen.getByRole('link', { name: /^Refused ?6/ })).toBeTruthy()
    expect(screen.getByText('$2.50')).toBeTruthy()
    expect(
      screen.getByText(
        'Requests of the last hour by outcome: 4 served, 1 failed over, 1 cut off, 1 canceled, 1 failed.',
      ),
    ).toBeTruthy()
    expect(sent.filter(({ name }) => name === 'GET /now')).toHaveLength(1)
  })

  it('shows failures by kind and refusals by kind, each with its requests', async () => {
    await open(REPORT)
    const failures = within(await region('Failures')).getAllByRole('listitem')
    expect(failures.map(({ textContent }) => textContent)).toEqual([
      'response incomplete1 request',
      'provider overloaded1 request',
    ])
    const refusals = within(await region('Refusals'))
    expect(refusals.getAllByRole('listitem').map(({ textContent }) => textContent)).toEqual([
      'budget exceeded4 requests',
      'rate limit exceeded2 requests',
    ])
    expect(refusals.getAllByRole('link')[0]?.getAttribute('href')).toContain('failure=over-budget')
  })

  it('shows failing providers first, since when, their last error and cooldowns', async () => {
    await open(REPORT)
    const [first, second] = within(await region('Providers')).getAllByRole('listitem')
    expect(first?.textContent).toContain('zeta')
    expect(first?.textContent).toContain('failing')
    expect(first?.textContent).toMatch(/since [56]/)
    expect(first?.textContent).toContain('provider rejected the gateway’s API key, status 401')
    expect(first?.textContent).toMatch(/Cooldown: big for (?:29|30) m.* \(rate limited by the provider\)/)
    expect(second?.textContent).toContain('7 calls in 15 minutes, 2 failed')
    expect(within(second as HTMLElement).getByRole('img', { name: '7 calls in 3 minutes, 2 failed' })).toBeTruthy()
  })

  it('shows budgets that refuse requests, and links only to budgets that have a page', async () => {
    await open(REPORT)
    const budgets = within(await region('Budgets at their limit'))
    expect(budgets.getAllByText('refuses requests')).toHaveLength(3)
    expect(budgets.getByText(/7 requests refused/)).toBeTruthy()
    expect(budgets.getByText('85%')).toBeTruthy()
    const links = budgets.getAllByRole('link').map(({ textContent }) => textContent)
    expect(links).toEqual(['All budgets', 'Team', 'Lab', 'Small'])
  })

  it('names changes, only to those who may read the audit log', async () => {
    await open(REPORT)
    expect(await screen.findByText('Key revoked: web-prod')).toBeTruthy()
    expect(within(await region('Changes')).getAllByRole('listitem')).toHaveLength(1)
  })

  it('has no changes for members', async () => {
    await open({ ...REPORT, marks: [] }, account({ 'usage.read': 'own' }))
    await region('Providers')
    expect(screen.queryByRole('region', { name: 'Changes' })).toBeNull()
  })

  it('says what to do without requests', async () => {
    const none = { ...REPORT, minutes: [minute(1), minute(0)], refusals: { total: 0, byKind: {} }, firstByte: null }
    await open(none)
    expect(await screen.findByText('No requests in the last hour')).toBeTruthy()
    expect(await screen.findByText('No failures in the last hour.')).toBeTruthy()
    expect(await screen.findByText('No requests were refused in the last hour.')).toBeTruthy()
  })
})

describe('The sums of Now', () => {
  it('count cut responses as failures, and failovers as served', () => {
    expect(totalsOf(REPORT.minutes)).toEqual({ requests: 8, failed: 2, failedOver: 1, charged: 2_500_000_000n })
    expect(outcomeSeries(REPORT.minutes).map(({ id, values }) => [id, values])).toEqual([
      ['served', [3, 1, 0]],
      ['failed-over', [0, 1, 0]],
      ['cut', [0, 1, 0]],
      ['canceled', [0, 1, 0]],
      ['failed', [0, 1, 0]],
    ])
  })

  it('name a change without showing an id', () => {
    const names = new Map([['key_1', 'web']])
    expect(markText({ what: 'key.create', target: 'key_1' }, names)).toBe('Key created: web')
    expect(markText({ what: 'key.create', target: 'key_2' }, names)).toBe('Key created')
    expect(markText({ what: 'price.set', target: 'acme/big' }, names)).toBe('Price set: acme/big')
    expect(markText({ what: 'credential.new-action' }, names)).toBe('credential new action')
  })
})
