import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { ask } from '../../../api/ask.ts'
import { useMe } from '../../../api/me.ts'
import { Button } from '../../../components/button.tsx'
import { Dialog, DialogActions } from '../../../components/dialog.tsx'
import { TextField } from '../../../components/field.tsx'
import { Form, fieldError } from '../../../components/form.tsx'
import { Section } from '../../../components/page.tsx'
import { toast } from '../../../components/toasts.tsx'
import { confirmed } from '../../../confirm/confirmed.ts'

/** One's own name and password. */
export function OwnPassword() {
  const me = useMe()
  const [asked, setAsked] = useState<'name' | 'password'>()
  if (!me) return null
  const close = (): void => setAsked(undefined)
  return (
    <Section title="Your account">
      <dl className="grid grid-cols-[auto_minmax(0,1fr)_auto] items-center gap-x-4 gap-y-1">
        <dt className="text-muted">Name</dt>
        <dd className="truncate">{me.name}</dd>
        <dd>
          <Button look="quiet" onClick={() => setAsked('name')}>
            Change<span className="sr-only"> the name</span>
          </Button>
        </dd>
        <dt className="text-muted">Mail address</dt>
        <dd className="col-span-2 flex min-h-8 items-center wrap-anywhere">{me.email ?? 'none'}</dd>
        <dt className="text-muted">Password</dt>
        <dd>{me.hasPassword ? 'set' : 'none'}</dd>
        <dd>
          <Button look="quiet" onClick={() => setAsked('password')}>
            {me.hasPassword ? 'Change' : 'Set'}
            <span className="sr-only"> the password</span>
          </Button>
        </dd>
      </dl>
      {asked === 'name' && <ChangeName before={me.name} onClose={close} />}
      {asked === 'password' && <ChangePassword hasOne={me.hasPassword} onClose={close} />}
    </Section>
  )
}

function ChangeName({ before, onClose }: { readonly before: string; onClose(): void }) {
  const client = useQueryClient()
  const [name, setName] = useState(before)
  const save = useMutation({
    mutationFn: () => ask('PATCH /me', { body: { name: name.trim() } }),
    onSuccess: async () => {
      toast('Your name is another one now.')
      onClose()
      await Promise.all([
        client.invalidateQueries({ queryKey: ['me'] }),
        client.invalidateQueries({ queryKey: ['members'] }),
      ])
    },
  })
  return (
    <Dialog title="Your name" isOpen onClose={onClose}>
      <Form error={save.error} fields={['name']} onSubmit={() => name.trim() !== '' && save.mutate()}>
        <TextField
          label="Name"
          autoComplete="name"
          value={name}
          onChange={({ target }) => setName(target.value)}
          error={fieldError(save.error, 'name')}
        />
        <DialogActions>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" look="primary" disabled={name.trim() === ''} isBusy={save.isPending}>
            Change the name
          </Button>
        </DialogActions>
      </Form>
    </Dialog>
  )
}

function ChangePassword({ hasOne, onClose }: { readonly hasOne: boolean; onClose(): void }) {
  const client = useQueryClient()
  const [current, setCurrent] = useState('')
  const [password, setPassword] = useState('')
  const save = useMutation({
    mutationFn: () => confirmed(() => ask('POST /password', { body: { password, ...(hasOne && { current }) } })),
    onSuccess: async () => {
      toast('Your password is another one now. Your other sessions have ended.')
      onClose()
      await Promise.all([
        client.invalidateQueries({ queryKey: ['me'] }),
        client.invalidateQueries({ queryKey: ['sessions'] }),
      ])
    },
  })
  return (
    <Dialog title={hasOne ? 'Change your password' : 'Set a password'} isOpen onClose={onClose}>
      <Form error={save.error} fields={['current', 'password']} onSubmit={() => save.mutate()}>
        {hasOne && (
          <TextField
            label="Password now"
            type="password"
            autoComplete="current-password"
            value={current}
            onChange={({ target }) => setCurrent(target.value)}
            error={fieldError(save.error, 'current')}
          />
        )}
        <TextField
          label="New password"
          type="password"
          autoComplete="new-password"
          value={password}
          onChange={({ target }) => setPassword(target.value)}
          hint="At least 12 characters. Your other sessions end."
          error={fieldError(save.error, 'password')}
        />
        <DialogActions>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" look="primary" isBusy={save.isPending}>
            {hasOne ? 'Change the password' : 'Set the password'}
          </Button>
        </DialogActions>
      </Form>
    </Dialog>
  )
}
