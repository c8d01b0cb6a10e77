import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { callApi } from '../../../api/call.ts'
import { useMay, useMembership } from '../../../api/me.ts'
import { signInMethodsQuery } from '../../../api/queries.ts'
import { BASE_PATH } from '../../../app/base.ts'
import { CheckField, SelectField, TextField } from '../../../components/field.tsx'
import { fieldError } from '../../../components/form.tsx'
import { FormDialog } from '../../../components/form-dialog.tsx'
import { toast } from '../../../components/toasts.tsx'
import { confirmed } from '../../../confirm/confirmed.ts'
import { fullTime } from '../../../formats/times.ts'
import { LABELS } from '../../../labels.ts'
import { SecretDialog } from '../../../secrets/secret-dialog.tsx'
import type { OrganizationMember } from './members.ts'
import { type MemberRole, ROLE_SENTENCES } from './roles.tsx'

/** Action on a member. */
export type MemberAction = 'role' | 'reset' | 'remove'

export interface MemberDialogProps {
  readonly action: MemberAction
  readonly of: OrganizationMember
  /** Roles that the user can assign. */
  readonly may: readonly MemberRole[]
  onClose(): void
}

export function MemberDialog({ action, ...rest }: MemberDialogProps) {
  if (action === 'role') return <ChangeRole {...rest} />
  return action === 'reset' ? <ResetLink {...rest} /> : <RemoveMember {...rest} />
}

type Props = Omit<MemberDialogProps, 'action'>

/** Dialog that changes the role of a member. The user's own permissions are reloaded too. */
function ChangeRole({ of: { person, name, role: before, version }, may, onClose }: Props) {
  const client = useQueryClient()
  const [role, setRole] = useState<MemberRole>(before)
  const change = useMutation({
    mutationFn: () =>
      confirmed(() => callApi('PATCH /members/{person}', { params: { person }, body: { role }, version })),
    onSuccess: async () => {
      toast(`Role of ${name} changed to ${role}.`)
      onClose()
      await Promise.all([
        client.invalidateQueries({ queryKey: ['members'] }),
        client.invalidateQueries({ queryKey: ['me'] }),
      ])
    },
  })
  return (
    <FormDialog
      title={`Change role of ${name}`}
      action="Change role"
      request={change}
      fields={['role']}
      onSubmit={() => (role === before ? onClose() : change.mutate())}
      onClose={onClose}
    >
      <SelectField
        label={LABELS.role}
        value={role}
        onPick={setRole}
        choices={may.map((value) => ({ value, title: value }))}
        hint={ROLE_SENTENCES[role]}
        error={fieldError(change.error, 'role')}
      />
    </FormDialog>
  )
}

/** Dialog that creates a link to set a new password. */
function ResetLink({ of: { person, name }, onClose }: Props) {
  const [created, setCreated] = useState<CreatedLink>()
  const create = useMutation({
    // The query client keeps results of mutations, so the link is not returned.
    mutationFn: async () => {
      const { link = '', expiresAt } = await confirmed(() =>
        callApi('POST /members/{person}/reset-link', { params: { person } }),
      )
      setCreated({ link, expiresAt })
    },
  })
  if (created)
    return (
      <SecretDialog title={`Password link for ${name}`} label="Link" secret={created.link} onStored={onClose}>
        <p className="text-muted">
          Send this link only to {name}. Anyone who opens it can set the password. It works once, until{' '}
          {fullTime(created.expiresAt)}.
        </p>
      </SecretDialog>
    )
  return (
    <FormDialog
      title={`Password link for ${name}`}
      lead={`Creates a link with which ${name} sets a new password. The current password works until then.`}
      action="Create link"
      request={create}
      onSubmit={() => create.mutate()}
      onClose={onClose}
    />
  )
}

function RemoveMember({ of: { person, name }, onClose }: Props) {
  const client = useQueryClient()
  const mayDelete = useMay('people.delete') !== undefined
  const [isDeleting, setDeleting] = useState(false)
  const remove = useMutation({
    mutationFn: () =>
      confirmed(() =>
        isDeleting
          ? callApi('DELETE /members/{person}/account', { params: { person } })
          : callApi('DELETE /members/{person}', { params: { person } }),
      ),
    onSuccess: () => {
      toast(isDeleting ? `Account of ${name} deleted.` : `${name} removed.`)
      onClose()
      return client.invalidateQueries({ queryKey: ['members'] })
    },
  })
  return (
    <FormDialog
      title={`Remove ${name}`}
      lead={`${name} loses access to this organization. Check their keys on the Keys page afterwards.`}
      action={isDeleting ? 'Delete account' : LABELS.remove}
      isDanger
      request={remove}
      onSubmit={() => remove.mutate()}
      onClose={onClose}
    >
      {mayDelete && (
        <CheckField
          label="Delete the account too"
          hint="Permanently deletes name, email and sign-in methods, and revokes their keys. Usage is kept without the name, and the audit log until its entries expire."
          checked={isDeleting}
          onCheck={setDeleting}
        />
      )}
    </FormDialog>
  )
}

interface CreatedLink {
  readonly link: string
  readonly expiresAt: number
}

/** Dialog that creates an invite. Its link is shown once, and sent by email if the gateway can send email. */
export function InvitePerson({ may, onClose }: { readonly may: readonly MemberRole[]; onClose(): void }) {
  const client = useQueryClient()
  const [role, setRole] = useState<MemberRole>('member')
  const [email, setEmail] = useState('')
  const [created, setCreated] = useState<CreatedLink>()
  const to = email.trim()
  const canMail = useQuery(signInMethodsQuery).data?.canMail ?? false
  const invite = useMutation({
    // The query client keeps results of mutations, so the link is not returned.
    mutationFn: async () => {
      const body = { role, email: to || undefined }
      const { link = '', invite: pending } = await confirmed(() => callApi('POST /invites', { body }))
      setCreated({ link, expiresAt: pending.expiresAt })
    },
    onSuccess: () => {
      client.invalidateQueries({ queryKey: ['invites'] }).catch(() => {})
    },
  })
  if (created)
    return (
      <SecretDialog title="Invite" label="Link" secret={created.link} onStored={onClose}>
        <p className="text-muted">
          {to === ''
            ? 'Share this link. The first person who opens it can join.'
            : canMail
              ? `Sent to ${to}. You can also share this link.`
              : `Send this link to ${to}; this gateway cannot send email.`}{' '}
          It works once, until {fullTime(created.expiresAt)}.
        </p>
      </SecretDialog>
    )
  return (
    <FormDialog
      title={LABELS.invite}
      action="Create invite"
      request={invite}
      fields={['email', 'role']}
      onSubmit={() => invite.mutate()}
      onClose={onClose}
    >
      <TextField
        label={LABELS.email}
        type="email"
        autoComplete="off"
        value={email}
        onText={setEmail}
        hint="Only this address can accept. Leave empty to let anyone with the link join."
        error={fieldError(invite.error, 'email')}
      />
      <SelectField
        label={LABELS.role}
        value={role}
        onPick={setRole}
        choices={may.map((value) => ({ value, title: value }))}
        hint={ROLE_SENTENCES[role]}
        error={fieldError(invite.error, 'role')}
      />
    </FormDialog>
  )
}

/** Dialog to leave the organization. The user types its name, because only an invite brings them back. */
export function LeaveOrganization({ onClose }: { onClose(): void }) {
  const name = useMembership()?.name ?? ''
  const [typed, setTyped] = useState('')
  const leave = useMutation({
    mutationFn: () => callApi('POST /organization/leave'),
    // A full reload discards the data of the organization.
    onSuccess: () => location.assign(`${BASE_PATH}/`),
  })
  return (
    <FormDialog
      title={`Leave ${name}`}
      lead="You lose access immediately and need a new invite to come back. Your account is kept. An owner can take over your keys."
      action="Leave"
      isDanger
      isDisabled={typed !== name}
      request={leave}
      onSubmit={() => leave.mutate()}
      onClose={onClose}
    >
      <TextField
        label={`Type ${name} to leave it`}
        autoComplete="off"
        spellCheck={false}
        value={typed}
        onText={setTyped}
      />
    </FormDialog>
  )
}
