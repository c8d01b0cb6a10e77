import { useMutation } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { TextField } from './field.tsx'
import { fieldError } from './form.tsx'
import { FormDialog } from './form-dialog.tsx'

export interface NameDialogProps {
  readonly title: string
  /** Label of the button that saves. */
  readonly action: string
  /** Name before; empty = something new. */
  readonly before: string
  readonly hint?: string | undefined
  readonly autoComplete?: string | undefined
  /** Stores the name, without spaces around it; the dialog closes afterwards. */
  save(name: string): Promise<void>
  /** Whether an error of `save` is no failure, as when the user cancels. */
  isSilent?(error: unknown): boolean
  onClose(): void
  /** Fields below the name. */
  readonly children?: ReactNode
}

/** Dialog that names something. */
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
        label="Name"
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
