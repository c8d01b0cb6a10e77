import { useQuery } from '@tanstack/react-query'
import { type ChartQuery, type ListFilters, seriesQuery, type UsagePoint } from '../../api/usage.ts'
import { STEPS, timesOf } from '../../charts/times.ts'
import { Later } from '../../components/later.tsx'
import { count, counted } from '../../formats/numbers.ts'
import { periodText } from '../../formats/times.ts'
import type { Range } from '../../view/ranges.ts'
import { readList } from './filters.ts'

export interface HistogramProps {
  readonly range: Range
  readonly filters: ListFilters
  onZoom(from: number, to: number): void
}

type SummedFilters = Omit<ChartQuery, 'by' | 'top'>

/** Requests and failures over time. A click on a bar selects its time range. Hidden for filters without sums. */
export function Histogram({ filters, ...props }: HistogramProps) {
  const summed = summedFilters(filters)
  return (
    summed && (
      <Later space="mb-3 h-[4.25rem]">
        <Bars {...props} filters={summed} />
      </Later>
    )
  )
}

function Bars({ range: given, filters, onZoom }: HistogramProps & { readonly filters: SummedFilters }) {
  const range = barsRange(given)
  const { data } = useQuery(seriesQuery(range, { ...filters, by: 'family' }))
  const bars = data ? barsOf(data.points, range) : []
  const most = Math.max(1, ...bars.map(({ all }) => all))
  const requests = bars.reduce((sum, { all }) => sum + all, 0)
  const failed = bars.reduce((sum, one) => sum + one.failed, 0)
  const sentence = data
    ? `${counted(requests, 'request')}, ${count(failed)} failed, without refused ones`
    : 'Requests over time'
  return (
    <figure className="mb-3" aria-label={sentence}>
      {/* The range picker offers the same to keyboard users. */}
      <div aria-hidden className="flex h-12 items-end gap-px">
        {bars.map(({ start, all, failed: bad }) => (
          <button
            key={start}
            type="button"
            tabIndex={-1}
            title={`${periodText(start, range.step, data?.zone)}: ${counted(all, 'request')}, ${count(bad)} failed`}
            onClick={() => onZoom(start, start + STEPS[range.step])}
            className="flex h-full min-w-0 flex-1 flex-col justify-end hover:bg-sunken"
          >
            <span className="w-full bg-series-2" style={{ height: `${((all - bad) / most) * 100}%` }} />
            <span className="w-full bg-bad" style={{ height: `${(bad / most) * 100}%` }} />
          </button>
        ))}
      </div>
      <figcaption className="mt-1 flex justify-between text-small text-muted">
        <span className="max-sm:hidden">{periodText(range.from, range.step, data?.zone)}</span>
        <span>{sentence}</span>
        <span className="max-sm:hidden">{periodText(range.to - 1, range.step, data?.zone)}</span>
      </figcaption>
    </figure>
  )
}

/** Longest range with a bar for each hour, in milliseconds. */
const HOURLY = 8 * 86_400_000

/** Range of the chart: in hours up to 8 days. Ranges of minutes keep them. */
export function barsRange(range: Range): Range {
  return range.step === 'day' && range.to - range.from <= HOURLY ? { ...range, step: 'hour' } : range
}

const SUMMED = ['model', 'provider', 'key', 'project', 'environment', 'member', 'family', 'status'] as const

/** Filters of the chart; undefined if there are no sums for these filters. */
export function summedFilters(filters: ListFilters): SummedFilters | undefined {
  const found: Record<string, string> = {}
  for (const [name, value] of Object.entries(filters)) {
    if (value === undefined) continue
    const { values, isNot } = readList(String(value))
    const [only] = values
    if (isNot || values.length !== 1 || only === undefined || !SUMMED.some((one) => one === name)) return undefined
    found[name] = only
  }
  return found
}

function barsOf(points: readonly UsagePoint[], range: Range) {
  const sums = new Map<number, { all: number; failed: number }>()
  for (const { start, counts, failed } of points) {
    const sum = sums.get(start) ?? { all: 0, failed: 0 }
    sum.all += counts['requests'] ?? 0
    sum.failed += failed ?? 0
    sums.set(start, sum)
  }
  return timesOf([...sums.keys()], range).map((start) => ({ start, ...(sums.get(start) ?? { all: 0, failed: 0 }) }))
}
