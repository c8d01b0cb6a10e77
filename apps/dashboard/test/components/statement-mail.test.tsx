// @vitest-environment happy-dom
import { screen, waitFor } from '@testing-library/react'
import { describe, expect, it } from 'vitest'
import type { OrganizationDetails } from '../../web/api/queries.ts'
import type { OrganizationMember } from '../../web/pages/organization/members/members.ts'
import { StatementMailSection } from '../../web/pages/organization/members/statement-mail.tsx'
import { account, show } from './shown.tsx'

const ORGANIZATION: OrganizationDetails = {
  id: 'org_1',
  name: 'Acme',
  signUp: 'invite',
  domains: [],
  hasMail: true,
  createdAt: 0,
  version: 4,
}
const member = (person: string, name: string, email?: string): OrganizationMember => ({
  person,
  name,
  role: 'viewer',
  joinedAt: 0,
  version: 1,
  ...(email !== undefined && { email }),
})
const MEMBERS = [
  member('usr_1', 'Ada', 'ada@example.com'),
  member('usr_2', 'Bo', 'bo@example.com'),
  member('usr_3', 'Cy'),
]

const open = (of: OrganizationDetails, me = account()) =>
  show('/organization', <StatementMailSection members={MEMBERS} />, {
    'GET /me': me,
    'GET /organization': of,
    'GET /projects': { items: [{ id: 'prj_1', name: 'Web', createdAt: 0, version: 1 }] } as never,
    'PATCH /organization': async () => of,
  })

describe('Statements by mail', () => {
  it('have recipients with a mail address, for all projects or one', async () => {
    const { user, writes } = await open({ ...ORGANIZATION, statementMail: [{ person: 'usr_1' }] })
    expect((await screen.findByText('Ada')).textContent).toBe('Ada · All projects')
    await user.click(screen.getByRole('button', { name: 'Change recipients' }))
    await user.click(screen.getByRole('button', { name: 'Add recipient' }))
    await user.click(screen.getByRole('combobox', { name: 'Recipient 2' }))
    await user.click(await screen.findByRole('option', { name: /^Bo/ }))
    await user.click(screen.getAllByRole('combobox', { name: 'Project' }).at(-1) as HTMLElement)
    await user.click(await screen.findByRole('option', { name: /Web/ }))
    // Rows without a member are left out.
    await user.click(screen.getByRole('button', { name: 'Add recipient' }))
    await user.click(screen.getByRole('button', { name: 'Save recipients' }))
    await waitFor(() => expect(writes()).toHaveLength(1))
    const [{ body, headers } = { body: {}, headers: new Headers() }] = writes()
    const statementMail = [{ person: 'usr_1' }, { person: 'usr_2', project: 'prj_1' }]
    expect([body, headers.get('if-match')]).toEqual([{ statementMail }, '"4"'])
  })

  it('name the setting that is missing without a mail server', async () => {
    await open({ ...ORGANIZATION, hasMail: false })
    expect(await screen.findByText('accounts.smtp')).toBeTruthy()
    expect(screen.queryByRole('button')).toBeNull()
  })
})
