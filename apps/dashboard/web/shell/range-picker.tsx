import { lazy, Suspense, useState } from 'react'
import { CONTROL } from '../components/classes.ts'
import { PRESETS, rangeText, titleOf } from '../view/ranges.ts'
import { useChangeSearch, useView } from '../view/use-view.ts'

const Between = lazy(() => import('./between.tsx').then(({ Between: component }) => ({ default: component })))

const CUSTOM = 'custom'

/** Select field for the time range: a preset or a custom range. */
export function RangePicker() {
  const { rangeText: chosen, range } = useView()
  const change = useChangeSearch()
  const [isOpen, setOpen] = useState(false)
  const isNamed = Object.hasOwn(PRESETS, chosen)
  return (
    <>
      <select
        aria-label="Time range"
        className={`${CONTROL} w-auto!`}
        value={chosen}
        onChange={({ target }) => (target.value === CUSTOM ? setOpen(true) : change({ range: target.value }))}
      >
        {Object.entries(PRESETS).map(([id, { title }]) => (
          <option key={id} value={id}>
            {title}
          </option>
        ))}
        {!isNamed && <option value={chosen}>{titleOf(chosen)}</option>}
        <option value={CUSTOM}>Custom…</option>
      </select>
      {isOpen && (
        <Suspense>
          <Between
            from={range.from}
            to={range.to}
            onClose={() => setOpen(false)}
            onChoose={(from, to) => {
              setOpen(false)
              change({ range: rangeText({ from, to }) })
            }}
          />
        </Suspense>
      )}
    </>
  )
}
