import { type ReactNode, useState } from 'react'
import { Button } from '../components/button.tsx'
import { Dialog, DialogActions } from '../components/dialog.tsx'
import { Note } from '../components/states.tsx'
import { Secret } from './secret.tsx'

export interface SecretDialogProps {
  readonly title: string
  readonly label: string
  readonly secret: string
  /** Instructions for the user. */
  readonly children?: ReactNode
  /** Called when the user closes the dialog. The secret cannot be shown again. */
  onStored(): void
}

/** Dialog that shows a secret once. Esc asks for confirmation. */
export function SecretDialog({ title, label, secret, children, onStored }: SecretDialogProps) {
  const [isLeaving, leave] = useState(false)
  return (
    <Dialog title={title} isOpen isPersistent onClose={() => leave(true)}>
      {children}
      <Secret secret={secret} label={label} />
      {isLeaving && <Note>Did you store it? It cannot be shown again. Without it, you need to create a new one.</Note>}
      <DialogActions>
        {isLeaving && (
          <Button look="danger" onClick={onStored}>
            Close without copying
          </Button>
        )}
        <Button data-first-focus onClick={onStored}>
          Done
        </Button>
      </DialogActions>
    </Dialog>
  )
}
