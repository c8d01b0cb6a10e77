import {
  type Exemplar,
  type HistogramPoint,
  type MetricBatch,
  type NumberPoint,
  type OtlpMetric,
  TEMPORALITIES,
  totalOf,
} from './metric.ts'
import { jsonAttributes } from './otlp-attributes.ts'
import { nanosecondsOf } from './protobuf.ts'
import { SCOPE } from './span.ts'

/**
 * `ExportMetricsServiceRequest` in JSON. Ids are hexadecimal, and 64-bit integers are strings.
 * @see https://opentelemetry.io/docs/specs/otlp/#json-protobuf-encoding
 */
export function metricsToJson(batch: MetricBatch): string {
  const { resource, version, schemaUrl, metrics } = batch
  return JSON.stringify({
    resourceMetrics: [
      {
        resource: { attributes: jsonAttributes(resource) },
        scopeMetrics: [
          { scope: { name: SCOPE, version }, metrics: metrics.map((one) => metricOf(one, batch)), schemaUrl },
        ],
        schemaUrl,
      },
    ],
  })
}

function metricOf({ name, description, unit, data }: OtlpMetric, batch: MetricBatch): object {
  const aggregationTemporality = TEMPORALITIES[batch.temporality]
  const metric = { name, description, unit }
  switch (data.kind) {
    case 'gauge':
      return { ...metric, gauge: { dataPoints: data.points.map((point) => gaugePoint(point, batch)) } }
    case 'counter': {
      const dataPoints = data.points.map((point) => counterPoint(point, batch))
      return { ...metric, sum: { dataPoints, aggregationTemporality, isMonotonic: true } }
    }
    case 'histogram': {
      const dataPoints = data.points.map((point) => histogramPoint(point, batch))
      return { ...metric, histogram: { dataPoints, aggregationTemporality } }
    }
  }
}

function gaugePoint({ attributes, value }: NumberPoint, { at }: MetricBatch): object {
  return { attributes: jsonAttributes(attributes), timeUnixNano: String(nanosecondsOf(at)), asDouble: value }
}

function counterPoint({ attributes, value }: NumberPoint, { startedAt, at }: MetricBatch): object {
  return {
    attributes: jsonAttributes(attributes),
    startTimeUnixNano: String(nanosecondsOf(startedAt)),
    timeUnixNano: String(nanosecondsOf(at)),
    asDouble: value,
  }
}

function histogramPoint(point: HistogramPoint, { startedAt, at }: MetricBatch): object {
  const { attributes, bounds, counts, sum, exemplars } = point
  return {
    attributes: jsonAttributes(attributes),
    startTimeUnixNano: String(nanosecondsOf(startedAt)),
    timeUnixNano: String(nanosecondsOf(at)),
    count: String(totalOf(point)),
    sum,
    bucketCounts: counts.map(String),
    explicitBounds: bounds,
    exemplars: exemplars.map(exemplarOf),
  }
}

function exemplarOf({ value, at, traceId }: Exemplar): object {
  return { timeUnixNano: String(nanosecondsOf(at)), asDouble: value, traceId }
}
