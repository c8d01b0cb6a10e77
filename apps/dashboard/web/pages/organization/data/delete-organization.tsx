import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { callApi } from '../../../api/call.ts'
import { meQuery } from '../../../api/me.ts'
import { chooseOrganization } from '../../../api/organization.ts'
import { TextField } from '../../../components/field.tsx'
import { FormDialog } from '../../../components/form-dialog.tsx'
import { toast } from '../../../components/toasts.tsx'
import { confirmed } from '../../../confirm/confirmed.ts'

/** Dialog that deletes the organization. The user types its name, because this cannot be undone. */
export function DeleteOrganization({ name, onClose }: { readonly name: string; onClose(): void }) {
  const client = useQueryClient()
  const [typed, setTyped] = useState('')
  const remove = useMutation({
    mutationFn: () => confirmed(() => callApi('DELETE /organization')),
    onSuccess: () => {
      toast(`${name} deleted.`)
      chooseOrganization(undefined)
      return client.invalidateQueries({ queryKey: meQuery.queryKey })
    },
  })
  return (
    <FormDialog
      title={`Delete ${name}`}
      lead="All members lose access, and all keys stop within a second. This cannot be undone. Usage data is kept."
      action="Delete organization"
      isDanger
      isDisabled={typed.trim() !== name}
      request={remove}
      onSubmit={() => remove.mutate(undefined, { onSuccess: onClose })}
      onClose={onClose}
    >
      <TextField
        label={`Type ${name} to delete it`}
        autoComplete="off"
        spellCheck={false}
        value={typed}
        onText={setTyped}
      />
    </FormDialog>
  )
}
