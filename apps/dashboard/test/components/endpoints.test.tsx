// @vitest-environment happy-dom
import { screen, within } from '@testing-library/react'
import { describe, expect, it } from 'vitest'
import type { ProviderStatus } from '../../web/api/models.ts'
import type { RequestDetails } from '../../web/api/usage.ts'
import { ProvidersPage } from '../../web/pages/providers/page.tsx'
import { FilterBar } from '../../web/pages/requests/filter-bar.tsx'
import { Routing } from '../../web/pages/requests/routing.tsx'
import { show } from './shown.tsx'

const PROVIDER: ProviderStatus = {
  name: 'clouds',
  adapter: 'mine',
  kind: 'provider',
  families: ['chat'],
  state: 'up',
  why: 'named by the configuration',
  package: { name: 'mine', version: '1.0.0' },
  endpoints: [
    {
      name: 'eu',
      state: 'up',
      labels: { region: 'eu', zdr: 'true' },
      recent: { calls: 1_204, failures: 3 },
      inFlight: 2,
      limits: [{ model: 'big', requests: 80, tokens: 1, concurrent: 12 }],
    },
    { name: 'us', state: 'resting', restsUntil: Date.now() + 600_000, lastError: { at: 0, kind: 'overloaded' } },
  ],
}
const SINGLE: ProviderStatus = {
  ...PROVIDER,
  name: 'one',
  endpoints: [{ state: 'up', recent: { calls: 4, failures: 0 } }],
}

describe('Providers with endpoints', () => {
  it('show calls and failures of 30 minutes, requests in flight and cooldowns, also to screen readers', async () => {
    await show('/providers', <ProvidersPage />, { 'GET /providers': { items: [SINGLE, PROVIDER] } })
    const card = (await screen.findByRole('link', { name: 'clouds' })).closest('li')
    if (!card) throw new Error('The card is not there.')
    const text = '1,204 calls in 30 minutes, 3 failed, 2 in flight'
    expect(within(card).getByRole('img', { name: `eu: ${text}` })).toBeTruthy()
    expect(within(card).getByText(text)).toBeTruthy()
    expect(within(card).getByText(/^failing, \d+ m/)).toBeTruthy()
    expect(within(card).getByText('No calls in 30 minutes')).toBeTruthy()
    // A provider with an endpoint in cooldown comes first. A single endpoint has no name.
    const links = screen.getAllByRole('link', { name: /^(?:clouds|one)$/ }).map(({ textContent }) => textContent)
    expect(links).toEqual(['clouds', 'one'])
    expect(screen.getByRole('img', { name: '4 calls in 30 minutes, none failed' })).toBeTruthy()
  })

  it('show labels and upstream limits in their panel', async () => {
    await show('/providers?row=clouds', <ProvidersPage />, { 'GET /providers': { items: [PROVIDER] } })
    const part = await screen.findByRole('region', { name: 'Endpoints' })
    expect(within(part).getByText('region=eu')).toBeTruthy()
    expect(within(part).getByText('zdr')).toBeTruthy()
    expect(within(part).getByText('big: 80 requests left, 1 token left, at most 12 concurrent')).toBeTruthy()
    expect(part.textContent).toContain('overloaded')
  })
})

describe('The filters of requests', () => {
  it('have the endpoint if a provider has several', async () => {
    await show('/requests', <FilterBar filters={{}} onChange={() => {}} />, {
      'GET /providers': { items: [SINGLE, PROVIDER] },
    })
    expect(await screen.findByRole('option', { name: 'Endpoint' })).toBeTruthy()
  })

  it('have no endpoint if each provider has one', async () => {
    const { sent } = await show('/requests', <FilterBar filters={{}} onChange={() => {}} />, {
      'GET /providers': { items: [SINGLE] },
    })
    await screen.findByRole('option', { name: 'Provider' })
    expect(sent.some(({ name }) => name === 'GET /providers')).toBe(true)
    expect(screen.queryByRole('option', { name: 'Endpoint' })).toBeNull()
  })
})

describe('The routing of a request', () => {
  const attempt = {
    provider: 'clouds',
    endpoint: 'us',
    model: 'big',
    startedAt: 0,
    durationMs: 1,
    status: 503,
    failure: 'overloaded',
    cost: '0',
    priceId: null,
  }
  const row = {
    routing: {
      policy: 'cheapest',
      considered: [
        { provider: 'clouds', endpoint: 'us', model: 'big', why: '$0.10' },
        { provider: 'one', model: 'big', why: '$0.12' },
        { provider: 'clouds', endpoint: 'eu', model: 'big', why: '$0.20' },
      ],
    },
    attempts: [attempt, { ...attempt, provider: 'one', endpoint: null, status: 200, failure: null }],
  } as unknown as RequestDetails

  it('lists the endpoints in order, with their reasons and outcomes', async () => {
    await show('/requests', <Routing row={row} />)
    const part = await screen.findByRole('region', { name: 'Routing' })
    expect(part.textContent).toContain('3 endpoints by the policy cheapest, best first.')
    const items = within(part).getAllByRole('listitem')
    expect(items.map(({ textContent }) => textContent)).toEqual([
      'cloudsusbigfailed$0.10',
      'onebigserved$0.12',
      'cloudseubig$0.20',
    ])
  })

  it('is not shown if only one endpoint was considered', async () => {
    await show('/requests', <Routing row={{ ...row, routing: null }} />)
    expect(screen.queryByRole('region', { name: 'Routing' })).toBeNull()
  })
})
