import { ChevronDown } from 'lucide-react'
import { lazy, Suspense } from 'react'
import { CONTROL_LOOK, classes } from './classes.ts'
import type { ComboboxProps } from './combobox-props.ts'
import { Field } from './field-frame.tsx'
import { Popup } from './popup.tsx'
import { usePopup } from './use-popup.ts'

export type { ComboboxOption, ComboboxProps, MultipleComboboxProps, SingleComboboxProps } from './combobox-props.ts'

// The list is large, and pages need it only once it is open.
const ComboboxList = lazy(() => import('./combobox-list.tsx').then(({ ComboboxList: list }) => ({ default: list })))

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
