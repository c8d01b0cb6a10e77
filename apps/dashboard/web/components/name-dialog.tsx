import { useMutation } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { LABELS } from '../labels.ts'
import { TextField } from './field.tsx'
import { fieldError } from './form.tsx'
import { FormDialog } from './form-dialog.tsx'

export interface NameDialogProps {
  readonly title: string
  /** Label of the button that saves. */
  readonly action: string
  /** Current name; empty = a new item. */
  readonly before: string
  readonly hint?: string | undefined
  readonly autoComplete?: string | undefined
  /** Stores the trimmed name. The dialog closes afterwards. */
  save(name: string): Promise<void>
  /** Returns whether an error of `save` is not shown, such as a cancellation by the user. */
  isSilent?(error: unknown): boolean
  onClose(): void
  /** Fields below the name. */
  readonly children?: ReactNode
}

/** Dialog with a name field. */
export function NameDialog(props: NameDialogProps) {
  const { title, action, before, hint, autoComplete = 'off', save, isSilent, onClose, children } = props
  const [name, setName] = useState(before)
  const { mutate, error, isPending } = useMutation({ mutationFn: () => save(name.trim()), onSuccess: onClose })
  return (
    <FormDialog
      title={title}
      action={action}
      isDisabled={name.trim() === ''}
      request={{ error: isSilent?.(error) ? null : error, isPending }}
      fields={['name']}
      onSubmit={mutate}
      onClose={onClose}
    >
      <TextField
        label={LABELS.name}
        autoComplete={autoComplete}
        value={name}
        onText={setName}
        hint={hint}
        error={fieldError(error, 'name')}
      />
      {children}
    </FormDialog>
  )
}
