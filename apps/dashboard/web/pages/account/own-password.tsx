import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { callApi } from '../../api/call.ts'
import { useMe } from '../../api/me.ts'
import { Button } from '../../components/button.tsx'
import { TextField } from '../../components/field.tsx'
import { fieldError } from '../../components/form.tsx'
import { FormDialog } from '../../components/form-dialog.tsx'
import { NameDialog } from '../../components/name-dialog.tsx'
import { Section } from '../../components/page.tsx'
import { toast } from '../../components/toasts.tsx'
import { confirmed } from '../../confirm/confirmed.ts'
import { LABELS } from '../../labels.ts'

/** Name, email and password of the user. */
export function OwnPassword() {
  const me = useMe()
  const [dialog, setDialog] = useState<'name' | 'password'>()
  if (!me) return null
  const close = (): void => setDialog(undefined)
  return (
    <Section title="Profile">
      <dl className="grid grid-cols-[auto_minmax(0,1fr)_auto] items-center gap-x-4 gap-y-1">
        <dt className="text-muted">{LABELS.name}</dt>
        <dd className="truncate">{me.name}</dd>
        <dd>
          <Button look="quiet" onClick={() => setDialog('name')}>
            {LABELS.change}
            <span className="sr-only"> name</span>
          </Button>
        </dd>
        <dt className="text-muted">{LABELS.email}</dt>
        <dd className="col-span-2 flex min-h-8 items-center wrap-anywhere">{me.email ?? LABELS.none}</dd>
        <dt className="text-muted">{LABELS.password}</dt>
        <dd>{me.hasPassword ? 'set' : LABELS.none}</dd>
        <dd>
          <Button look="quiet" onClick={() => setDialog('password')}>
            {me.hasPassword ? LABELS.change : 'Set'}
            <span className="sr-only"> password</span>
          </Button>
        </dd>
      </dl>
      {dialog === 'name' && <ChangeName before={me.name} onClose={close} />}
      {dialog === 'password' && <ChangePassword hasOne={me.hasPassword} onClose={close} />}
    </Section>
  )
}

function ChangeName({ before, onClose }: { readonly before: string; onClose(): void }) {
  const client = useQueryClient()
  const save = async (name: string): Promise<void> => {
    await callApi('PATCH /me', { body: { name } })
    toast('Name changed.')
    for (const queryKey of [['me'], ['members']]) client.invalidateQueries({ queryKey }).catch(() => {})
  }
  return (
    <NameDialog
      title="Change your name"
      action="Change name"
      before={before}
      autoComplete="name"
      save={save}
      onClose={onClose}
    />
  )
}

function ChangePassword({ hasOne, onClose }: { readonly hasOne: boolean; onClose(): void }) {
  const client = useQueryClient()
  const [current, setCurrent] = useState('')
  const [password, setPassword] = useState('')
  const save = useMutation({
    mutationFn: () =>
      confirmed(() => callApi('POST /password', { body: { password, current: hasOne ? current : undefined } })),
    onSuccess: async () => {
      toast('Password changed. Your other sessions ended.')
      onClose()
      await Promise.all([
        client.invalidateQueries({ queryKey: ['me'] }),
        client.invalidateQueries({ queryKey: ['sessions'] }),
      ])
    },
  })
  return (
    <FormDialog
      title={hasOne ? 'Change your password' : 'Set a password'}
      action={hasOne ? 'Change password' : 'Set password'}
      request={save}
      fields={['current', 'password']}
      onSubmit={() => save.mutate()}
      onClose={onClose}
    >
      {hasOne && (
        <TextField
          label="Current password"
          type="password"
          autoComplete="current-password"
          value={current}
          onText={setCurrent}
          error={fieldError(save.error, 'current')}
        />
      )}
      <TextField
        label="New password"
        type="password"
        autoComplete="new-password"
        value={password}
        onText={setPassword}
        hint="At least 12 characters. Ends your other sessions."
        error={fieldError(save.error, 'password')}
      />
    </FormDialog>
  )
}
