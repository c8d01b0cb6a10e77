import { type ReactNode, useState } from 'react'
import { Button } from '../components/button.tsx'
import { Dialog, DialogActions } from '../components/dialog.tsx'
import { Note } from '../components/states.tsx'
import { Secret } from './secret.tsx'

export interface SecretDialogProps {
  readonly title: string
  readonly label: string
  readonly secret: string
  /** What is to be done with it. */
  readonly children?: ReactNode
  /** After which it is nowhere. */
  onStored(): void
}

/** A secret that is shown this once. It is left by saying that it was stored; Esc asks a second time. */
export function SecretDialog({ title, label, secret, children, onStored }: SecretDialogProps) {
  const [isLeaving, leave] = useState(false)
  return (
    <Dialog title={title} isOpen isPersistent onClose={() => leave(true)}>
      {children}
      <Secret secret={secret} label={label} />
      {isLeaving && (
        <Note>Did you store it? Nobody can show it again: without it you would have to make another one.</Note>
      )}
      <DialogActions>
        {isLeaving && (
          <Button look="danger" onClick={onStored}>
            Leave without it
          </Button>
        )}
        <Button data-first-focus onClick={onStored}>
          I stored it
        </Button>
      </DialogActions>
    </Dialog>
  )
}
