import { useMutation } from '@tanstack/react-query'
import { KeyRound } from 'lucide-react'
import { useState } from 'react'
import { callApi } from '../api/call.ts'
import { Button } from '../components/button.tsx'
import { TextField } from '../components/field.tsx'
import { fieldError } from '../components/form.tsx'
import { FormDialog } from '../components/form-dialog.tsx'
import { LABELS } from '../labels.ts'
import { hasPasskeys, isDeclined, signWithPasskey } from '../passkeys/passkey.ts'
import type { PendingConfirmation } from './confirmed.ts'

/** Dialog that confirms the user's identity by password or passkey. It is valid for 15 minutes. */
export function ConfirmDialog({ waiting: { go, stop } }: { readonly waiting: PendingConfirmation }) {
  const [password, setPassword] = useState('')
  const byPassword = useMutation({ mutationFn: () => callApi('POST /confirm', { body: { password } }), onSuccess: go })
  const byPasskey = useMutation({
    mutationFn: async () => callApi('POST /passkeys/confirm', { body: { response: await signWithPasskey() } }),
    onSuccess: go,
  })
  const error = byPassword.error ?? (byPasskey.error && !isDeclined(byPasskey.error) ? byPasskey.error : undefined)
  return (
    <FormDialog
      title="Confirm your identity"
      lead="This action is sensitive. Enter your password or use a passkey. The confirmation is valid for 15 minutes."
      action={LABELS.continue}
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
        label={LABELS.password}
        type="password"
        autoComplete="current-password"
        value={password}
        onText={setPassword}
        error={fieldError(byPassword.error, 'password')}
      />
    </FormDialog>
  )
}
