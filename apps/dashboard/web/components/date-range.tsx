import { CalendarDays } from 'lucide-react'
import { lazy, Suspense } from 'react'
import { LOCALES } from '../formats/locale.ts'
import { CONTROL_LOOK, classes } from './classes.ts'
import { Field, type FieldProps } from './field-frame.tsx'
import { Popup } from './popup.tsx'
import type { TimeSpan } from './time-span.ts'
import { usePopup } from './use-popup.ts'

export type { TimeSpan } from './time-span.ts'

const DateRangeForm = lazy(() => import('./date-range-form.tsx').then(({ DateRangeForm: form }) => ({ default: form })))

export interface DateRangeProps extends Partial<FieldProps> {
  readonly value: TimeSpan
  /** Time zone of the days, such as `Europe/Berlin`. Default: the browser's. */
  readonly zone?: string | undefined
  readonly className?: string | undefined
  onChange(value: TimeSpan): void
}

/** Field for a time range: a calendar, and fields for its exact start and end. */
export function DateRange(props: DateRangeProps) {
  const { label = 'Time range', hint, error, isLabelHidden, value, className = 'w-full', onChange } = props
  const { zone = Intl.DateTimeFormat().resolvedOptions().timeZone } = props
  const state = usePopup()
  const text = spanText(value, zone)
  return (
    <Field {...{ label, hint, error, isLabelHidden }}>
      {(described) => (
        <>
          <button
            {...described}
            ref={state.opener}
            type="button"
            aria-label={`${label}: ${text}`}
            aria-haspopup="dialog"
            aria-expanded={state.isOpen}
            onClick={() => (state.isOpen ? state.close() : state.open())}
            className={classes(CONTROL_LOOK, 'flex items-center justify-between gap-2 text-left', className)}
            style={{ anchorName: state.anchor }}
          >
            <span className="truncate">{text}</span>
            <CalendarDays aria-hidden size={14} className="shrink-0 text-muted" />
          </button>
          <Popup state={state} label={label} className="w-72 p-3!">
            <Suspense fallback={<div className="h-80" />}>
              <DateRangeForm
                value={value}
                zone={zone}
                onDone={(chosen) => {
                  state.close()
                  onChange(chosen)
                }}
              />
            </Suspense>
          </Popup>
        </>
      )}
    </Field>
  )
}

/** Short form of a range: days if it consists of whole days, otherwise with times. */
export function spanText({ from, to }: TimeSpan, zone: string, locales: readonly string[] = LOCALES): string {
  const clock = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', timeZone: zone })
  const isDays = [from, to].every((at) => clock.format(at) === '00:00')
  const format = new Intl.DateTimeFormat([...locales], {
    month: 'short',
    day: 'numeric',
    timeZone: zone,
    ...(!isDays && { hour: '2-digit', minute: '2-digit' }),
  })
  return format.formatRange(from, isDays ? to - 1 : to)
}
