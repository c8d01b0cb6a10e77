import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { ask } from '../../api/ask.ts'
import { type Key, titleOf } from '../../api/keys.ts'
import { TextField } from '../../components/field.tsx'
import { FormDialog } from '../../components/form-dialog.tsx'
import { toast } from '../../components/toasts.tsx'
import { confirmed } from '../../confirm/confirmed.ts'

/** Ends a key for ever: its name is typed, since it can not be taken back. */
export function RevokeKey({ of, onClose }: { readonly of: Key; onClose(): void }) {
  const client = useQueryClient()
  const [typed, setTyped] = useState('')
  const name = titleOf(of)
  const revoke = useMutation({
    mutationFn: () => confirmed(() => ask('POST /keys/{key}/revoke', { params: { key: of.id }, version: of.version })),
    onSuccess: () => {
      toast(`${name} is revoked.`)
      return client.invalidateQueries({ queryKey: ['keys'] })
    },
  })
  return (
    <FormDialog
      title={`Revoke ${name}`}
      lead="Every process refuses it within a second, with each of its secrets. This can not be undone; what it has used stays known."
      action="Revoke for ever"
      isDanger
      isDisabled={typed.trim() !== name}
      request={revoke}
      onSubmit={() => revoke.mutate(undefined, { onSuccess: onClose })}
      onClose={onClose}
    >
      <TextField
        label={`Type ${name} to revoke it`}
        autoComplete="off"
        spellCheck={false}
        value={typed}
        onChange={({ target }) => setTyped(target.value)}
      />
    </FormDialog>
  )
}
