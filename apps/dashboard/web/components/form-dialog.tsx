import type { ReactNode } from 'react'
import { Button } from './button.tsx'
import { Dialog, DialogActions, type DialogProps } from './dialog.tsx'
import { Form, type FormProps } from './form.tsx'

export interface FormDialogProps extends Omit<DialogProps, 'isOpen' | 'children'>, Pick<FormProps, 'fields'> {
  /** Explanation above the fields. */
  readonly lead?: ReactNode
  /** Label of the button that submits the form. */
  readonly action: string
  /** True if the action is destructive. */
  readonly isDanger?: boolean | undefined
  /** True if the form cannot be submitted yet. */
  readonly isDisabled?: boolean | undefined
  /** State of the request: its error is shown on top, and a pending request blocks another submit. */
  readonly request: { readonly error: unknown; readonly isPending: boolean }
  /** Buttons before Cancel. */
  readonly otherActions?: ReactNode
  onSubmit(): void
  readonly children?: ReactNode
}

/** Form in a dialog, with a Cancel button and a submit button. */
export function FormDialog(props: FormDialogProps) {
  const { lead, action, isDanger, isDisabled, request, fields, otherActions, onSubmit, children, ...dialog } = props
  return (
    <Dialog {...dialog} isOpen>
      {lead && <p className="text-muted">{lead}</p>}
      <Form
        error={request.error}
        fields={fields}
        onSubmit={() => {
          if (!isDisabled && !request.isPending) onSubmit()
        }}
      >
        {children}
        <DialogActions>
          {otherActions}
          <Button onClick={dialog.onClose}>Cancel</Button>
          <Button type="submit" look={isDanger ? 'danger' : 'primary'} disabled={isDisabled} isBusy={request.isPending}>
            {action}
          </Button>
        </DialogActions>
      </Form>
    </Dialog>
  )
}
