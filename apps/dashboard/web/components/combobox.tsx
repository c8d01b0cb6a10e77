import { ChevronDown } from 'lucide-react'
import { lazy, Suspense } from 'react'
import { CONTROL_LOOK, classes } from './classes.ts'
import { Field, type FieldProps } from './field-frame.tsx'
import { Popup } from './popup.tsx'
import { usePopup } from './use-popup.ts'

// The list is large, and pages need it only once it is open.
const ComboboxList = lazy(() => import('./combobox-list.tsx').then(({ ComboboxList: list }) => ({ default: list })))

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

/** Field that opens a searchable list of options: one value, or several with `multiple`. */
export function Combobox(props: ComboboxProps) {
  const { label, hint, error, isLabelHidden, options, placeholder = '', disabled, className = 'w-full' } = props
  const state = usePopup()
  const { isOpen, id: popupId, anchor, opener, open, close } = state
  const chosen = props.multiple ? props.value : [props.value]
  const text = chosen
    .map((value) => options.find((option) => option.value === value)?.title ?? value)
    .filter((title) => title !== '')
    .join(', ')
  return (
    <Field {...{ label, hint, error, isLabelHidden }}>
      {(described) => (
        <>
          <button
            {...described}
            ref={opener}
            type="button"
            role="combobox"
            disabled={disabled}
            aria-haspopup="dialog"
            aria-expanded={isOpen}
            aria-controls={isOpen ? popupId : undefined}
            title={text}
            onClick={() => (isOpen ? close() : open())}
            onKeyDown={(event) => {
              if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return
              event.preventDefault()
              open()
            }}
            className={classes(CONTROL_LOOK, 'flex items-center justify-between gap-2 pr-1.5! text-left', className)}
            style={{ anchorName: anchor }}
          >
            <span className={classes('truncate', text === '' && 'text-muted')}>{text || placeholder || ' '}</span>
            <ChevronDown aria-hidden size={14} className="shrink-0 text-muted" />
          </button>
          <Popup state={state} label={`${label}: options`}>
            <Suspense fallback={<div className="h-8" />}>
              <ComboboxList {...props} onDone={close} />
            </Suspense>
          </Popup>
        </>
      )}
    </Field>
  )
}
