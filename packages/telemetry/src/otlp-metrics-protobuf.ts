import {
  type Exemplar,
  type HistogramPoint,
  type MetricBatch,
  type NumberPoint,
  type OtlpMetric,
  TEMPORALITIES,
  totalOf,
} from './metric.ts'
import { writeAttributes } from './otlp-attributes.ts'
import { ProtobufWriter } from './protobuf.ts'
import { SCOPE } from './span.ts'

const writer = new ProtobufWriter()

/** Time and temporality of a batch. */
type BatchPeriod = Pick<MetricBatch, 'startedAt' | 'at' | 'temporality'>

/**
 * `ExportMetricsServiceRequest` in protocol buffers. Fields are written in descending order; see {@link ProtobufWriter}.
 * @see https://github.com/open-telemetry/opentelemetry-proto/blob/main/opentelemetry/proto/metrics/v1/metrics.proto
 */
export function metricsToProtobuf(batch: MetricBatch): Buffer {
  const { resource, version, schemaUrl, metrics } = batch
  const out = writer.end
  writer.text(3, schemaUrl)
  const scopeMetrics = writer.end
  writer.text(3, schemaUrl)
  for (const metric of metrics.toReversed()) writeMetric(metric, batch)
  const scope = writer.end
  writer.text(2, version)
  writer.text(1, SCOPE)
  writer.message(1, scope)
  writer.message(2, scopeMetrics)
  const owner = writer.end
  writeAttributes(writer, 1, resource)
  writer.message(1, owner)
  writer.message(1, out)
  return writer.take()
}

/** Fields of `Metric` by kind. */
const DATA_FIELDS = { gauge: 5, counter: 7, histogram: 9 } as const

function writeMetric({ name, description, unit, data }: OtlpMetric, period: BatchPeriod): void {
  const begin = writer.end
  const content = writer.end
  if (data.kind === 'counter') writer.boolean(3, true)
  if (data.kind !== 'gauge') writer.integer(2, TEMPORALITIES[period.temporality])
  if (data.kind === 'histogram') for (const point of data.points.toReversed()) writeHistogram(point, period)
  else for (const point of data.points.toReversed()) writeNumber(point, period, data.kind === 'gauge')
  writer.message(DATA_FIELDS[data.kind], content)
  writer.text(3, unit)
  writer.text(2, description)
  writer.text(1, name)
  writer.message(2, begin)
}

function writeNumber({ attributes, value }: NumberPoint, { startedAt, at }: BatchPeriod, isGauge: boolean): void {
  const begin = writer.end
  writeAttributes(writer, 7, attributes)
  writer.double(4, value)
  writer.nanoseconds(3, at)
  if (!isGauge) writer.nanoseconds(2, startedAt)
  writer.message(1, begin)
}

function writeHistogram(point: HistogramPoint, { startedAt, at }: BatchPeriod): void {
  const begin = writer.end
  writeAttributes(writer, 9, point.attributes)
  for (const exemplar of point.exemplars.toReversed()) writeExemplar(exemplar)
  writer.packedDoubles(7, point.bounds)
  writer.packedFixed64(6, point.counts)
  writer.double(5, point.sum)
  writer.fixed64(4, totalOf(point))
  writer.nanoseconds(3, at)
  writer.nanoseconds(2, startedAt)
  writer.message(1, begin)
}

function writeExemplar({ value, at, traceId }: Exemplar): void {
  const begin = writer.end
  writer.hex(5, traceId)
  writer.double(3, value)
  writer.nanoseconds(2, at)
  writer.message(8, begin)
}
