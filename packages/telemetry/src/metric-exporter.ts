import { SCHEMA_URLS } from './dialects.ts'
import type { CounterData, HistogramData, HistogramPoint, NumberPoint, OtlpMetric } from './metric.ts'
import { pointCount } from './metric.ts'
import type { MetricSettings } from './metric-settings.ts'
import { metricsToJson } from './otlp-metrics-json.ts'
import { metricsToProtobuf } from './otlp-metrics-protobuf.ts'
import { createOtlpSender, type OtlpSender } from './otlp-sender.ts'
import type { Attribute } from './span.ts'

/** Sender of metrics in intervals. */
export interface MetricExporter {
  /** Sends the current values now. If a batch is being sent, resolves with its end. Never rejects. */
  flush(): Promise<void>
  /** Sends the last values within the time of one request, and ends. */
  close(): Promise<void>
  readonly counts: PointCounts
}

/** Number of data points since the start. */
export interface PointCounts {
  sent: number
  dropped: number
}

/** Parts of an exporter of metrics. */
export interface MetricExporterOptions {
  readonly settings: MetricSettings
  /** Version of this program. */
  readonly version: string
  /** Start of the counters, Unix time in milliseconds. */
  readonly startedAt: number
  /** Current values. Counters count since `startedAt`. */
  read(): Promise<readonly OtlpMetric[]>
  /** Called once when the destination fails, and once when it recovers. */
  onProblem(message: string): void
  /** Waits; rejects if the signal aborts. Tests replace it. */
  wait?: ((ms: number, signal: AbortSignal) => Promise<unknown>) | undefined
}

/** Values that the receiver has, by name and attributes. */
interface AcceptedPoints {
  readonly at: number
  readonly points: ReadonlyMap<string, NumberPoint | HistogramPoint>
}

/**
 * Exporter of metrics. Only one batch is sent at a time, and nothing is queued: the next batch has newer values. If a
 * receiver does not take a batch of differences, the next one includes them.
 */
export function createMetricExporter(options: MetricExporterOptions): MetricExporter {
  const { settings, onProblem, wait } = options
  const { destination, temporality } = settings
  const sender = createOtlpSender({ destination, items: 'Metrics', onProblem, wait })
  const counts: PointCounts = { sent: 0, dropped: 0 }
  let accepted: AcceptedPoints = { at: options.startedAt, points: new Map() }
  let sending: Promise<void> | undefined

  const exportNow = async (): Promise<void> => {
    const at = Date.now()
    const metrics = await options.read()
    const isDelta = temporality === 'delta'
    const shown = isDelta ? differences(metrics, accepted.points) : metrics
    const count = pointCount(shown)
    if (count === 0) return
    const rejected = await sendMetrics(sender, options, { metrics: shown, startedAt: accepted.at, at }, count)
    counts.sent += count - rejected
    counts.dropped += rejected
    if (isDelta && rejected < count) accepted = { at, points: pointsOf(metrics) }
  }
  const flush = (): Promise<void> => {
    sending ??= exportNow()
      .catch((error: unknown) => onProblem(`Metrics could not be exported: ${String(error)}`))
      .finally(() => {
        sending = undefined
      })
    return sending
  }
  const timer = setInterval(() => void flush(), settings.intervalMs).unref()
  return {
    counts,
    flush,
    close() {
      clearInterval(timer)
      return sender.close(async () => {
        await sending
        await flush()
      })
    },
  }
}

function sendMetrics(
  sender: OtlpSender,
  { settings, version }: MetricExporterOptions,
  part: { readonly metrics: readonly OtlpMetric[]; readonly startedAt: number; readonly at: number },
  count: number,
): Promise<number> {
  const { destination, dialect, resource, temporality } = settings
  const { metrics, startedAt, at } = part
  const batch = { resource, version, schemaUrl: SCHEMA_URLS[dialect], temporality, startedAt, at, metrics }
  const body = destination.encoding === 'json' ? Buffer.from(metricsToJson(batch)) : metricsToProtobuf(batch)
  return sender.send(body, count)
}

function keyOf(name: string, attributes: readonly Attribute[]): string {
  return JSON.stringify([name, ...attributes])
}

function pointsOf(metrics: readonly OtlpMetric[]): Map<string, NumberPoint | HistogramPoint> {
  const points = new Map<string, NumberPoint | HistogramPoint>()
  for (const { name, data } of metrics)
    if (data.kind !== 'gauge') for (const point of data.points) points.set(keyOf(name, point.attributes), point)
  return points
}

/** Metrics with the growth of counters and histograms since accepted values. Points that did not grow are left out. */
function differences(metrics: readonly OtlpMetric[], before: AcceptedPoints['points']): OtlpMetric[] {
  return metrics.flatMap((metric) => {
    const { name, data } = metric
    const known = ({ attributes }: NumberPoint | HistogramPoint) => before.get(keyOf(name, attributes))
    if (data.kind === 'gauge') return [metric]
    const grown: CounterData | HistogramData =
      data.kind === 'counter'
        ? { kind: 'counter', points: data.points.flatMap((point) => grownNumber(point, known(point))) }
        : { kind: 'histogram', points: data.points.flatMap((point) => grownHistogram(point, known(point))) }
    return grown.points.length > 0 ? [{ ...metric, data: grown }] : []
  })
}

function grownNumber(point: NumberPoint, before: NumberPoint | HistogramPoint | undefined): NumberPoint[] {
  const value = before && 'value' in before ? point.value - before.value : point.value
  return value > 0 ? [{ ...point, value }] : []
}

function grownHistogram(point: HistogramPoint, before: NumberPoint | HistogramPoint | undefined): HistogramPoint[] {
  if (!before || !('counts' in before)) return [point]
  const counts = point.counts.map((count, at) => count - (before.counts[at] ?? 0))
  if (counts.every((count) => count === 0)) return []
  const old = new Set(before.exemplars.map(({ traceId }) => traceId))
  const exemplars = point.exemplars.filter(({ traceId }) => !old.has(traceId))
  return [{ ...point, counts, sum: point.sum - before.sum, exemplars }]
}
