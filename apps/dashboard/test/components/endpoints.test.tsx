// @vitest-environment happy-dom
import { screen, within } from '@testing-library/react'
import { describe, expect, it } from 'vitest'
import type { ProviderStatus } from '../../web/api/models.ts'
import type { RequestDetails } from '../../web/api/usage.ts'
import { ProvidersPage } from '../../web/pages/providers/page.tsx'
import { Routing } from '../../web/pages/requests/routing.tsx'
import { show } from './shown.tsx'

const PROVIDER: ProviderStatus = {
  name: 'clouds',
  adapter: 'mine',
  kind: 'provider',
  families: ['chat'],
  state: 'failing',
  calls: 40,
  failed: 30,
  saved: 12,
  since: Date.now() - 300_000,
  p50FirstByteMs: 400,
  p95FirstByteMs: 900,
  minutes: [
    { start: 0, calls: 30, failed: 25 },
    { start: 60_000, calls: 10, failed: 5 },
  ],
  lastError: { at: 0, kind: 'overloaded', status: 503, request: 'req_7' },
  credential: 'file',
  variables: [{ name: 'MINE_API_KEY', isSet: false }],
  why: 'named by the configuration',
  package: { name: 'mine', version: '1.0.0' },
  endpoints: [
    {
      name: 'eu',
      state: 'degraded',
      labels: { region: 'eu', zdr: 'true' },
      calls: 1_204,
      failed: 300,
      inFlight: 2,
      limits: [{ model: 'big', requests: 80, tokens: 1, concurrent: 12 }],
    },
    { name: 'us', state: 'cooldown', restsUntil: Date.now() + 600_000, lastError: { at: 0, kind: 'overloaded' } },
  ],
}
const SINGLE: ProviderStatus = {
  ...PROVIDER,
  name: 'one',
  state: 'healthy',
  calls: 1_500,
  failed: 0,
  endpoints: [{ state: 'healthy', calls: 1_500, failed: 0 }],
}

describe('The cards of providers', () => {
  const cardOf = async (name: string) => {
    const card = (await screen.findByRole('link', { name })).closest('li')
    if (!card) throw new Error('The card is not there.')
    return card
  }

  it('show the state by the calls of all nodes, since when it fails, and figures of its calls', async () => {
    await show('/providers', <ProvidersPage />, { 'GET /providers': { items: [SINGLE, PROVIDER] } })
    const card = await cardOf('clouds')
    expect(within(card).getByText('failing').title).toBe('75.0% of 40 calls of the last 15 minutes failed.')
    expect(card.textContent).toMatch(/since [56]/)
    const figures = within(card)
      .getAllByRole('definition')
      .map(({ textContent }) => textContent)
    expect(figures).toEqual(['3', '75.0%', '900 ms'])
    expect(within(card).getByRole('img', { name: '40 calls in 2 minutes, 30 failed' })).toBeTruthy()
    expect(within(card).getByRole('link', { name: 'Open request' }).getAttribute('href')).toBe('/requests?row=req_7')
    const single = await cardOf('one')
    expect(within(single).getByText('healthy')).toBeTruthy()
    // Providers in trouble come first.
    const links = screen.getAllByRole('link', { name: /^(?:clouds|one)$/ }).map(({ textContent }) => textContent)
    expect(links).toEqual(['clouds', 'one'])
  })

  it('never call a provider healthy that was not called or whose calls fail', async () => {
    const states = ['healthy', 'degraded', 'failing', 'cooldown', 'unknown', 'no-credential', 'off'] as const
    const items = states.map((state) => ({ ...SINGLE, name: state, state, calls: 20, failed: 2 }))
    await show('/providers', <ProvidersPage />, { 'GET /providers': { items } })
    const shown = (await screen.findAllByRole('listitem')).filter(
      (card) => within(card).queryAllByRole('definition').length > 0,
    )
    expect(shown.map((card) => card.querySelector('p > span')?.textContent)).toEqual([
      'failing',
      'degraded, 10.0% of 20',
      'cooldown',
      'healthy',
      'no recent calls',
    ])
  })

  it('show calls and failures of each endpoint, requests in flight and cooldowns, also to screen readers', async () => {
    await show('/providers', <ProvidersPage />, { 'GET /providers': { items: [SINGLE, PROVIDER] } })
    const card = await cardOf('clouds')
    const text = '1,204 calls in 15 minutes, 300 failed, 2 in flight'
    expect(within(card).getByRole('img', { name: `eu: ${text}` })).toBeTruthy()
    expect(within(card).getByText(text)).toBeTruthy()
    expect(within(card).getByText(/^cooldown, \d+ m/)).toBeTruthy()
    expect(within(card).getByText('No calls in 15 minutes')).toBeTruthy()
  })
})

describe('The panel of a provider', () => {
  it('says where the credential comes from instead of naming variables that are not set', async () => {
    await show('/providers?row=clouds', <ProvidersPage />, { 'GET /providers': { items: [PROVIDER] } })
    const part = await screen.findByRole('region', { name: 'Environment variables' })
    expect(part.textContent).toContain('The credential comes from the configuration file.')
    expect(part.textContent).toContain('MINE_API_KEY')
    expect(part.textContent).not.toContain('not set')
  })

  it('names the variables that are not set if the provider is not enabled', async () => {
    const { credential: _, ...installed } = PROVIDER
    const items = [{ ...installed, state: 'no-credential' as const }]
    await show('/providers?tab=installed&row=clouds', <ProvidersPage />, { 'GET /providers': { items } })
    const part = await screen.findByRole('region', { name: 'Environment variables' })
    expect(part.textContent).toContain('not set')
  })

  it('shows labels and upstream limits', async () => {
    await show('/providers?row=clouds', <ProvidersPage />, { 'GET /providers': { items: [PROVIDER] } })
    const part = await screen.findByRole('region', { name: 'Endpoints' })
    expect(within(part).getByText('region=eu')).toBeTruthy()
    expect(within(part).getByText('zdr')).toBeTruthy()
    expect(within(part).getByText('big: 80 requests left, 1 token left, at most 12 concurrent')).toBeTruthy()
    expect(part.textContent).toContain('overloaded')
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
