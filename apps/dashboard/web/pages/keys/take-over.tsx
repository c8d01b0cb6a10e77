import { useMutation, useQueryClient } from '@tanstack/react-query'
import { ask } from '../../api/ask.ts'
import { type Key, titleOf } from '../../api/keys.ts'
import { Button } from '../../components/button.tsx'
import { Dialog, DialogActions } from '../../components/dialog.tsx'
import { Form } from '../../components/form.tsx'
import { toast } from '../../components/toasts.tsx'
import { confirmed } from '../../confirm/confirmed.ts'

/** Makes the one who looks the creator of a key that stopped with its creator. */
export function TakeOverKey({ of, onClose }: { readonly of: Key; onClose(): void }) {
  const client = useQueryClient()
  const name = titleOf(of)
  const take = useMutation({
    mutationFn: () =>
      confirmed(() => ask('POST /keys/{key}/take-over', { params: { key: of.id }, version: of.version })),
    onSuccess: () => {
      toast(`${name} is yours and works again.`)
      return client.invalidateQueries({ queryKey: ['keys'] })
    },
  })
  return (
    <Dialog title={`Take over ${name}`} isOpen onClose={onClose}>
      <p className="text-muted">
        The key works again within a second, with your rights at most. Its usage counts as yours, past usage included.
        Rotate it afterwards if the person who created it may still know its secret.
      </p>
      <Form error={take.error} onSubmit={() => take.mutate(undefined, { onSuccess: onClose })}>
        <DialogActions>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" look="primary" isBusy={take.isPending}>
            Take over
          </Button>
        </DialogActions>
      </Form>
    </Dialog>
  )
}
