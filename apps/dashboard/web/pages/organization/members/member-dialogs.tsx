import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { ask } from '../../../api/ask.ts'
import { useMembership } from '../../../api/me.ts'
import { waysInQuery } from '../../../api/queries.ts'
import { BASE_PATH } from '../../../app/base.ts'
import { SelectField, TextField } from '../../../components/field.tsx'
import { fieldError } from '../../../components/form.tsx'
import { FormDialog } from '../../../components/form-dialog.tsx'
import { toast } from '../../../components/toasts.tsx'
import { confirmed } from '../../../confirm/confirmed.ts'
import { fullTime } from '../../../formats/times.ts'
import { SecretDialog } from '../../../secrets/secret-dialog.tsx'
import type { Member } from './members.ts'
import { ROLE_SENTENCES, type Role } from './roles.tsx'

/** What can be done with a member. */
export type Deed = 'role' | 'reset' | 'remove'

export interface MemberDialogProps {
  readonly deed: Deed
  readonly of: Member
  /** Roles that may be given. */
  readonly may: readonly Role[]
  onClose(): void
}

export function MemberDialog({ deed, ...rest }: MemberDialogProps) {
  if (deed === 'role') return <ChangeRole {...rest} />
  return deed === 'reset' ? <ResetLink {...rest} /> : <RemoveMember {...rest} />
}

type Props = Omit<MemberDialogProps, 'deed'>

/** Another role. It is one's own as well: what all pages offer goes by it. */
function ChangeRole({ of: { person, name, role: before, version }, may, onClose }: Props) {
  const client = useQueryClient()
  const [role, setRole] = useState<Role>(before)
  const change = useMutation({
    mutationFn: () => confirmed(() => ask('PATCH /members/{person}', { params: { person }, body: { role }, version })),
    onSuccess: async () => {
      toast(`${name} is ${role} now.`)
      onClose()
      await Promise.all([
        client.invalidateQueries({ queryKey: ['members'] }),
        client.invalidateQueries({ queryKey: ['me'] }),
      ])
    },
  })
  return (
    <FormDialog
      title={`The role of ${name}`}
      action="Change the role"
      request={change}
      fields={['role']}
      onSubmit={() => (role === before ? onClose() : change.mutate())}
      onClose={onClose}
    >
      <SelectField
        label="Role"
        value={role}
        onPick={setRole}
        choices={may.map((value) => ({ value, title: value }))}
        hint={ROLE_SENTENCES[role]}
        error={fieldError(change.error, 'role')}
      />
    </FormDialog>
  )
}

/** A link that somebody gets who has lost their password. */
function ResetLink({ of: { person, name }, onClose }: Props) {
  const [made, setMade] = useState<{ readonly link: string; readonly expiresAt: number }>()
  const make = useMutation({
    // What a mutation answers is kept: the link goes by it.
    mutationFn: async () => {
      const { link = '', expiresAt } = await confirmed(() =>
        ask('POST /members/{person}/reset-link', { params: { person } }),
      )
      setMade({ link, expiresAt })
    },
  })
  if (made)
    return (
      <SecretDialog title={`A link for ${name}`} label="The link" secret={made.link} onStored={onClose}>
        <p className="text-muted">
          Hand it to {name} and nobody else: who opens it chooses the password. It works once, until{' '}
          {fullTime(made.expiresAt)}.
        </p>
      </SecretDialog>
    )
  return (
    <FormDialog
      title={`A new password for ${name}`}
      lead={`You get a link to hand on, by which ${name} chooses another password. The one they have works until then.`}
      action="Make the link"
      request={make}
      onSubmit={() => make.mutate()}
      onClose={onClose}
    />
  )
}

function RemoveMember({ of: { person, name }, onClose }: Props) {
  const client = useQueryClient()
  const remove = useMutation({
    mutationFn: () => confirmed(() => ask('DELETE /members/{person}', { params: { person } })),
    onSuccess: () => {
      toast(`${name} is no longer a member.`)
      onClose()
      return client.invalidateQueries({ queryKey: ['members'] })
    },
  })
  return (
    <FormDialog
      title={`Remove ${name}`}
      lead={`${name} sees nothing of this organization from now on. Keys that they made go on until they are revoked: look at them under Keys.`}
      action="Remove"
      isDanger
      request={remove}
      onSubmit={() => remove.mutate()}
      onClose={onClose}
    />
  )
}

interface Made {
  readonly link: string
  readonly expiresAt: number
}

/** Invites somebody: by a link that is shown this once, and sent where the gateway has mail. */
export function InvitePerson({ may, onClose }: { readonly may: readonly Role[]; onClose(): void }) {
  const client = useQueryClient()
  const [role, setRole] = useState<Role>('member')
  const [email, setEmail] = useState('')
  const [made, setMade] = useState<Made>()
  const to = email.trim()
  const canMail = useQuery(waysInQuery).data?.canMail ?? false
  const invite = useMutation({
    // What a mutation answers is kept: the link goes by it.
    mutationFn: async () => {
      const body = { role, email: to || undefined }
      const { link = '', invite: given } = await confirmed(() => ask('POST /invites', { body }))
      setMade({ link, expiresAt: given.expiresAt })
    },
    onSuccess: () => {
      client.invalidateQueries({ queryKey: ['invites'] }).catch(() => {})
    },
  })
  if (made)
    return (
      <SecretDialog title="The invite" label="The link" secret={made.link} onStored={onClose}>
        <p className="text-muted">
          {to === ''
            ? 'Hand it on: whoever opens it first joins.'
            : canMail
              ? `It is on its way to ${to}. Here it is as well.`
              : `Hand it to ${to}: this gateway sends no mail.`}{' '}
          It works once, until {fullTime(made.expiresAt)}.
        </p>
      </SecretDialog>
    )
  return (
    <FormDialog
      title="Invite somebody"
      action="Make the invite"
      request={invite}
      fields={['email', 'role']}
      onSubmit={() => invite.mutate()}
      onClose={onClose}
    >
      <TextField
        label="Mail address"
        type="email"
        autoComplete="off"
        value={email}
        onText={setEmail}
        hint="The only one that the invite makes an account for. Without it, whoever has the link."
        error={fieldError(invite.error, 'email')}
      />
      <SelectField
        label="Role"
        value={role}
        onPick={setRole}
        choices={may.map((value) => ({ value, title: value }))}
        hint={ROLE_SENTENCES[role]}
        error={fieldError(invite.error, 'role')}
      />
    </FormDialog>
  )
}

/** Leaves the organization: its name is typed, since nobody comes back without an invite. */
export function LeaveOrganization({ onClose }: { onClose(): void }) {
  const name = useMembership()?.name ?? ''
  const [typed, setTyped] = useState('')
  const leave = useMutation({
    mutationFn: () => ask('POST /organization/leave'),
    // All that was seen was the organization's.
    onSuccess: () => location.assign(`${BASE_PATH}/`),
  })
  return (
    <FormDialog
      title={`Leave ${name}`}
      lead="You see nothing of it from now on, and come back by an invite alone. Your account stays, and keys that you made go on until an admin revokes them."
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
