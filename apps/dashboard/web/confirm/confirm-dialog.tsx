import { useMutation } from '@tanstack/react-query'
import { KeyRound } from 'lucide-react'
import { useState } from 'react'
import { ask } from '../api/ask.ts'
import { Button } from '../components/button.tsx'
import { TextField } from '../components/field.tsx'
import { fieldError } from '../components/form.tsx'
import { FormDialog } from '../components/form-dialog.tsx'
import { answerByPasskey, hasPasskeys, isDeclined } from '../passkeys/passkey.ts'
import type { Waiting } from './confirmed.ts'

/** Asks once more who somebody is: what follows is sensitive. It holds for 15 minutes. */
export function ConfirmDialog({ waiting: { go, stop } }: { readonly waiting: Waiting }) {
  const [password, setPassword] = useState('')
  const byPassword = useMutation({ mutationFn: () => ask('POST /confirm', { body: { password } }), onSuccess: go })
  const byPasskey = useMutation({
    mutationFn: async () => ask('POST /passkeys/confirm', { body: { response: await answerByPasskey() } }),
    onSuccess: go,
  })
  const error = byPassword.error ?? (byPasskey.error && !isDeclined(byPasskey.error) ? byPasskey.error : undefined)
  return (
    <FormDialog
      title="Is it you?"
      lead="What follows is sensitive. Show who you are; it counts for 15 minutes."
      action="Go on"
      request={{ error, isPending: byPassword.isPending }}
      fields={['password']}
      otherActions={
        hasPasskeys() && (
          <Button onClick={() => byPasskey.mutate()} isBusy={byPasskey.isPending}>
            <KeyRound aria-hidden size={14} /> Use a passkey
          </Button>
        )
      }
      onSubmit={() => byPassword.mutate()}
      onClose={stop}
    >
      <TextField
        label="Password"
        type="password"
        autoComplete="current-password"
        value={password}
        onText={setPassword}
        error={fieldError(byPassword.error, 'password')}
      />
    </FormDialog>
  )
}
