import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { ask } from '../../../api/ask.ts'
import { SelectField } from '../../../components/field.tsx'
import { fieldError } from '../../../components/form.tsx'
import { FormDialog } from '../../../components/form-dialog.tsx'
import { toast } from '../../../components/toasts.tsx'
import { confirmed } from '../../../confirm/confirmed.ts'
import { fullTime } from '../../../formats/times.ts'
import { SecretDialog } from '../../../secrets/secret-dialog.tsx'
import type { Member } from './members.ts'
import { ROLE_SENTENCES, type Role } from './roles.ts'

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
      lead={`${name} sees nothing of this organisation from now on. Keys that they made go on until they are revoked: look at them under Keys.`}
      action="Remove"
      isDanger
      request={remove}
      onSubmit={() => remove.mutate()}
      onClose={onClose}
    />
  )
}
