import { type ReactNode, useId } from 'react'
import { classes } from './classes.ts'

export interface FieldProps {
  readonly label: string
  readonly hint?: ReactNode
  /** Error message for the value. */
  readonly error?: string | undefined
  /** True if only screen readers see the label. */
  readonly isLabelHidden?: boolean | undefined
}

/** Attributes that connect a control to its label, hint and error. */
interface ControlAttributes {
  readonly id: string
  readonly 'aria-describedby': string | undefined
  readonly 'aria-invalid': true | undefined
}

/** Control with a label, a hint and an error. */
export function Field({
  label,
  hint,
  error,
  isLabelHidden = false,
  children,
}: FieldProps & { children(described: ControlAttributes): ReactNode }) {
  const id = useId()
  const [hintId, errorId] = [`${id}-hint`, `${id}-error`]
  const about = [error !== undefined && errorId, hint !== undefined && hintId].filter(Boolean).join(' ')
  return (
    <div className="flex min-w-0 flex-col gap-1">
      <label htmlFor={id} className={classes('text-small font-medium text-muted', isLabelHidden && 'sr-only')}>
        {label}
      </label>
      {children({
        id,
        'aria-describedby': about || undefined,
        'aria-invalid': error === undefined ? undefined : true,
      })}
      {hint !== undefined && (
        <p id={hintId} className="text-small text-muted">
          {hint}
        </p>
      )}
      {error !== undefined && (
        <p id={errorId} className="text-small text-bad">
          {error}
        </p>
      )}
    </div>
  )
}
