export { CALL_ATTRIBUTES, type CallAttribute, DIALECTS, type Dialect, SCHEMA_URLS } from './dialects.ts'
export { type TraceSettings, traceSettings } from './export-settings.ts'
export type { TracedProvider } from './model-call-facts.ts'
export {
  type OtlpDestination,
  type OtlpSignal,
  otlpDestination,
  type ReadVariable,
  type Variables,
  variableReader,
} from './otlp-destination.ts'
export { spansToJson } from './otlp-json.ts'
export { spansToProtobuf } from './otlp-protobuf.ts'
export { createOtlpSender, type OtlpSender, type OtlpSenderOptions } from './otlp-sender.ts'
export type { TraceReceiverData } from './receiver.ts'
export { type SpanOptions, spansOfRow, tracePlaceOf } from './request-spans.ts'
export { isSampled } from './sampling.ts'
export type { Attribute, AttributeValue, Double, Span, SpanBatch, SpanLink } from './span.ts'
export {
  createTraceExporter,
  type SpanCounts,
  type TraceExporter,
  type TraceExporterOptions,
} from './trace-exporter.ts'
