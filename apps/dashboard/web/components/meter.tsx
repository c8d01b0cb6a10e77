import { classes } from './classes.ts'

export interface MeterPart {
  readonly title: string
  /** Share of the whole, from 0. */
  readonly share: number
  readonly tone: 'spent' | 'tied' | 'bad'
}

const TONES = { spent: 'bg-data', tied: 'bg-series-rest', bad: 'bg-bad' } as const

/** Bar that shows used parts of a whole, with marks. */
export function Meter({ label, parts, marks = [0.5, 0.8], forecast }: MeterProps) {
  return (
    <div
      role="img"
      aria-label={label}
      title={label}
      className="relative h-2 w-full min-w-16 overflow-hidden rounded-full border border-field bg-sunken"
    >
      <div className="flex h-full">
        {parts.map(({ title, share, tone }) => (
          <div
            key={title}
            className={classes('h-full shrink-0', TONES[tone])}
            style={{ width: `${Math.min(1, Math.max(0, share)) * 100}%` }}
          />
        ))}
      </div>
      {marks.map((mark) => (
        <div
          key={mark}
          className="absolute inset-y-0 w-px bg-field"
          style={{ left: `min(${mark * 100}%, 100% - 1px)` }}
        />
      ))}
      {forecast !== undefined && (
        <div
          className="absolute inset-y-0 border-r-2 border-dashed border-warn"
          style={{ left: 0, width: `${Math.min(1, forecast) * 100}%` }}
        />
      )}
    </div>
  )
}

export interface MeterProps {
  /** Text alternative. */
  readonly label: string
  readonly parts: readonly MeterPart[]
  readonly marks?: readonly number[]
  /** Share that will be used at the end of the window, at the current rate. */
  readonly forecast?: number | undefined
}
