// @vitest-environment happy-dom
import { screen, waitFor, within } from '@testing-library/react'
import { beforeEach, describe, expect, it } from 'vitest'
import type { ResponseOf } from '../../web/api/call.ts'
import type { RequestDetails, RequestRow } from '../../web/api/usage.ts'
import { ChatPart } from '../../web/pages/playground/chat/chat.tsx'
import { RequestsPage } from '../../web/pages/requests/page.tsx'
// Pages load it on demand, which takes longer than queries of tests wait.
import '../../web/pages/requests/panel.tsx'
import { CommandMenu } from '../../web/shell/command-menu.tsx'
import { listenToKeys } from '../../web/shell/shortcuts.ts'
import { type Answers, account, choose, refusal, show } from './shown.tsx'

const ID = `req_01932c07209c${'5'.repeat(20)}`
const ROW: RequestRow = {
  id: 'row_1',
  requestId: 'req_1',
  at: Date.now() - 60_000,
  principal: 'key_1',
  project: null,
  environment: null,
  member: null,
  keyName: 'web-shop',
  projectName: null,
  memberName: null,
  family: 'chat',
  format: 'messages',
  model: 'best',
  provider: 'east',
  endpoint: null,
  providerModel: 'm',
  policy: null,
  routing: null,
  stream: true,
  translated: true,
  status: 200,
  outcome: 'served',
  input: 1_200,
  output: 34,
  cacheRead: null,
  cacheWrite: null,
  cacheWriteLong: null,
  reasoning: null,
  audioInput: null,
  audioOutput: null,
  imageInput: null,
  imageOutput: null,
  variant: null,
  units: null,
  estimated: false,
  cost: '1500000',
  charged: '2500000',
  held: null,
  priceId: 'prc_1',
  billed: true,
  why: 'served',
  finish: 'stop',
  failure: null,
  losses: [{}],
  endUser: null,
  session: null,
  traceId: null,
  corrects: null,
  firstByteMs: 120,
  durationMs: 2_000,
}
const REFUSED: RequestRow = {
  ...ROW,
  id: 'row_9',
  requestId: 'req_9',
  provider: '',
  providerModel: '',
  status: 429,
  outcome: 'refused',
  why: 'failed',
  failure: 'over-budget',
  charged: '0',
  cost: '0',
  input: null,
  output: null,
  losses: [],
  firstByteMs: null,
}
const MODELS: Answers = {
  'GET /models': { items: [] },
  'GET /providers': { items: [] },
  'GET /keys': { items: [] },
  'GET /me': account({ 'usage.read': 'all', 'keys.read': 'all', 'providers.read': 'all', 'playground.use': 'all' }),
}

/** API with a list of requests, by the query of the call. */
function answers(usage: (query: Readonly<Record<string, string>>) => ResponseOf<'GET /usage'>, others: Answers = {}) {
  return Object.assign(
    { ...MODELS, 'GET /usage': async ({ query }: { query: Readonly<Record<string, string>> }) => usage(query) },
    others,
  )
}

/** Texts of the cells of a row, without its time. */
async function cells(name: RegExp) {
  const row = (await screen.findByRole('rowheader', { name })).closest('tr')
  return [...(row?.cells ?? [])].slice(1).map(({ textContent }) => textContent)
}

const names = () => screen.getAllByRole('rowheader').map(({ textContent }) => textContent)
const usageCalls = (sent: Awaited<ReturnType<typeof show>>['sent']) => sent.filter(({ name }) => name === 'GET /usage')

beforeEach(() => localStorage.clear())

describe('The list of requests', () => {
  it('has a row for each request: outcome, model, reason, key, usage, times and cost', async () => {
    const cut: RequestRow = {
      ...ROW,
      id: 'row_2',
      requestId: 'req_2',
      outcome: 'cut',
      why: 'cut',
      failure: 'upstream',
      charged: null,
      losses: [],
    }
    await show(
      '/requests',
      <RequestsPage />,
      answers(() => ({ items: [ROW, cut, REFUSED] })),
    )
    expect(await cells(/1 field lost/)).toEqual([
      '200',
      'best → east · 1 field lost',
      '',
      'web-shop',
      '1.2K / 34',
      '120 ms / 2.00 s',
      '$0.002500',
    ])
    // A stream that broke off is not a success, although its status is 200.
    expect(await cells(/east$/)).toEqual([
      'cut off200',
      'best → east',
      'provider error',
      'web-shop',
      '1.2K / 34',
      '120 ms / 2.00 s',
      'unknown',
    ])
    // A refused request has no provider, usage or cost.
    expect(await cells(/^best$/)).toEqual(['refused429', 'best', 'budget exceeded', 'web-shop', '–', '2.00 s', '–'])
    expect(screen.getByText('$0.002500').title).toBe('$0.0025')
    expect(screen.getByRole('link', { name: /1 field lost/ }).getAttribute('href')).toBe('/requests?row=req_1')
  })

  it('shows usage in its own unit, and the name of a key to those who may not list keys', async () => {
    const searches: RequestRow = { ...ROW, input: 0, output: 0, units: { searches: 3 }, losses: [] }
    const { sent } = await show(
      '/requests',
      <RequestsPage />,
      answers(
        () => ({
          items: [
            searches,
            { ...searches, id: 'b', requestId: 'req_b', model: 'one', units: { searches: 1 } },
            { ...searches, id: 'c', requestId: 'req_c', model: 'video', units: { seconds: 5 } },
          ],
        }),
        { 'GET /me': account({ 'usage.read': 'all' }) },
      ),
    )
    expect((await cells(/^best/)).slice(3, 5)).toEqual(['web-shop', '3 searches'])
    expect((await cells(/^one/))[4]).toBe('1 search')
    expect((await cells(/^video/))[4]).toBe('5 s')
    expect(sent.some(({ name }) => name === 'GET /keys')).toBe(false)
  })

  it('goes on with the next page by a button, until the last', async () => {
    const { user } = await show(
      '/requests',
      <RequestsPage />,
      answers(({ cursor }) =>
        cursor === undefined
          ? { items: [ROW], cursor: 'older', searchedUntil: 0 }
          : { items: [{ ...ROW, id: 'row_3', requestId: 'req_3', model: 'older' }] },
      ),
    )
    await user.click(await screen.findByRole('button', { name: 'Older requests' }))
    await waitFor(() => expect(names()).toEqual(['best → east · 1 field lost', 'older → east · 1 field lost']))
    expect(screen.queryByRole('button', { name: 'Older requests' })).toBeNull()
  })

  it('is empty because of its filters, which are taken away, or of its time', async () => {
    const { user, address } = await show(
      '/requests?model=none',
      <RequestsPage />,
      answers(() => ({ items: [] })),
    )
    expect(await screen.findByText('No matching requests')).toBeTruthy()
    await user.click(screen.getByRole('button', { name: 'Clear 1 filter' }))
    expect(await screen.findByText(/^No requests in the /)).toBeTruthy()
    expect(address()).toBe('/requests')
  })

  it('is sorted by the API, and by time again after a second click', async () => {
    const { user, sent, address } = await show(
      '/requests?range=30d',
      <RequestsPage />,
      answers(() => ({ items: [ROW] })),
    )
    await user.click(await screen.findByRole('button', { name: 'Cost' }))
    await screen.findByRole('table', { name: 'Requests, by cost' })
    expect(screen.getByRole('columnheader', { name: 'Cost' }).getAttribute('aria-sort')).toBe('descending')
    const { from, to, sort } = usageCalls(sent).at(-1)?.query ?? {}
    // The API sorts at most 7 days.
    expect([sort, Number(to) - Number(from)]).toEqual(['cost', 7 * 86_400_000])
    expect(screen.getByText(/^Sorted by cost, among the requests of the last 7 days/)).toBeTruthy()
    await user.click(screen.getByRole('button', { name: 'Cost' }))
    await screen.findByRole('table', { name: 'Requests, newest first' })
    expect(address()).toBe('/requests?range=30d')
  })

  it('has the columns that the user chose, also at the next visit', async () => {
    const page = answers(() => ({ items: [ROW] }))
    const { user, address } = await show('/requests', <RequestsPage />, page)
    await screen.findByRole('columnheader', { name: 'Reason' })
    await user.click(screen.getByRole('checkbox', { name: 'Reason' }))
    await user.click(screen.getByRole('checkbox', { name: 'Format' }))
    await screen.findByRole('columnheader', { name: 'Format' })
    expect(screen.queryByRole('columnheader', { name: 'Reason' })).toBeNull()
    expect(address()).toContain('columns=at%2Coutcome%2Cmodel%2Ckey%2Cformat')
    await show('/requests', <RequestsPage />, page)
    await waitFor(() => expect(screen.getAllByRole('columnheader', { name: 'Format' })).toHaveLength(2))
  })

  it('has rows of the height that the user chose, only while it is open', async () => {
    const { user } = await show(
      '/requests',
      <RequestsPage />,
      answers(() => ({ items: [ROW] })),
    )
    const height = () => document.documentElement.style.getPropertyValue('--row')
    await user.click(await screen.findByLabelText('Compact rows'))
    await waitFor(() => expect(height()).toBe('24px'))
    await user.click(screen.getByLabelText('Automatic row height'))
    await waitFor(() => expect(height()).toBe(''))
  })
})

describe('The filters of requests', () => {
  const catalog: Answers = {
    'GET /models': { items: ['big', 'small'].map((id) => ({ id, providers: [] })) } as never,
  }
  const empty = answers(() => ({ items: [] }), catalog)

  it('take several values, and exclude them', async () => {
    const { user, address, sent } = await show('/requests', <RequestsPage />, empty)
    await choose(user, 'Add filter', 'Model')
    await user.click(await screen.findByRole('option', { name: 'big' }))
    await user.click(await screen.findByRole('option', { name: 'small' }))
    await waitFor(() => expect(address()).toBe('/requests?model=big%2Csmall'))
    await user.keyboard('{Escape}')
    await user.click(screen.getByRole('button', { name: 'is' }))
    await waitFor(() => expect(address()).toBe('/requests?model=%21big%2Csmall'))
    await waitFor(() => expect(usageCalls(sent).at(-1)?.query['model']).toBe('!big,small'))
    // The button that clears all filters removes the token, too.
    await user.click(await screen.findByRole('button', { name: 'Clear 1 filter' }))
    await waitFor(() => expect(screen.queryByRole('group', { name: 'Model filter' })).toBeNull())
    await choose(user, 'Add filter', 'Provider')
    await user.click(screen.getByRole('button', { name: 'Remove filter: Provider' }))
    expect(screen.queryByRole('group', { name: 'Provider filter' })).toBeNull()
    await waitFor(() => expect(address()).toBe('/requests'))
  })

  it('select outcomes by buttons, such as all that went wrong', async () => {
    const { user, sent, address } = await show('/requests', <RequestsPage />, empty)
    const group = await screen.findByRole('group', { name: 'Outcomes' })
    await user.click(within(group).getByRole('button', { name: 'failed' }))
    await user.click(within(group).getByRole('button', { name: 'cut off' }))
    await waitFor(() => expect(usageCalls(sent).at(-1)?.query['outcome']).toBe('cut,failed'))
    expect(within(group).getByRole('button', { name: 'failed' }).getAttribute('aria-pressed')).toBe('true')
    await user.click(within(group).getByRole('button', { name: 'failed' }))
    await user.click(within(group).getByRole('button', { name: 'cut off' }))
    await waitFor(() => expect(address()).toBe('/requests'))
  })

  it('have ranges, and say what a wrong value should look like', async () => {
    const { user, address } = await show('/requests', <RequestsPage />, empty)
    await choose(user, 'Add filter', 'Duration')
    const field = await screen.findByLabelText('Duration at least')
    await user.type(field, 'fast{Enter}')
    expect(await screen.findByText('Enter a duration, such as 800 ms or 5 s.')).toBeTruthy()
    expect(address()).toBe('/requests')
    await user.clear(field)
    await user.type(field, '2,5 s{Enter}')
    await waitFor(() => expect(address()).toBe('/requests?minMs=2500'))
    await user.type(await screen.findByLabelText('Duration at most'), '1{Enter}')
    expect(await screen.findByText('The maximum is below the minimum.')).toBeTruthy()
  })

  it('refuse a value that cannot match, and suggest tags of the rows', async () => {
    const rows = answers(() => ({ items: [{ ...ROW, tags: { team: 'search' } }] }), catalog)
    const { user, address } = await show('/requests', <RequestsPage />, rows)
    await screen.findByRole('rowheader')
    await choose(user, 'Add filter', 'Status')
    await user.type(await screen.findByRole('combobox', { name: 'Search: Status: values' }), '5')
    await user.click(await screen.findByRole('option', { name: /^5\b/ }))
    expect(await screen.findByText('A status has three digits, such as 429.')).toBeTruthy()
    expect(address()).toBe('/requests')
    await user.keyboard('{Escape}')
    await choose(user, 'Add filter', 'Tag')
    await user.click(await screen.findByRole('option', { name: 'team=search' }))
    await waitFor(() => expect(address()).toBe('/requests?tag=team%3Dsearch'))
  })
})

describe('Saved views', () => {
  const saved = { id: 'viw_1', name: 'Slow', page: 'requests', createdAt: 0, isTeams: true } as const
  const views: Answers = {
    'GET /views': { items: [{ ...saved, search: 'minMs=5000&sort=duration&range=24h&row=x&unknown=1' }] },
    'PUT /views': { ...saved, search: '' },
    'GET /me': account({ 'usage.read': 'all', 'views.write': 'all' }),
  }
  const page = answers(() => ({ items: [ROW] }), views)

  it('keep filters, order and range under a name, for oneself or the team', async () => {
    const { user, writes } = await show('/requests?outcome=failed&sort=cost&range=24h', <RequestsPage />, page)
    await user.click(await screen.findByText('Save current view…'))
    await user.type(await screen.findByLabelText('Name'), 'Expensive failures')
    await user.click(screen.getByLabelText('For all members of the organization'))
    await user.click(screen.getByRole('button', { name: 'Save view' }))
    await waitFor(() =>
      expect(writes().map(({ name, body }) => [name, body])).toEqual([
        [
          'PUT /views',
          {
            page: 'requests',
            name: 'Expensive failures',
            search: 'outcome=failed&sort=cost&range=24h',
            isTeams: true,
          },
        ],
      ]),
    )
  })

  it('open by a link, without parameters that the page does not have', async () => {
    await show('/requests?outcome=failed', <RequestsPage />, page)
    const link = await screen.findByRole('link', { name: 'Slow', hidden: true })
    expect(link.getAttribute('href')).toBe('/requests?minMs=5000&sort=duration&range=24h')
    expect(screen.getByLabelText('Delete view Slow')).toBeTruthy()
  })

  it('of the team are not changed by members', async () => {
    const { user } = await show(
      '/requests',
      <RequestsPage />,
      Object.assign({ ...page }, { 'GET /me': account({ 'usage.read': 'own', 'views.write': 'own' }) }),
    )
    await screen.findByRole('link', { name: 'Slow', hidden: true })
    expect(screen.queryByLabelText('Delete view Slow')).toBeNull()
    await user.click(screen.getByText('Save current view…'))
    await screen.findByLabelText('Name')
    expect(screen.queryByLabelText('For all members of the organization')).toBeNull()
  })
})

const DETAILS: RequestDetails = {
  ...ROW,
  requestId: ID,
  status: 502,
  outcome: 'failed',
  why: 'failed',
  failure: 'upstream',
  message: 'The provider east could not be reached (ECONNREFUSED).',
  attempts: [
    {
      family: null,
      provider: 'east',
      endpoint: null,
      model: 'm',
      startedAt: ROW.at,
      durationMs: 10,
      status: 400,
      failure: 'upstream',
      code: 'unsupported_parameter',
      cost: '0',
      priceId: null,
      words: 'east: Unsupported parameter: <b>top_k</b>',
    },
  ],
}

describe('The panel of a request', () => {
  it('begins with the message to the caller and the words of the provider, as text', async () => {
    await show(
      `/requests?row=${ID}`,
      <RequestsPage />,
      answers(() => ({ items: [ROW] }), { 'GET /usage/{request}': DETAILS }),
    )
    const box = await screen.findByRole('region', { name: 'Failure' })
    expect(box.textContent).toContain('Failed: provider error')
    expect(box.textContent).toContain('The provider east could not be reached (ECONNREFUSED).')
    expect(box.textContent).toContain('east: Unsupported parameter: <b>top_k</b> unsupported_parameter')
    expect(box.querySelector('b')).toBeNull()
    expect(screen.getByRole('link', { name: 'Open in playground' }).getAttribute('href')).toBe(
      '/playground?kind=chat&models=best',
    )
  })

  it('has no attempts, cost or usage of a refused request, and names the budget', async () => {
    const refused = { ...REFUSED, requestId: ID, message: 'Budget “Team” is used up.' }
    const budget = { id: 'budget_1', name: 'Team', limit: '1', spent: '1', period: 'day' }
    await show(
      `/requests?row=${ID}`,
      <RequestsPage />,
      answers(() => ({ items: [] }), {
        'GET /usage/{request}': { ...refused, limit: { kind: 'budget', id: 'budget_1' } },
        'GET /me': account({ 'usage.read': 'all', 'budgets.read': 'all' }),
        'GET /budgets': { items: [budget] } as never,
      }),
    )
    const box = await screen.findByRole('region', { name: 'Failure' })
    expect(box.textContent).toContain('Refused: budget exceeded')
    expect(box.textContent).toContain('Budget “Team” is used up.')
    const link = await within(box).findByRole('link', { name: 'Team' })
    expect(link.getAttribute('href')).toBe('/budgets?row=budget_1')
    expect(screen.queryByRole('region', { name: 'Attempts' })).toBeNull()
    expect(screen.queryByRole('region', { name: 'Usage' })).toBeNull()
  })

  it('says why there is no record, with the ID that was looked for', async () => {
    const missing = answers(() => ({ items: [] }), {
      'GET /usage/{request}': () => refusal(404, 'There is no such request.'),
    })
    await show(`/requests?row=${ID}`, <RequestsPage />, missing)
    const alert = await screen.findByRole('alert')
    expect(alert.textContent).toContain('No record of this request')
    expect(within(alert).getByTitle(ID)).toBeTruthy()
    expect(alert.textContent).toContain('The request started Nov 14, 2024')
    expect(alert.textContent).toContain('older than the retention period')
    expect(alert.textContent).not.toContain('req_1 ')
  })

  it('opens a recorded request in the playground, with its conversation', async () => {
    const text = JSON.stringify({
      model: 'best',
      messages: [
        { role: 'system', content: 'Be short.' },
        { role: 'user', content: 'One' },
        { role: 'assistant', content: 'Two' },
        { role: 'user', content: 'Three' },
      ],
    })
    const call = { method: 'POST', url: '/v1/chat/completions', headers: {}, startedAt: 0, durationMs: 1 }
    const page = answers(() => ({ items: [] }), {
      'GET /me': account({ 'usage.read': 'all', 'traces.read': 'all', 'playground.use': 'all' }),
      'GET /usage/{request}': DETAILS,
      'GET /traces/{request}': {
        requestId: ID,
        principal: 'key_1',
        startedAt: 0,
        calls: [{ ...call, body: { text, bytes: text.length, isCut: false } }],
      },
    })
    const { user, address } = await show(`/requests?row=${ID}`, <RequestsPage />, page)
    await user.click(await screen.findByRole('button', { name: 'Show payload' }))
    await user.click(await screen.findByText('Caller → gateway'))
    await user.click(screen.getByRole('button', { name: 'Open this request in the playground' }))
    await waitFor(() => expect(address()).toBe('/playground?kind=chat&models=best'))
    await show('/playground', <ChatPart models={['best']} known={['best']} project={undefined} onModels={() => {}} />)
    expect(await screen.findByDisplayValue('Three')).toBeTruthy()
    expect(screen.getByText('One')).toBeTruthy()
    expect(screen.getByText('Two')).toBeTruthy()
    expect(screen.getByDisplayValue('Be short.')).toBeTruthy()
  })

  it('does not offer the payload to those who may not read it', async () => {
    const page = answers(() => ({ items: [] }), { 'GET /usage/{request}': DETAILS })
    await show(`/requests?row=${ID}`, <RequestsPage />, page)
    await screen.findByRole('region', { name: 'Details' })
    expect(screen.queryByRole('region', { name: 'Payload' })).toBeNull()
  })

  it('gets the focus by Enter, and the row gets it back by Escape', async () => {
    listenToKeys()
    const second = { ...ROW, id: 'row_2', requestId: 'req_2', model: 'second' }
    const { user } = await show(
      '/requests',
      <RequestsPage />,
      answers(() => ({ items: [ROW, second] }), { 'GET /usage/{request}': async () => ROW }),
    )
    const [first, next] = await screen.findAllByRole('link', { name: /→ east/ })
    first?.focus()
    await user.keyboard('{Enter}')
    const panel = await screen.findByRole('region', { name: /best/ })
    await waitFor(() => expect(document.activeElement).toBe(within(panel).getByRole('heading', { level: 2 })))
    await user.tab()
    expect(panel.contains(document.activeElement)).toBe(true)
    // `j` walks through the list: the focus is in the list, and the panel follows.
    await user.keyboard('j')
    await waitFor(() => expect(document.activeElement).toBe(next))
    await user.keyboard('{Enter}')
    await waitFor(() => expect(panel.contains(document.activeElement)).toBe(true))
    await user.keyboard('{Escape}')
    await waitFor(() => expect(document.activeElement).toBe(screen.getAllByRole('link', { name: /→ east/ })[1]))
  })
})

describe('The errors of requests', () => {
  const hour = Math.floor(Date.now() / 3_600_000) * 3_600_000
  const group = {
    failure: 'rate-limited',
    name: 'east',
    requests: 41,
    newest: ID,
    hours: [{ start: hour, requests: 41 }],
  }
  const unstored = { ...group, failure: 'over-limit', name: '', requests: 3, newest: null, hours: [] }
  const failures: Answers = {
    'GET /usage/failures': async ({ query }) => ({
      items: query['by'] === 'failure,key' ? [{ ...group, name: 'key_1', keyName: 'web-shop' }] : [group, unstored],
      isCut: false,
    }),
    'GET /usage/{request}': { ...DETAILS, failure: 'rate-limited' },
  }
  const page = answers(() => ({ items: [] }), failures)

  it('are counted by kind and provider or key, with their newest example', async () => {
    const { user, address } = await show('/requests?tab=errors', <RequestsPage />, page)
    expect(await cells(/^rate limited by the provider$/)).toEqual([
      'east',
      '',
      '41',
      '41',
      expect.stringContaining('Nov 14'),
    ])
    expect((await cells(/^rate limit exceeded$/)).slice(0, 1)).toEqual(['–'])
    const all = screen.getByRole('link', { name: 'Show 41 requests' })
    expect(all.getAttribute('href')).toBe('/requests?provider=east&failure=rate-limited')
    expect(screen.getByRole('link', { name: 'rate limited by the provider' }).getAttribute('href')).toBe(
      `/requests?tab=errors&row=${ID}`,
    )
    await user.click(screen.getByRole('button', { name: 'By key' }))
    await waitFor(async () => expect((await cells(/^rate limited/))[0]).toBe('web-shop'))
    expect(address()).toBe('/requests?tab=errors&by=key')
  })

  it('are counted in the panel of a request: the same failure 41 times', async () => {
    await show(`/requests?row=${ID}`, <RequestsPage />, page)
    const link = await screen.findByRole('link', { name: 'Same failure 41 times today' })
    expect(link.getAttribute('href')).toContain('failure=rate-limited')
    expect(link.getAttribute('href')).toContain('provider=east')
    expect(link.getAttribute('href')).toContain('key=key_1')
  })

  it('have callers without a valid key by address, for those who can read the audit log', async () => {
    const refused: Answers = {
      'GET /me': account({ 'usage.read': 'all', 'audit.read': 'all' }),
      'GET /refusals/unauthenticated': {
        items: [{ address: '203.0.113.7', reason: 'bad-key', requests: 1_200, lastAt: Date.now() }],
      },
    }
    await show('/requests?tab=errors', <RequestsPage />, Object.assign({ ...page }, refused))
    const table = await screen.findByRole('table', { name: 'Requests without a valid key' })
    expect(within(table).getByText('203.0.113.7').closest('tr')?.textContent).toContain('wrong API key1,200')
  })
})

describe('The command menu', () => {
  const items: Answers = {
    'GET /keys': { items: [{ id: 'key_7', name: 'nightly-eval', prefix: 'hg' }] } as never,
    'GET /models': { items: [{ id: 'night-1', providers: [] }] } as never,
  }

  it('opens a request by its ID within a pasted line', async () => {
    const { user, address } = await show('/requests', <CommandMenu isOpen onClose={() => {}} />, MODELS)
    await user.type(await screen.findByLabelText('Page, key, model or request ID'), `x-request-id: ${ID}`)
    await user.click(await screen.findByRole('option', { name: new RegExp(`^Request ${ID}`) }))
    await waitFor(() => expect(address()).toBe(`/requests?row=${ID}`))
  })

  it('finds keys and models, for those who may see them', async () => {
    const { user } = await show('/requests', <CommandMenu isOpen onClose={() => {}} />, { ...MODELS, ...items })
    await user.type(await screen.findByLabelText('Page, key, model or request ID'), 'night')
    await screen.findByRole('option', { name: /^nightly-eval/ })
    expect(await screen.findByRole('option', { name: /^night-1/ })).toBeTruthy()
  })

  it('does not ask for what the user may not see', async () => {
    const { user, sent } = await show('/requests', <CommandMenu isOpen onClose={() => {}} />, {
      ...items,
      'GET /me': account({ 'usage.read': 'own' }),
    })
    await user.type(await screen.findByLabelText('Page, key, model or request ID'), 'night')
    expect(sent.some(({ name }) => name === 'GET /keys' || name === 'GET /models')).toBe(false)
  })
})
