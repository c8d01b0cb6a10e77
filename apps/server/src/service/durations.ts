import { Histogram, type MetricObjectWithValues, type MetricValue } from 'prom-client'

type Labels = Readonly<Record<string, string>>

/** Durations of one combination of labels. */
export interface DurationObserver {
  /** @param seconds duration in seconds */
  add(seconds: number): void
}

/** Histogram of durations. The histogram of `prom-client` costs ten times as much per observation. */
export interface DurationHistogram {
  /** Must be called once per combination of labels. */
  observed(labels: Labels): DurationObserver
  metric(): Promise<MetricObjectWithValues<MetricValue<string>>>
}

const UP_TO = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 900]

interface HistogramLine {
  readonly labels: Labels
  /** Counts by upper bound; the last one counts values above all bounds. */
  readonly counts: number[]
  sum: number
}

export function createDurations(name: string, help: string): DurationHistogram {
  const lines: HistogramLine[] = []
  const shape = new Histogram({ name, help, buckets: UP_TO, registers: [] })
  const value = (suffix: string, labels: Labels, value: number, le?: number | string) => ({
    metricName: `${name}_${suffix}`,
    labels: le === undefined ? labels : { le, ...labels },
    value,
  })
  const valuesOf = ({ labels, counts, sum }: HistogramLine) => {
    let total = 0
    const buckets = counts.map((count, place) => {
      total += count
      return value('bucket', labels, total, UP_TO[place] ?? '+Inf')
    })
    return [...buckets, value('sum', labels, sum), value('count', labels, total)]
  }
  return {
    observed(labels) {
      const line: HistogramLine = { labels, counts: Array.from({ length: UP_TO.length + 1 }, () => 0), sum: 0 }
      lines.push(line)
      return {
        add(seconds) {
          let place = 0
          while (seconds > (UP_TO[place] ?? Number.POSITIVE_INFINITY)) place++
          line.counts[place] = (line.counts[place] ?? 0) + 1
          line.sum += seconds
        },
      }
    },
    metric: async () => ({ ...(await shape.get()), values: lines.flatMap(valuesOf) }),
  }
}
