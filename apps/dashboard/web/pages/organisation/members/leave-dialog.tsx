import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { ask } from '../../../api/ask.ts'
import { useMembership } from '../../../api/me.ts'
import { BASE_PATH } from '../../../app/base.ts'
import { Button } from '../../../components/button.tsx'
import { Dialog, DialogActions } from '../../../components/dialog.tsx'
import { TextField } from '../../../components/field.tsx'
import { Form } from '../../../components/form.tsx'

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
    <Dialog title={`Leave ${name}`} isOpen onClose={onClose}>
      <p className="text-muted">
        You see nothing of it from now on, and come back by an invite alone. Your account stays, and keys that you made
        go on until an admin revokes them.
      </p>
      <Form error={leave.error} onSubmit={() => typed === name && leave.mutate()}>
        <TextField
          label={`Type ${name} to leave it`}
          autoComplete="off"
          spellCheck={false}
          value={typed}
          onChange={({ target }) => setTyped(target.value)}
        />
        <DialogActions>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" look="danger" disabled={typed !== name} isBusy={leave.isPending}>
            Leave
          </Button>
        </DialogActions>
      </Form>
    </Dialog>
  )
}
