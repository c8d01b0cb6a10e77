// @vitest-environment happy-dom
import { screen, waitFor } from '@testing-library/react'
import { describe, expect, it } from 'vitest'
import type { DestinationItem } from '../../web/api/alerts.ts'
import { AlertsTab } from '../../web/pages/organization/alerts/alerts-tab.tsx'
import { rulesText } from '../../web/pages/organization/alerts/draft.ts'
import { account, choose, refusal, show } from './shown.tsx'

const SLACK: DestinationItem = {
  id: 'dest_1',
  name: 'Team',
  kind: 'slack',
  shown: 'hooks.slack.example',
  rules: { spend: true },
  createdAt: 0,
  version: 2,
}
const URL_TYPED = 'https://hooks.slack.example/services/very-secret'

const open = (items: readonly DestinationItem[], answers: Parameters<typeof show>[2] = {}, me = account()) =>
  show('/organization', <AlertsTab />, {
    'GET /me': me,
    'GET /alerts/destinations': { items: [...items], hasMail: false },
    ...answers,
  })

describe('Destinations of alerts', () => {
  it('are added with rules for budgets, errors and latency', async () => {
    const { user, writes } = await open([], { 'POST /alerts/destinations': async () => SLACK })
    await user.click(await screen.findByRole('button', { name: 'Add destination' }))
    const submit = () => user.click(screen.getAllByRole('button', { name: 'Add destination' }).at(-1) as HTMLElement)
    await user.type(screen.getByLabelText('Failed requests above (%)'), '101')
    await submit()
    for (const problem of ['Enter a name.', 'Enter an address.', 'Enter whole percent, from 1 to 100.'])
      expect(screen.getByText(problem)).toBeTruthy()
    expect(writes()).toEqual([])
    await user.type(screen.getByLabelText('Name'), 'Team')
    await choose(user, 'Kind', 'Slack')
    await user.type(screen.getByLabelText('URL'), URL_TYPED)
    await user.clear(screen.getByLabelText('Failed requests above (%)'))
    await user.type(screen.getByLabelText('Failed requests above (%)'), '5')
    await user.type(screen.getByLabelText('TTFT (p95) above (ms)'), '2000')
    await submit()
    await waitFor(() => expect(screen.queryByLabelText('URL')).toBeNull())
    const rules = { spend: true, errors: { above: 5, minutes: 15 }, latency: { above: 2_000, minutes: 15 } }
    expect(writes().map(({ body }) => body)).toEqual([{ name: 'Team', kind: 'slack', address: URL_TYPED, rules }])
    expect(document.documentElement.outerHTML).not.toContain('very-secret')
  })

  it('by mail are marked if the gateway has no mail server', async () => {
    const mail: DestinationItem = { ...SLACK, id: 'dest_2', name: 'Ops', kind: 'mail', shown: 'ops@example.com' }
    await open([SLACK, mail])
    await screen.findByText('ops@example.com')
    expect(screen.getAllByText(/^Not sent/).map((note) => note.textContent)).toEqual([
      'Not sent: set accounts.smtp in the configuration of the gateway.',
    ])
  })

  it('keep their URL when something else changes, for the version that was read', async () => {
    const path = 'PUT /alerts/destinations/dest_1' as 'PUT /alerts/destinations/{destination}'
    const { user, writes } = await open([SLACK], {
      [path]: async () => SLACK,
    })
    await user.click(await screen.findByRole('button', { name: 'Change Team' }))
    await user.click(screen.getByLabelText('Budgets'))
    await user.click(screen.getByRole('button', { name: 'Save changes' }))
    await waitFor(() => expect(writes()).toHaveLength(1))
    const [{ body, headers } = { body: {}, headers: new Headers() }] = writes()
    expect([body, headers.get('if-match')]).toEqual([{ name: 'Team', kind: 'slack', rules: {} }, '"2"'])
  })

  it('say why a test alert was not sent', async () => {
    const { user } = await open([SLACK], {
      ['POST /alerts/destinations/dest_1/test' as 'POST /alerts/destinations/{destination}/test']: () =>
        refusal(502, 'The test alert was not sent: the server responded with status 404.'),
    })
    await user.click(await screen.findByRole('button', { name: 'Test Team' }))
    expect(await screen.findByText(/status 404/)).toBeTruthy()
  })

  it('are not shown to members', async () => {
    const { sent } = await open([SLACK], {}, account({ 'budgets.read': 'own' }))
    expect(await screen.findByText(/Only owners and admins/)).toBeTruthy()
    expect(sent.map(({ name }) => name)).not.toContain('GET /alerts/destinations')
  })

  it('have their rules in one line', () => {
    expect(rulesText({ spend: true, errors: { above: 5, minutes: 15 } })).toBe(
      'budgets, errors above 5 % in 15 minutes',
    )
    expect(rulesText({})).toBe('nothing')
  })
})
