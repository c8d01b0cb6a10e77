// @vitest-environment happy-dom
import { screen, waitFor, within } from '@testing-library/react'
import { useState } from 'react'
import { describe, expect, it } from 'vitest'
import type { ResponseOf } from '../../web/api/call.ts'
import type { Key } from '../../web/api/keys.ts'
import type { RequestRow } from '../../web/api/usage.ts'
import { KeysPage } from '../../web/pages/keys/page.tsx'
import { RequestsPage } from '../../web/pages/requests/page.tsx'
import type { Sort, TableColumn } from '../../web/table/columns.ts'
import { LongTable } from '../../web/table/long-table.tsx'
import { Table } from '../../web/table/table.tsx'
import { account, refusal, show } from './shown.tsx'

interface Price {
  readonly model: string
  readonly nanos: number | null
}

const COLUMNS: readonly TableColumn<Price>[] = [
  { id: 'model', title: 'Model', isName: true, cell: ({ model }) => model, sortBy: ({ model }) => model },
  { id: 'price', title: 'Price', isNumber: true, cell: ({ nanos }) => String(nanos), sortBy: ({ nanos }) => nanos },
  { id: 'note', title: 'Note', cell: () => 'none' },
]
const PRICES: readonly Price[] = [
  { model: 'b', nanos: 3 },
  { model: 'a', nanos: null },
  { model: 'c', nanos: 20 },
]

function Prices() {
  const [sort, setSort] = useState<Sort>()
  return (
    <Table label="Prices" columns={COLUMNS} rows={PRICES} idOf={({ model }) => model} sort={sort} onSort={setSort} />
  )
}

/** Names of the rows, from top to bottom. */
const names = () => screen.getAllByRole('rowheader').map(({ textContent }) => textContent)
const sorts = () => screen.getAllByRole('columnheader').map((cell) => cell.getAttribute('aria-sort'))

describe('A table', () => {
  it('is sorted by a click on a column: numbers from the greatest, unknown values last', async () => {
    const { user } = await show('/models', <Prices />)
    expect([names(), sorts()]).toEqual([
      ['b', 'a', 'c'],
      [null, null, null],
    ])
    const price = screen.getByRole('button', { name: 'Price' })
    await user.click(price)
    expect([names(), sorts()]).toEqual([
      ['c', 'b', 'a'],
      [null, 'descending', null],
    ])
    await user.click(price)
    expect([names(), sorts()]).toEqual([
      ['b', 'c', 'a'],
      [null, 'ascending', null],
    ])
    await user.click(screen.getByRole('button', { name: 'Model' }))
    expect(names()).toEqual(['a', 'b', 'c'])
    expect(screen.queryByRole('button', { name: 'Note' })).toBeNull()
  })

  it('has only the rows in the page that can be seen, and reports how many there are', async () => {
    const rows = Array.from({ length: 1_000 }, (_, index): Price => ({ model: `model ${index}`, nanos: index }))
    await show('/models', <LongTable label="Prices" columns={COLUMNS} rows={rows} idOf={({ model }) => model} />)
    const table = await screen.findByRole('table', { name: 'Prices' })
    expect(table.getAttribute('aria-rowcount')).toBe('1001')
    const first = await within(table).findByRole('row', { name: /model 0/ })
    expect(first.getAttribute('aria-rowindex')).toBe('2')
    expect(names().length).toBeLessThan(100)
  })
})

const KEY: Key = {
  id: 'key_1',
  prefix: 'hg_p_ab…yz',
  name: 'web-shop',
  project: 'prj_1',
  environment: 'production',
  createdAt: 0,
  version: 1,
  secrets: [],
}
const KEYS: readonly Key[] = [
  KEY,
  { ...KEY, id: 'key_2', name: 'ci', environment: 'development' },
  { ...KEY, id: 'key_3', name: 'notebooks', environment: 'staging' },
]

describe('The list of keys', () => {
  it('reports an error of the server with the id of the request, and is there after a retry', async () => {
    let isBroken = true
    const { user } = await show('/keys', <KeysPage />, {
      'GET /keys': async () => (isBroken ? refusal(500, 'The store does not answer.') : { items: KEYS }),
    })
    const alert = await screen.findByRole('alert')
    expect(alert.textContent).toContain('The store does not answer.')
    expect(within(alert).getByTitle('req_1')).toBeTruthy()
    isBroken = false
    await user.click(within(alert).getByRole('button', { name: 'Retry' }))
    expect(await screen.findByRole('table', { name: 'Keys' })).toBeTruthy()
    expect(screen.queryByRole('alert')).toBeNull()
  })

  it('says how to make the first key', async () => {
    await show('/keys', <KeysPage />, { 'GET /keys': { items: [] } })
    expect(await screen.findByText('No keys yet')).toBeTruthy()
    expect(screen.getByText(/^headgate keys create/)).toBeTruthy()
    expect(screen.getByRole('button', { name: 'Create key' })).toBeTruthy()
  })

  it('is not shown to those who may not see it, and is not asked for', async () => {
    const { sent } = await show('/keys', <KeysPage />, { 'GET /me': account({}) })
    expect(await screen.findByText(/^Viewers cannot see keys/)).toBeTruthy()
    expect(sent.filter(({ name }) => name === 'GET /keys')).toEqual([])
  })

  it('is read to its last page, and sorted by the address', async () => {
    const { user, address, sent } = await show('/keys?sort=name', <KeysPage />, {
      'GET /keys': async ({ query }) =>
        query['cursor'] === undefined ? { items: KEYS.slice(0, 2), cursor: 'next' } : { items: KEYS.slice(2) },
    })
    await screen.findByRole('table', { name: 'Keys' })
    expect(names()).toEqual(['ci', 'notebooks', 'web-shop'])
    expect(sent.filter(({ query }) => query['cursor'] === 'next')).toHaveLength(1)
    await user.click(screen.getByRole('button', { name: 'Name' }))
    await waitFor(() => expect(names()).toEqual(['web-shop', 'notebooks', 'ci']))
    expect(address()).toBe('/keys?sort=-name')
    expect(screen.getByRole('link', { name: 'ci' }).getAttribute('href')).toBe('/keys?row=key_2&sort=-name')
  })

  it('is filtered by what is typed, and shown whole again', async () => {
    const { user } = await show('/keys', <KeysPage />, { 'GET /keys': { items: KEYS } })
    await user.type(await screen.findByLabelText('Find a key'), 'note')
    expect(names()).toEqual(['notebooks'])
    await user.type(screen.getByLabelText('Find a key'), '!')
    expect(screen.getByText('No matching keys')).toBeTruthy()
    await user.click(screen.getByRole('button', { name: 'Show all keys' }))
    await waitFor(() => expect(names()).toHaveLength(3))
  })
})

const ROW: RequestRow = {
  id: 'row_1',
  requestId: 'req_1',
  at: 0,
  principal: 'key_1',
  project: null,
  environment: null,
  member: null,
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
  input: 1_200,
  output: 34,
  cacheRead: null,
  cacheWrite: null,
  cacheWriteLong: null,
  reasoning: null,
  audioInput: null,
  audioOutput: null,
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
  corrects: null,
  firstByteMs: 120,
  durationMs: 2_000,
}

describe('The list of requests', () => {
  const answers = (usage: (cursor: string | undefined) => ResponseOf<'GET /usage'>) => ({
    'GET /usage': async ({ query }: { query: Readonly<Record<string, string>> }) => usage(query['cursor']),
    'GET /keys': { items: KEYS },
  })

  it('has a row for each request: its outcome, model, provider, losses, key, tokens, times and cost', async () => {
    const failed: RequestRow = { ...ROW, id: 'row_2', requestId: 'req_2', status: 200, why: 'cut', failure: 'upstream' }
    await show(
      '/requests',
      <RequestsPage />,
      answers(() => ({ items: [ROW, { ...failed, charged: null, losses: [] }] })),
    )
    const cells = async (name: RegExp) => {
      const row = (await screen.findByRole('rowheader', { name })).closest('tr')
      return [...(row?.cells ?? [])].slice(1).map(({ textContent }) => textContent)
    }
    await screen.findAllByText('web-shop')
    expect(await cells(/1 field lost/)).toEqual([
      '200',
      'best → east · 1 field lost',
      'web-shop',
      '1.2K / 34',
      '120 ms / 2.00 s',
      '$0.0025',
    ])
    expect(await cells(/east$/)).toEqual([
      'incomplete',
      'best → east',
      'web-shop',
      '1.2K / 34',
      '120 ms / 2.00 s',
      'unknown',
    ])
    expect(screen.getByRole('link', { name: /1 field lost/ }).getAttribute('href')).toBe('/requests?row=req_1')
  })

  it('goes on with the next page by a button, until the last', async () => {
    const { user } = await show(
      '/requests',
      <RequestsPage />,
      answers((cursor) =>
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
})
