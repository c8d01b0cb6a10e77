import { type InputHTMLAttributes, type TextareaHTMLAttributes, useId } from 'react'
import { CONTROL, classes } from './classes.ts'
import { Combobox, type ComboboxOption } from './combobox.tsx'
import { Field, type FieldProps } from './field-frame.tsx'

export { Field, type FieldProps } from './field-frame.tsx'

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

export interface SelectOption<Value extends string = string> extends ComboboxOption {
  readonly value: Value
}

interface SelectFieldProps<Value extends string> extends FieldProps {
  readonly value: Value
  readonly choices: readonly SelectOption<Value>[]
  readonly disabled?: boolean | undefined
  onPick(value: NoInfer<Value>): void
}

/** Field whose value is one of the choices. */
export function SelectField<Value extends string>({ choices, onPick, ...rest }: SelectFieldProps<Value>) {
  const pick = (value: string): void => {
    const choice = choices.find((one) => one.value === value)
    if (choice) onPick(choice.value)
  }
  return <Combobox {...rest} options={choices} onChange={pick} />
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
