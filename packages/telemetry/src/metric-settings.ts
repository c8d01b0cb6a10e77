import type { Dialect } from './dialects.ts'
import { dialectOf } from './export-settings.ts'
import type { Temporality } from './metric.ts'
import {
  invalidVariable,
  type OtlpDestination,
  otlpDestination,
  type ReadVariable,
  resourceOf,
  type Variables,
  variableReader,
  wholeNumber,
} from './otlp-destination.ts'
import type { Attribute } from './span.ts'

/** Settings of the export of metrics. */
export interface MetricSettings {
  readonly destination: OtlpDestination
  readonly dialect: Dialect
  readonly resource: readonly Attribute[]
  /** Time between two exports in milliseconds. */
  readonly intervalMs: number
  readonly temporality: Temporality
}

/**
 * Settings of the export of metrics from the variables of OpenTelemetry; undefined if no endpoint is set, or metrics are
 * off.
 * @see https://opentelemetry.io/docs/specs/otel/metrics/sdk_exporters/otlp/
 * @throws HeadgateError that names the invalid variable
 */
export function metricSettings(environment: Variables): MetricSettings | undefined {
  const read = variableReader(environment)
  const destination = otlpDestination(read, 'metrics')
  if (!destination) return undefined
  return {
    destination,
    dialect: dialectOf(read),
    resource: resourceOf(read),
    intervalMs: wholeNumber('OTEL_METRIC_EXPORT_INTERVAL', read('OTEL_METRIC_EXPORT_INTERVAL'), 60_000),
    temporality: temporalityOf(read),
  }
}

/** Conventions of the names of metrics and attributes, by the variables. @throws HeadgateError for unknown conventions */
export function conventionsOf(environment: Variables): Dialect {
  return dialectOf(variableReader(environment))
}

const PREFERENCE = 'OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE'

function temporalityOf(read: ReadVariable): Temporality {
  const preference = read(PREFERENCE)?.toLowerCase() ?? 'cumulative'
  if (preference === 'cumulative') return 'cumulative'
  // The two differ in kinds of metrics that Headgate does not have.
  if (preference === 'delta' || preference === 'lowmemory') return 'delta'
  throw invalidVariable(PREFERENCE, 'Set it to `cumulative`, `delta` or `lowmemory`.')
}
