// @vitest-environment happy-dom
import { screen, within } from '@testing-library/react'
import { describe, expect, it } from 'vitest'
import type { RequestDetails, RequestRow } from '../../web/api/usage.ts'
import { RequestsPage } from '../../web/pages/requests/page.tsx'
import { sessionSums } from '../../web/pages/requests/session-sums.ts'
// Pages load these on demand, which takes longer than queries of tests wait.
import '../../web/pages/requests/panel.tsx'
import '../../web/pages/requests/sessions.tsx'
import { ROW } from './request-row.ts'
import { type Answers, account, show } from './shown.tsx'

const NONE = {
  requests: 0,
  failed: 0,
  input: 0,
  output: 0,
  cacheRead: 0,
  cacheWrite: 0,
  unpriced: 0,
  usageUnknown: 0,
  charged: '0',
  cost: '0',
  held: '0',
}
const AT = Date.now() - 600_000
const request = (nth: number, given: Partial<RequestRow> = {}): RequestRow => ({
  ...ROW,
  id: `row_${nth}`,
  requestId: `req_${nth}`,
  at: AT + nth * 60_000,
  session: 'conversation-1',
  losses: [],
  ...given,
})
const ROWS = [
  request(0, { input: 1_000, cacheRead: 0, output: 50, charged: '1000000000' }),
  request(1, { input: 3_000, cacheRead: 2_000, output: 70, charged: '2000000000' }),
]

const ANSWERS: Answers = {
  'GET /me': account({ 'usage.read': 'all' }),
  'GET /models': { items: [] },
  'GET /providers': { items: [] },
  'GET /keys': { items: [] },
  // Newest first, as the API lists them.
  'GET /usage': { items: ROWS.toReversed() },
  'GET /spend': async ({ query }) =>
    ({
      items: [
        {
          ids: ['conversation-1'],
          names: ['conversation-1'],
          sums: { ...NONE, requests: 2, input: 4_000, cacheRead: 2_000, output: 120, charged: '3000000000' },
          before: NONE,
        },
      ],
      count: query['by'] === 'session' ? 1 : 0,
      total: { sums: NONE, before: NONE },
      zone: 'UTC',
    }) as never,
}

describe('Sessions', () => {
  it('are listed by spend, with their requests, tokens and cached input', async () => {
    await show('/requests?tab=sessions', <RequestsPage />, ANSWERS)
    const table = await screen.findByRole('table', { name: 'Sessions by spend' })
    const [, row] = within(table).getAllByRole('row')
    expect([...((row as HTMLTableRowElement | undefined)?.cells ?? [])].map(({ textContent }) => textContent)).toEqual([
      'conversation-1',
      '2',
      '4.1K',
      '50.0%',
      '$3.00',
    ])
    expect(within(table).getByRole('link').getAttribute('href')).toBe('/requests?tab=sessions&session=conversation-1')
  })

  it('have their requests in order, with sums', async () => {
    const { sent } = await show('/requests?tab=sessions&session=conversation-1', <RequestsPage />, ANSWERS)
    const table = await screen.findByRole('table', { name: 'Requests of the session in order' })
    const rows = within(table).getAllByRole('row').slice(1) as HTMLTableRowElement[]
    expect(rows.map(({ cells }) => cells[3]?.textContent)).toEqual(['1K', '3K'])
    expect(rows.map(({ cells }) => cells[4]?.textContent)).toEqual(['0.0%', '66.7%'])
    expect(screen.getByText(/2 requests in/).textContent).toContain('$3.00, 4K input and 120 output tokens, 50')
    expect(sent.find(({ name }) => name === 'GET /usage')?.query).toMatchObject({ session: 'conversation-1' })
  })

  it('are not listed for people who see only their own usage', async () => {
    const { sent } = await show('/requests?tab=sessions', <RequestsPage />, {
      ...ANSWERS,
      'GET /me': account({ 'usage.read': 'own' }),
    })
    expect(await screen.findByText('The list is for people who see all usage')).toBeTruthy()
    expect(sent.some(({ name }) => name === 'GET /spend')).toBe(false)
  })

  it('do not take unknown amounts for nothing', () => {
    expect(sessionSums([request(0, { charged: null, input: null, output: null })])).toMatchObject({
      charged: null,
      isWhole: false,
      input: null,
      cacheShare: null,
    })
    expect(sessionSums([request(0, { charged: null }), request(1, { charged: '5' })])).toMatchObject({
      charged: 5n,
      isWhole: false,
    })
  })
})

describe('The panel of a request', () => {
  const details = (given: Partial<RequestDetails>): Answers => ({
    ...ANSWERS,
    'GET /usage/{request}': { ...request(1), attempts: [], ...given } as RequestDetails,
  })

  it('links to its exported trace and to its session', async () => {
    const traceUrl = 'https://traces.example.com/trace/4bf9'
    await show('/requests?row=req_1', <RequestsPage />, details({ traceId: '4bf9', traceUrl }))
    expect((await screen.findByRole('link', { name: 'Open trace' })).getAttribute('href')).toBe(traceUrl)
    expect(screen.getByRole('link', { name: 'conversation-1' }).getAttribute('href')).toContain('tab=sessions')
  })

  it('has no link to a trace that was not exported', async () => {
    await show('/requests?row=req_1', <RequestsPage />, details({ traceId: '4bf9' }))
    await screen.findByRole('link', { name: 'conversation-1' })
    expect(screen.queryByRole('link', { name: 'Open trace' })).toBeNull()
  })
})
