export { CALL_ATTRIBUTES, type CallAttribute, DIALECTS, type Dialect, SCHEMA_URLS } from './dialects.ts'
export { type TraceSettings, traceSettings } from './export-settings.ts'
export {
  DURATION_BOUNDS,
  GEN_AI_METRICS,
  type GenAiMeasure,
  type GenAiMetric,
  prometheusName,
  TOKEN_BOUNDS,
} from './gen-ai-metrics.ts'
export type { LogBatch, LogRecord } from './log-record.ts'
export { type LogExportSettings, logSettings } from './log-settings.ts'
export type {
  CounterData,
  Exemplar,
  GaugeData,
  HistogramData,
  HistogramPoint,
  MetricBatch,
  NumberPoint,
  OtlpMetric,
  Temporality,
} from './metric.ts'
export {
  createMetricExporter,
  type MetricExporter,
  type MetricExporterOptions,
  type PointCounts,
} from './metric-exporter.ts'
export { conventionsOf, type MetricSettings, metricSettings } from './metric-settings.ts'
export { operationOf, type TracedProvider } from './model-call-facts.ts'
export {
  type OtlpDestination,
  type OtlpSignal,
  otlpDestination,
  type ReadVariable,
  type Variables,
  variableReader,
} from './otlp-destination.ts'
export { spansToJson } from './otlp-json.ts'
export { logsToJson, logsToProtobuf } from './otlp-logs.ts'
export { metricsToJson } from './otlp-metrics-json.ts'
export { metricsToProtobuf } from './otlp-metrics-protobuf.ts'
export { spansToProtobuf } from './otlp-protobuf.ts'
export { createOtlpSender, type OtlpSender, type OtlpSenderOptions } from './otlp-sender.ts'
export type { TraceReceiverData } from './receiver.ts'
export { type RefusedRow, type SpanOptions, spanOfRefusal, spansOfRow, tracePlaceOf } from './request-spans.ts'
export { isSampled } from './sampling.ts'
export type { Attribute, AttributeValue, Double, Span, SpanBatch, SpanLink } from './span.ts'
export { type SpanCounts, sharedSpanCounts, spanCountMemory } from './span-counts.ts'
export {
  createTraceExporter,
  type TraceExporter,
  type TraceExporterOptions,
} from './trace-exporter.ts'
