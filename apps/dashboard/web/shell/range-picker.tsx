import { lazy, Suspense } from 'react'
import { Combobox, type ComboboxOption } from '../components/combobox.tsx'
import { useNow } from '../components/now.ts'
import { CALENDAR, isNamed, PRESETS, rangeText, titleOf } from '../view/ranges.ts'
import { useChangeSearch, useView } from '../view/use-view.ts'
import { dateIn } from '../view/zones.ts'

const DateRange = lazy(() =>
  import('../components/date-range.tsx').then(({ DateRange: field }) => ({ default: field })),
)

/** Number of whole months to choose from. */
const MONTHS = 12
const CUSTOM = 'custom'

/** Field for the time range: until now, a calendar period, or any other range. */
export function RangePicker() {
  const { rangeText: chosen, range, zone } = useView()
  const change = useChangeSearch()
  const now = useNow()
  const isCustom = !isNamed(chosen)
  const pick = (value: string): void => change({ range: value === CUSTOM ? rangeText(range) : value })
  return (
    <div className="flex flex-wrap items-center gap-2">
      <Combobox
        label="Time range"
        isLabelHidden
        className="w-40"
        options={optionsAt(now, zone)}
        value={isCustom ? CUSTOM : chosen}
        onChange={pick}
      />
      {isCustom && (
        <Suspense>
          <DateRange
            label="Custom time range"
            isLabelHidden
            value={range}
            zone={zone}
            onChange={(value) => change({ range: rangeText(value) })}
          />
        </Suspense>
      )}
    </div>
  )
}

function optionsAt(now: number, zone: string): readonly ComboboxOption[] {
  const { year, month } = dateIn(zone, now)
  const months = Array.from({ length: MONTHS }, (_, place) =>
    new Date(Date.UTC(year, month - 2 - place)).toISOString().slice(0, 7),
  )
  return [
    ...Object.entries(PRESETS).map(([value, { title }]) => ({ value, title })),
    ...Object.entries(CALENDAR).map(([value, title]) => ({ value, title })),
    ...months.map((value) => ({ value, title: titleOf(value) })),
    { value: CUSTOM, title: 'Custom…' },
  ]
}
