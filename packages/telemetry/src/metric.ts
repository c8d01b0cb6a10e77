import type { Attribute } from './span.ts'

/** Metric with its current values. */
export interface OtlpMetric {
  readonly name: string
  readonly description: string
  /** Unit in UCUM, such as `s`, `By`, `{token}`; empty = none. */
  readonly unit: string
  readonly data: CounterData | GaugeData | HistogramData
}

/** Sums that only grow. */
export interface CounterData {
  readonly kind: 'counter'
  readonly points: readonly NumberPoint[]
}

/** Current values. */
export interface GaugeData {
  readonly kind: 'gauge'
  readonly points: readonly NumberPoint[]
}

/** Distributions with the same upper bounds. */
export interface HistogramData {
  readonly kind: 'histogram'
  readonly points: readonly HistogramPoint[]
}

/** Value of one combination of attributes. */
export interface NumberPoint {
  readonly attributes: readonly Attribute[]
  readonly value: number
}

/** Distribution of one combination of attributes. */
export interface HistogramPoint {
  readonly attributes: readonly Attribute[]
  /** Upper bounds, ascending. */
  readonly bounds: readonly number[]
  /** Number of values by upper bound; the last one counts values above all bounds. */
  readonly counts: readonly number[]
  readonly sum: number
  readonly exemplars: readonly Exemplar[]
}

/** Measurement of a request whose trace is exported. */
export interface Exemplar {
  readonly value: number
  /** Unix time in milliseconds. */
  readonly at: number
  /** 32 hexadecimal digits. */
  readonly traceId: string
}

/** Meaning of counters and histograms: since the start of the process, or since the batch before. */
export type Temporality = 'cumulative' | 'delta'

/** Metrics with what sent them. */
export interface MetricBatch {
  readonly resource: readonly Attribute[]
  /** Version of this program. */
  readonly version: string
  /** URL of the conventions that the names follow. */
  readonly schemaUrl: string
  readonly temporality: Temporality
  /** Start of the counted period, Unix time in milliseconds. */
  readonly startedAt: number
  /** End of the counted period, Unix time in milliseconds. */
  readonly at: number
  readonly metrics: readonly OtlpMetric[]
}

/** Values of the field `aggregation_temporality`. */
export const TEMPORALITIES: Readonly<Record<Temporality, number>> = { delta: 1, cumulative: 2 }

/** Number of data points of metrics. */
export function pointCount(metrics: readonly OtlpMetric[]): number {
  return metrics.reduce((count, { data }) => count + data.points.length, 0)
}

/** Number of values in a distribution. */
export function totalOf({ counts }: HistogramPoint): number {
  return counts.reduce((total, count) => total + count, 0)
}
