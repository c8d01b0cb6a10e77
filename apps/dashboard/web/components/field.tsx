import {
  type InputHTMLAttributes,
  type ReactNode,
  type SelectHTMLAttributes,
  type TextareaHTMLAttributes,
  useId,
} from 'react'
import { CONTROL, classes } from './classes.ts'

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

type ControlProps<Attributes> = Omit<Attributes, 'id' | 'onChange'> & FieldProps

interface TextFieldProps extends ControlProps<InputHTMLAttributes<HTMLInputElement>> {
  onText(text: string): void
}

export function TextField({ label, hint, error, isLabelHidden, className, onText, ...rest }: TextFieldProps) {
  return (
    <Field {...{ label, hint, error, isLabelHidden }}>
      {(described) => (
        <input
          {...rest}
          {...described}
          className={classes(CONTROL, className)}
          onChange={({ target }) => onText(target.value)}
        />
      )}
    </Field>
  )
}

interface FindFieldProps {
  readonly label: string
  readonly placeholder: string
  readonly value: string
  onText(text: string): void
}

/** Field that filters a list below it. */
export function FindField(props: FindFieldProps) {
  return (
    <div className="w-56 max-w-full">
      <TextField {...props} isLabelHidden type="search" />
    </div>
  )
}

interface TextAreaProps extends ControlProps<TextareaHTMLAttributes<HTMLTextAreaElement>> {
  onText(text: string): void
}

export function TextArea({ label, hint, error, isLabelHidden, className, onText, ...rest }: TextAreaProps) {
  return (
    <Field {...{ label, hint, error, isLabelHidden }}>
      {(described) => (
        <textarea
          {...rest}
          {...described}
          className={classes(CONTROL, 'py-1.5', className)}
          onChange={({ target }) => onText(target.value)}
        />
      )}
    </Field>
  )
}

export interface SelectOption<Value extends string = string> {
  readonly value: Value
  readonly title: string
}

interface SelectFieldProps<Value extends string> extends ControlProps<SelectHTMLAttributes<HTMLSelectElement>> {
  readonly value: Value
  readonly choices: readonly SelectOption<Value>[]
  onPick(value: NoInfer<Value>): void
}

export function SelectField<Value extends string>(props: SelectFieldProps<Value>) {
  const { label, hint, error, isLabelHidden, choices, className, onPick, ...rest } = props
  return (
    <Field {...{ label, hint, error, isLabelHidden }}>
      {(described) => (
        <select
          {...rest}
          {...described}
          className={classes(CONTROL, 'pr-1', className)}
          onChange={({ target }) => {
            const choice = choices.find(({ value }) => value === target.value)
            if (choice) onPick(choice.value)
          }}
        >
          {choices.map(({ value, title }) => (
            <option key={value} value={value}>
              {title}
            </option>
          ))}
        </select>
      )}
    </Field>
  )
}

interface CheckFieldProps extends ControlProps<InputHTMLAttributes<HTMLInputElement>> {
  onCheck(isChecked: boolean): void
}

export function CheckField({ label, hint, className, onCheck, ...rest }: CheckFieldProps) {
  const id = useId()
  return (
    <div className={classes('flex items-start gap-2', className)}>
      <input
        {...rest}
        type="checkbox"
        id={id}
        aria-describedby={hint === undefined ? undefined : `${id}-hint`}
        className="mt-0.5 size-4 accent-accent"
        onChange={({ target }) => onCheck(target.checked)}
      />
      <div>
        <label htmlFor={id}>{label}</label>
        {hint !== undefined && (
          <p id={`${id}-hint`} className="text-small text-muted">
            {hint}
          </p>
        )}
      </div>
    </div>
  )
}
