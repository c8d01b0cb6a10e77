// @vitest-environment happy-dom
import { screen, waitFor } from '@testing-library/react'
import { describe, expect, it } from 'vitest'
import type { OrganizationDetails } from '../../web/api/queries.ts'
import { KeyDefaultsSection } from '../../web/pages/organization/members/key-defaults.tsx'
import { account, choose, show } from './shown.tsx'

const ORGANIZATION: OrganizationDetails = {
  id: 'org_1',
  name: 'Acme',
  signUp: 'invite',
  domains: [],
  hasMail: false,
  createdAt: 0,
  version: 4,
}

const open = (of: OrganizationDetails, me = account()) =>
  show('/organization', <KeyDefaultsSection />, {
    'GET /me': me,
    'GET /organization': of,
    'PATCH /organization': async () => of,
  })

describe('Defaults for keys of members', () => {
  it('are set by owners: limits, a budget and an expiry', async () => {
    const { user, writes } = await open(ORGANIZATION)
    await user.click(await screen.findByRole('button', { name: 'Change defaults' }))
    await user.type(screen.getByLabelText('Requests per minute'), '60')
    await user.type(screen.getByLabelText('Budget in dollars'), 'much')
    await user.click(screen.getByRole('button', { name: 'Save defaults' }))
    expect(screen.getByText('Enter an amount in dollars, such as 50 or 0.5.')).toBeTruthy()
    await user.clear(screen.getByLabelText('Budget in dollars'))
    await user.type(screen.getByLabelText('Budget in dollars'), '5')
    await choose(user, 'Period', 'Week')
    await user.type(screen.getByLabelText('Expires in days'), '30')
    await user.click(screen.getByRole('button', { name: 'Save defaults' }))
    await waitFor(() => expect(writes()).toHaveLength(1))
    const [{ body, headers } = { body: {}, headers: new Headers() }] = writes()
    const keyDefaults = { limits: { requestsPerMinute: 60 }, budget: { limit: '5000000000', period: 'week' }, days: 30 }
    expect([body, headers.get('if-match')]).toEqual([{ keyDefaults }, '"4"'])
  })

  it('are shown to admins, who cannot change them', async () => {
    await open({ ...ORGANIZATION, keyDefaults: { days: 30 } }, account({ 'organization.read': 'all' }))
    expect(await screen.findByText('after 30 days')).toBeTruthy()
    expect(screen.queryByRole('button')).toBeNull()
  })
})
