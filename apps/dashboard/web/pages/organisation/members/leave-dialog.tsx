import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { ask } from '../../../api/ask.ts'
import { useMembership } from '../../../api/me.ts'
import { BASE_PATH } from '../../../app/base.ts'
import { TextField } from '../../../components/field.tsx'
import { FormDialog } from '../../../components/form-dialog.tsx'

/** Leaves the organisation: its name is typed, since nobody comes back without an invite. */
export function LeaveOrganisation({ onClose }: { onClose(): void }) {
  const name = useMembership()?.name ?? ''
  const [typed, setTyped] = useState('')
  const leave = useMutation({
    mutationFn: () => ask('POST /organisation/leave'),
    // All that was seen was the organisation's.
    onSuccess: () => location.assign(`${BASE_PATH}/`),
  })
  return (
    <FormDialog
      title={`Leave ${name}`}
      lead="You see nothing of it from now on, and come back by an invite alone. Your account stays, and keys that you made go on until an admin revokes them."
      action="Leave"
      isDanger
      isDisabled={typed !== name}
      request={leave}
      onSubmit={() => leave.mutate()}
      onClose={onClose}
    >
      <TextField
        label={`Type ${name} to leave it`}
        autoComplete="off"
        spellCheck={false}
        value={typed}
        onText={setTyped}
      />
    </FormDialog>
  )
}
