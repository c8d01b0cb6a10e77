// @vitest-environment happy-dom
import { screen, waitFor, within } from '@testing-library/react'
import { useState } from 'react'
import { describe, expect, it } from 'vitest'
import type { Key } from '../../web/api/keys.ts'
import { KeysPage } from '../../web/pages/keys/page.tsx'
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
