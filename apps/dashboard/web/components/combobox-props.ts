import type { FieldProps } from './field-frame.tsx'

export interface ComboboxOption {
  readonly value: string
  readonly title: string
  /** Short note to the right of the title. */
  readonly hint?: string | undefined
}

interface ComboboxBase extends FieldProps {
  readonly options: readonly ComboboxOption[]
  /** True if values outside the options are allowed, as typed. */
  readonly allowsOther?: boolean | undefined
  /** Text without a value. */
  readonly placeholder?: string | undefined
  readonly disabled?: boolean | undefined
  /** Classes of the button. Default: as wide as its container. */
  readonly className?: string | undefined
}

export interface SingleComboboxProps extends ComboboxBase {
  readonly multiple?: false | undefined
  /** Empty = no value, unless an option has this value. */
  readonly value: string
  onChange(value: string): void
}

export interface MultipleComboboxProps extends ComboboxBase {
  readonly multiple: true
  readonly value: readonly string[]
  onChange(values: readonly string[]): void
}

export type ComboboxProps = SingleComboboxProps | MultipleComboboxProps
