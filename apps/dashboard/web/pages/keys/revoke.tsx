import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { ask } from '../../api/ask.ts'
import { type Key, titleOf } from '../../api/keys.ts'
import { Button } from '../../components/button.tsx'
import { Dialog, DialogActions } from '../../components/dialog.tsx'
import { TextField } from '../../components/field.tsx'
import { Form } from '../../components/form.tsx'
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
    <Dialog title={`Revoke ${name}`} isOpen onClose={onClose}>
      <p className="text-muted">
        Every process refuses it within a second, with each of its secrets. This can not be undone; what it has used
        stays known.
      </p>
      <Form
        error={revoke.error}
        onSubmit={() => typed.trim() === name && revoke.mutate(undefined, { onSuccess: onClose })}
      >
        <TextField
          label={`Type ${name} to revoke it`}
          autoComplete="off"
          spellCheck={false}
          value={typed}
          onChange={({ target }) => setTyped(target.value)}
        />
        <DialogActions>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" look="danger" disabled={typed.trim() !== name} isBusy={revoke.isPending}>
            Revoke for ever
          </Button>
        </DialogActions>
      </Form>
    </Dialog>
  )
}
