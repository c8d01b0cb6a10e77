import { jsonAttributes } from './otlp-attributes.ts'
import { nanosecondsOf } from './protobuf.ts'
import { flagsOf, SCOPE, SPAN_KINDS, type Span, type SpanBatch, STATUS_ERROR } from './span.ts'

/**
 * `ExportTraceServiceRequest` in JSON. Ids are hexadecimal, and 64-bit integers are strings.
 * @see https://opentelemetry.io/docs/specs/otlp/#json-protobuf-encoding
 */
export function spansToJson({ resource, version, schemaUrl, spans }: SpanBatch): string {
  return JSON.stringify({
    resourceSpans: [
      {
        resource: { attributes: jsonAttributes(resource) },
        scopeSpans: [{ scope: { name: SCOPE, version }, spans: spans.map(spanOf), schemaUrl }],
        schemaUrl,
      },
    ],
  })
}

function spanOf(span: Span): object {
  return {
    traceId: span.traceId,
    spanId: span.spanId,
    traceState: span.state,
    parentSpanId: span.parentId,
    name: span.name,
    kind: SPAN_KINDS[span.kind],
    startTimeUnixNano: String(nanosecondsOf(span.startedAt)),
    endTimeUnixNano: String(nanosecondsOf(span.endedAt)),
    attributes: jsonAttributes(span.attributes),
    links: span.links.map(({ traceId, spanId, attributes = [] }) => ({
      traceId,
      spanId,
      attributes: jsonAttributes(attributes),
    })),
    status: span.failure === undefined ? {} : { code: STATUS_ERROR, message: span.failure },
    flags: flagsOf(span),
  }
}
