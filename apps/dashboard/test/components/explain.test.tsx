// @vitest-environment happy-dom
import { screen, within } from '@testing-library/react'
import { describe, expect, it } from 'vitest'
import type { ExplainAnswer } from '../../web/api/spend.ts'
import { lossRows } from '../../web/pages/explain/losses.ts'
import { ExplainPage } from '../../web/pages/explain/page.tsx'
import { choose, show } from './shown.tsx'

const loss = (path: string, key: string, requests: number) => ({
  path,
  key,
  keyName: key === 'key_1' ? 'web' : null,
  requests,
  kind: 'dropped',
  reason: 'not supported',
  format: 'messages',
})
const EXPLANATION: ExplainAnswer = {
  since: 0,
  requests: 1_000,
  losses: [loss('top_k', 'key_1', 30), loss('top_k', 'key_2', 20), loss('seed', 'key_1', 5)],
  saved: [{ provider: 'first', failure: 'overloaded', served: 'second', requests: 12 }],
  caches: [
    {
      provider: 'first',
      model: 'm',
      requests: 5,
      input: 1_000,
      cacheRead: 400,
      cacheWrite: 0,
      saved: '2500000000',
    },
    {
      provider: 'second',
      model: 'm',
      requests: 1,
      input: 1_000,
      cacheRead: 100,
      cacheWrite: 0,
      saved: null,
    },
  ],
}

describe('The page that explains', () => {
  it('says what was lost, what failover saved and what caches saved', async () => {
    const { user } = await show('/explain', <ExplainPage />, { 'GET /explanation': EXPLANATION })
    const losses = await screen.findByRole('table', { name: 'Lost fields by field' })
    const rows = (table: HTMLElement) =>
      within(table)
        .getAllByRole('row')
        .slice(1)
        .map(({ textContent }) => textContent)
    expect(rows(losses)).toEqual(['top_kdropped: not supported2 clients50', 'seeddropped: not supported1 client5'])
    await choose(user, 'Group lost fields', 'by client')
    expect(rows(await screen.findByRole('table', { name: 'Lost fields by client' }))).toEqual([
      'webmessagestop_k; seed30',
      'key_2messagestop_k20',
    ])
    const saved = screen.getByRole('table', { name: 'Requests saved by failover' })
    expect(rows(saved)).toEqual(['firstoverloadedsecond12'])
    expect(within(saved).getByRole('link').getAttribute('href')).toContain('outcome=failed-over')
    expect(rows(screen.getByRole('table', { name: 'Money saved by caches' }))).toEqual([
      'mfirst40.0%4000$2.50',
      'msecond10.0%1000unknown price',
    ])
    expect(screen.getByText('1.2%')).toBeTruthy()
  })

  it('says from when on requests are counted, if there are too many', async () => {
    await show('/explain', <ExplainPage />, { 'GET /explanation': { ...EXPLANATION, since: Date.now() } })
    expect((await screen.findByText(/^Only the newest/)).textContent).toContain('1,000 requests')
  })
})

describe('Lost fields', () => {
  it('are of a client as often as its most frequent one, since a request can lose several', () => {
    expect(lossRows(EXPLANATION.losses, 'client').map(({ name, requests }) => [name, requests])).toEqual([
      ['web', 30],
      ['key_2', 20],
    ])
  })
})
