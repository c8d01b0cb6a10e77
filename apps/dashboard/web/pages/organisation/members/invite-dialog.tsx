import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { ask } from '../../../api/ask.ts'
import { SelectField, TextField } from '../../../components/field.tsx'
import { fieldError } from '../../../components/form.tsx'
import { FormDialog } from '../../../components/form-dialog.tsx'
import { confirmed } from '../../../confirm/confirmed.ts'
import { fullTime } from '../../../formats/times.ts'
import { SecretDialog } from '../../../secrets/secret-dialog.tsx'
import { waysInQuery } from '../ways-in.ts'
import { ROLE_SENTENCES, type Role } from './roles.ts'

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
      const body = { role, ...(to !== '' && { email: to }) }
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
