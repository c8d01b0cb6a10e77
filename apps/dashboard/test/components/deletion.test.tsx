// @vitest-environment happy-dom
import { screen, waitFor } from '@testing-library/react'
import { describe, expect, it, vi } from 'vitest'
import { DeleteOrganization } from '../../web/pages/organization/data/delete-organization.tsx'
import { MemberDialog } from '../../web/pages/organization/members/member-dialogs.tsx'
import { account, show } from './shown.tsx'

const GRACE = { person: 'usr_9', name: 'Grace', role: 'member' as const, joinedAt: 0, version: 1 }

const open = (may: Readonly<Record<string, string>>) =>
  show('/organization', <MemberDialog action="remove" of={GRACE} may={[]} onClose={() => {}} />, {
    'GET /me': account(may),
    ['DELETE /members/{id}/account' as 'DELETE /members/{person}/account']: () => new Response(null, { status: 204 }),
    'DELETE /members/{person}': () => new Response(null, { status: 204 }),
  })

describe('The removal of a member', () => {
  it('deletes the account too, if an owner wants that', async () => {
    const { user, writes } = await open({ 'members.write': 'all', 'people.delete': 'all' })
    await user.click(await screen.findByLabelText('Delete the account too'))
    await user.click(screen.getByRole('button', { name: 'Delete account' }))
    await waitFor(() => expect(writes().map(({ name }) => name)).toEqual(['DELETE /members/{id}/account']))
  })

  it('is only a removal for admins', async () => {
    const { user, writes } = await open({ 'members.write': 'not owners' })
    await user.click(await screen.findByRole('button', { name: 'Remove' }))
    expect(screen.queryByLabelText('Delete the account too')).toBeNull()
    await waitFor(() => expect(writes().map(({ name }) => name)).toEqual(['DELETE /members/{person}']))
  })
})

describe('The deletion of an organization', () => {
  it('asks for its name', async () => {
    const onClose = vi.fn()
    const { user, writes } = await show('/organization', <DeleteOrganization name="Acme" onClose={onClose} />, {
      'DELETE /organization': () => new Response(null, { status: 204 }),
    })
    const button = screen.getByRole('button', { name: 'Delete organization' })
    expect(button).toHaveProperty('disabled', true)
    await user.type(screen.getByLabelText('Type Acme to delete it'), 'Acme')
    await user.click(button)
    await waitFor(() => expect(onClose).toHaveBeenCalled())
    expect(writes().map(({ name }) => name)).toEqual(['DELETE /organization'])
  })
})
