import type { UsageRow } from '@headgate/gateway'
import type { MetricLabels, SnapshotExemplar, SnapshotMetric, SnapshotValue } from './snapshot.ts'

/** Values of one combination of labels. */
export interface HistogramObserver {
  /** Counts a value. @param row request whose trace can be the exemplar */
  add(value: number, row?: UsageRow): void
  /** Counts a value several times. */
  addMany(value: number, times: number): void
}

/** Histogram. The histogram of `prom-client` costs ten times as much per observation. */
export interface Histogram {
  /** Must be called once per combination of labels. */
  observed(labels: MetricLabels): HistogramObserver
  metric(): SnapshotMetric
}

/** Description of a histogram. */
export interface HistogramOptions {
  readonly name: string
  readonly help: string
  /** Upper bounds, ascending. */
  readonly bounds: readonly number[]
  /** Id of a request's trace if it is exported. Default: no exemplars. */
  readonly traceIdOf?: ((row: UsageRow) => string | undefined) | undefined
}

/** Upper bounds of durations in seconds. */
export const REQUEST_BOUNDS: readonly number[] = [
  0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 900,
]
/** Series of a histogram in addition to its bounds: `+Inf`, sum, count. */
const EXTRA_SERIES = 3
/** Time after which a bucket gets another exemplar, in milliseconds. */
const EXEMPLAR_MS = 5_000

/** Number of series of one combination of labels. */
export function seriesOf(bounds: readonly number[]): number {
  return bounds.length + EXTRA_SERIES
}

interface HistogramLine {
  readonly labels: MetricLabels
  /** Counts by upper bound; the last one counts values above all bounds. */
  readonly counts: number[]
  readonly exemplars: (SnapshotExemplar | undefined)[]
  sum: number
}

/** Creates a histogram. */
export function createHistogram({ name, help, bounds, traceIdOf }: HistogramOptions): Histogram {
  const lines: HistogramLine[] = []
  const placeOf = (value: number): number => {
    let place = 0
    while (value > (bounds[place] ?? Number.POSITIVE_INFINITY)) place++
    return place
  }
  const noteExemplar = (line: HistogramLine, place: number, value: number, row: UsageRow): void => {
    const at = row.startedAt + row.durationMs
    const known = line.exemplars[place]
    if (known && at - known.at < EXEMPLAR_MS) return
    const traceId = traceIdOf?.(row)
    if (traceId !== undefined) line.exemplars[place] = { value, at, traceId }
  }
  return {
    observed(labels) {
      const counts = Array.from({ length: bounds.length + 1 }, () => 0)
      const line: HistogramLine = { labels, counts, exemplars: counts.map(() => undefined), sum: 0 }
      lines.push(line)
      return {
        add(value, row) {
          const place = placeOf(value)
          counts[place] = (counts[place] ?? 0) + 1
          line.sum += value
          if (traceIdOf && row) noteExemplar(line, place, value, row)
        },
        addMany(value, times) {
          const place = placeOf(value)
          counts[place] = (counts[place] ?? 0) + times
          line.sum += value * times
        },
      }
    },
    metric: () => ({
      name,
      help,
      type: 'histogram',
      aggregator: 'sum',
      values: lines.flatMap((line) => valuesOf(name, bounds, line)),
    }),
  }
}

function valuesOf(
  name: string,
  bounds: readonly number[],
  { labels, counts, exemplars, sum }: HistogramLine,
): SnapshotValue[] {
  let total = 0
  const buckets = counts.map((count, place): SnapshotValue => {
    total += count
    const le = bounds[place] ?? '+Inf'
    const value = { metricName: `${name}_bucket`, labels: { le, ...labels }, value: total }
    const exemplar = exemplars[place]
    return exemplar ? { ...value, exemplar } : value
  })
  return [
    ...buckets,
    { metricName: `${name}_sum`, labels, value: sum },
    { metricName: `${name}_count`, labels, value: total },
  ]
}
