import { lazy, Suspense, useId, useState } from 'react'
import { classes } from '../components/classes.ts'
import { periodText } from '../formats/times.ts'
import { colorName, separateColors } from './colors.ts'
import type { TimeChartProps } from './series.ts'

const Plot = lazy(() => import('./plot.tsx').then(({ Plot: component }) => ({ default: component })))

/** Chart over time, with a summary sentence and a table view. */
export function TimeChart(props: TimeChartProps) {
  const { sentence, kind, step, zone, series, isTall = true, onChoose } = props
  separateColors(
    kind,
    series.map(({ id: own }) => own),
  )
  const [isTable, setTable] = useState(false)
  const [isLog, setLog] = useState(false)
  const id = useId()
  return (
    <figure aria-labelledby={id}>
      <figcaption id={id} className="sr-only">
        {sentence}
      </figcaption>
      {isTable ? (
        <ChartTable {...props} />
      ) : (
        <div className={isTall ? 'h-[180px] md:h-[280px]' : 'h-12'}>
          <Suspense fallback={<div className="skeleton h-full" />}>
            <Plot {...props} isLog={isLog} />
          </Suspense>
        </div>
      )}
      <div className="mt-2 flex flex-wrap items-center justify-between gap-2 text-small">
        <ul className="flex flex-wrap gap-x-4 gap-y-1">
          {series.map((one) => (
            <li key={one.id} className="flex min-w-0 items-center gap-1.5">
              <span
                aria-hidden
                className="size-2.5 shrink-0 rounded-full"
                style={{ background: `var(${colorName(kind, one.id)})` }}
              />
              {onChoose ? (
                <button
                  type="button"
                  className="min-h-6 max-w-64 truncate hover:underline"
                  onClick={() => onChoose(one)}
                >
                  {one.title}
                </button>
              ) : (
                <span className="max-w-64 truncate">{one.title}</span>
              )}
            </li>
          ))}
        </ul>
        <div className="flex gap-3 text-muted">
          {step === 'day' && zone !== undefined && zone !== browserZone() && <span>Days in {zone}</span>}
          <Switch isOn={isLog} onChange={setLog} label="Log scale" />
          <Switch isOn={isTable} onChange={setTable} label="Show as table" />
        </div>
      </div>
    </figure>
  )
}

function browserZone(): string {
  return Intl.DateTimeFormat().resolvedOptions().timeZone
}

interface SwitchProps {
  readonly isOn: boolean
  onChange(on: boolean): void
  readonly label: string
}

function Switch({ isOn, onChange, label }: SwitchProps) {
  return (
    <button
      type="button"
      aria-pressed={isOn}
      className={classes('min-h-6 hover:text-text', isOn && 'text-text underline')}
      onClick={() => onChange(!isOn)}
    >
      {label}
    </button>
  )
}

const PERIODS = { minute: 'Minute', hour: 'Hour', day: 'Day' } as const

function ChartTable({ times, step, zone, series, format, sentence }: TimeChartProps) {
  return (
    <div className="rounded-field border border-line">
      <table className="w-full table-fixed text-small" aria-label={sentence}>
        <thead className="bg-sunken">
          <tr>
            <th scope="col" className="px-2 py-1 text-left font-medium">
              {PERIODS[step]}
            </th>
            {series.map(({ id, title }) => (
              <th key={id} scope="col" className="truncate px-2 py-1 text-right font-medium" title={title}>
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {times.map((time, index) => (
            <tr key={time} className="border-t border-line">
              <th scope="row" className="px-2 py-1 text-left font-normal whitespace-nowrap">
                {periodText(time, step, zone)}
              </th>
              {series.map(({ id, values }) => (
                <td key={id} className="number px-2 py-1">
                  {typeof values[index] === 'number' ? (
                    format(values[index])
                  ) : (
                    <span className="text-muted">no data</span>
                  )}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
