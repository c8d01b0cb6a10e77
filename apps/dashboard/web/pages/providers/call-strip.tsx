import { counted } from '../../formats/numbers.ts'
import type { ProviderStatus } from './providers.ts'

type Minutes = NonNullable<ProviderStatus['minutes']>

/** Size of the drawing, which is stretched to the available width. */
const HEIGHT = 24
const WIDTH = 4
const GAP = 1

/** Calls by minute, oldest first. Failed calls are at the bottom of each bar. */
export function CallStrip({ of }: { readonly of: Minutes }) {
  const most = Math.max(1, ...of.map(({ calls }) => calls))
  const heightOf = (calls: number): number => (calls / most) * HEIGHT
  return (
    <svg
      role="img"
      aria-label={stripText(of)}
      viewBox={`0 0 ${Math.max(1, of.length) * WIDTH} ${HEIGHT}`}
      preserveAspectRatio="none"
      className="h-6 w-full border-b border-line"
    >
      <title>{stripText(of)}</title>
      {of.map(({ start, calls, failed }, index) => (
        <g key={start}>
          <rect
            x={index * WIDTH}
            y={HEIGHT - heightOf(calls)}
            width={WIDTH - GAP}
            height={heightOf(calls - failed)}
            className="fill-outcome-served"
          />
          <rect
            x={index * WIDTH}
            y={HEIGHT - heightOf(failed)}
            width={WIDTH - GAP}
            height={heightOf(failed)}
            className="fill-outcome-failed"
          />
        </g>
      ))}
    </svg>
  )
}

/** `1,204 calls in 30 minutes, 3 failed`. */
export function stripText(minutes: Minutes): string {
  const sum = (countOf: (minute: Minutes[number]) => number): number =>
    minutes.reduce((total, minute) => total + countOf(minute), 0)
  const failed = sum((minute) => minute.failed)
  const calls = counted(
    sum((minute) => minute.calls),
    'call',
  )
  return `${calls} in ${counted(minutes.length, 'minute')}, ${failed === 0 ? 'none' : failed} failed`
}
