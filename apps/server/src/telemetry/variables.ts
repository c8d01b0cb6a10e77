import type { Environment } from '@headgate/discovery'
import type { Config } from '../config/schema.ts'

/** Environment with the variables of OpenTelemetry that a configuration overrides. */
export function telemetryVariables(
  { endpoint, headers, protocol, conventions, ratio, metrics }: NonNullable<Config['telemetry']> = {},
  environment: Environment,
): Environment {
  const own: Environment = {
    ...(endpoint !== undefined && {
      OTEL_EXPORTER_OTLP_ENDPOINT: endpoint,
      OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: undefined,
      OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: undefined,
    }),
    ...(headers && {
      OTEL_EXPORTER_OTLP_HEADERS: pairs(headers),
      OTEL_EXPORTER_OTLP_TRACES_HEADERS: undefined,
      OTEL_EXPORTER_OTLP_METRICS_HEADERS: undefined,
    }),
    ...(protocol !== undefined && {
      OTEL_EXPORTER_OTLP_PROTOCOL: protocol,
      OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: undefined,
      OTEL_EXPORTER_OTLP_METRICS_PROTOCOL: undefined,
    }),
    ...(metrics === false && { OTEL_METRICS_EXPORTER: 'none' }),
    ...(conventions !== undefined && { HEADGATE_TRACE_CONVENTIONS: conventions }),
    ...(ratio !== undefined && {
      OTEL_TRACES_SAMPLER: 'parentbased_traceidratio',
      OTEL_TRACES_SAMPLER_ARG: String(ratio),
    }),
  }
  return { ...environment, ...own }
}

function pairs(headers: Readonly<Record<string, string>>): string {
  return Object.entries(headers)
    .map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
    .join(',')
}
