// @vitest-environment happy-dom
import { useMutation } from '@tanstack/react-query'
import { fireEvent, screen, waitFor, within } from '@testing-library/react'
import { useState } from 'react'
import { describe, expect, it, vi } from 'vitest'
import { ApiProblem } from '../../web/api/problem.ts'
import { TextField } from '../../web/components/field.tsx'
import { fieldError } from '../../web/components/form.tsx'
import { FormDialog } from '../../web/components/form-dialog.tsx'
import { type MemberAction, MemberDialog } from '../../web/pages/organization/members/member-dialogs.tsx'
import type { OrganizationMember } from '../../web/pages/organization/members/members.ts'
import { type Answers, choose, refusal, show } from './shown.tsx'

const REFUSED = new ApiProblem({
  type: 'about:blank',
  title: 'Refused',
  status: 422,
  detail: 'The name and the owner are not valid.',
  instance: '',
  errors: [
    { field: 'name', message: 'This name is taken.' },
    { field: 'owner', message: 'There is no such owner.' },
  ],
})

/** Button that opens a dialog with one field. */
function Opener({ send }: { send(): Promise<void> }) {
  const [isOpen, setOpen] = useState(false)
  const [name, setName] = useState('')
  const request = useMutation({ mutationFn: send })
  return (
    <>
      <button type="button" onClick={() => setOpen(true)}>
        Open
      </button>
      {isOpen && (
        <FormDialog
          title="Rename the project"
          lead="Its id stays."
          action="Rename"
          isDisabled={name === ''}
          request={request}
          fields={['name']}
          onSubmit={() => request.mutate()}
          onClose={() => setOpen(false)}
        >
          <TextField label="Name" value={name} onText={setName} error={fieldError(request.error, 'name')} />
        </FormDialog>
      )}
    </>
  )
}

describe('A dialog with a form', () => {
  it('takes the focus to its first field, and gives it back when it is closed by its buttons or by Escape', async () => {
    const { user } = await show('/keys', <Opener send={async () => {}} />)
    const opener = screen.getByRole('button', { name: 'Open' })
    await user.click(opener)
    const dialog = screen.getByRole('dialog', { name: 'Rename the project' })
    expect(document.activeElement).toBe(within(dialog).getByLabelText('Name'))
    expect(within(dialog).getByText('Its id stays.')).toBeTruthy()

    for (const name of ['Cancel', 'Close']) {
      await user.click(screen.getByRole('button', { name }))
      expect([screen.queryByRole('dialog'), document.activeElement]).toEqual([null, opener])
      await user.click(opener)
    }

    // Browsers send `cancel` to a modal dialog on Escape. It must be prevented: only React closes a dialog.
    const isAllowed = fireEvent(screen.getByRole('dialog'), new Event('cancel', { cancelable: true }))
    expect([isAllowed, screen.queryByRole('dialog'), document.activeElement]).toEqual([false, null, opener])
  })

  it('is sent by Enter once it is complete, and once until it is answered', async () => {
    const { promise, resolve } = Promise.withResolvers<void>()
    const send = vi.fn(() => promise)
    const { user } = await show('/keys', <Opener send={send} />)
    await user.click(screen.getByRole('button', { name: 'Open' }))
    const field = screen.getByLabelText('Name')
    const button = screen.getByRole('button', { name: 'Rename' })
    fireEvent.submit(field)
    await user.click(button)
    expect(send).not.toHaveBeenCalled()

    await user.type(field, 'web{Enter}')
    await waitFor(() => expect(button.getAttribute('aria-busy')).toBe('true'))
    await user.dblClick(button)
    fireEvent.submit(field)
    expect(send).toHaveBeenCalledTimes(1)

    resolve()
    await waitFor(() => expect(button.getAttribute('aria-busy')).toBeNull())
    await user.click(button)
    expect(send).toHaveBeenCalledTimes(2)
  })

  it('shows what the server refuses at the field, the rest on top, and takes the focus there', async () => {
    const { user } = await show('/keys', <Opener send={() => Promise.reject(REFUSED)} />)
    await user.click(screen.getByRole('button', { name: 'Open' }))
    const field = screen.getByLabelText('Name')
    await user.type(field, 'web{Enter}')
    const alert = await screen.findByRole('alert')
    expect(alert.textContent).toBe('Check the highlighted field.Owner: There is no such owner.')
    expect(document.activeElement).toBe(alert)
    expect(field.getAttribute('aria-invalid')).toBe('true')
    expect(document.getElementById(field.getAttribute('aria-describedby') ?? '')?.textContent).toBe(
      'This name is taken.',
    )
  })
})

const MEMBER: OrganizationMember = {
  person: 'usr_2',
  name: 'Grace Hopper',
  role: 'member',
  joinedAt: 0,
  version: 7,
}

describe('The dialogs of a member', () => {
  const open = async (action: MemberAction, answers: Answers) => {
    const onClose = vi.fn()
    const dialog = <MemberDialog action={action} of={MEMBER} may={['admin', 'member', 'viewer']} onClose={onClose} />
    return { onClose, ...(await show('/organization', dialog, answers)) }
  }

  it('change the role that was read, once', async () => {
    const { promise, resolve } = Promise.withResolvers<undefined>()
    const { user, writes, onClose } = await open('role', { 'PATCH /members/{person}': () => promise })
    await choose(user, 'Role', 'viewer')
    expect(screen.getByText('Sees usage, budgets, members, models and providers. Cannot change anything.')).toBeTruthy()
    await user.dblClick(screen.getByRole('button', { name: 'Change role' }))
    resolve(undefined)
    await waitFor(() => expect(onClose).toHaveBeenCalled())
    expect(writes().map(({ name, body, headers }) => [name, body, headers.get('if-match')])).toEqual([
      ['PATCH /members/{person}', { role: 'viewer' }, '"7"'],
    ])
  })

  it('send nothing where the role stays', async () => {
    const { user, writes, onClose } = await open('role', {})
    await user.click(screen.getByRole('button', { name: 'Change role' }))
    expect([onClose.mock.calls.length, writes().length]).toEqual([1, 0])
  })

  it('stay open with what the server says', async () => {
    const { user, onClose } = await open('remove', {
      'DELETE /members/{person}': () => refusal(409, 'The last owner cannot be removed.'),
    })
    await user.click(screen.getByRole('button', { name: 'Remove' }))
    expect((await screen.findByRole('alert')).textContent).toBe('The last owner cannot be removed.')
    expect(onClose).not.toHaveBeenCalled()
  })

  it('show a link for a new password once it is made', async () => {
    const link = 'http://localhost/reset#secret'
    const { user, onClose } = await open('reset', {
      'POST /members/{person}/reset-link': async () => ({ link, expiresAt: 0 }),
    })
    await user.click(screen.getByRole('button', { name: 'Create link' }))
    await user.click(await screen.findByRole('button', { name: 'Show' }))
    expect(screen.getByLabelText('Link').textContent).toBe(link)
    await user.click(screen.getByRole('button', { name: 'Done' }))
    expect(onClose).toHaveBeenCalled()
  })
})
