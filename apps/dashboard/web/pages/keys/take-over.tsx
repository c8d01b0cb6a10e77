import { useMutation, useQueryClient } from '@tanstack/react-query'
import { ask } from '../../api/ask.ts'
import { type Key, titleOf } from '../../api/keys.ts'
import { FormDialog } from '../../components/form-dialog.tsx'
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
    <FormDialog
      title={`Take over ${name}`}
      lead="The key works again within a second, with your rights at most. Its usage counts as yours, past usage included. Rotate it afterwards if the person who created it may still know its secret."
      action="Take over"
      request={take}
      onSubmit={() => take.mutate(undefined, { onSuccess: onClose })}
      onClose={onClose}
    />
  )
}
