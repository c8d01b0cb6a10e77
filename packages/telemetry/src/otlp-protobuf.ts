import { writeAttributes } from './otlp-attributes.ts'
import { ProtobufWriter } from './protobuf.ts'
import { flagsOf, SCOPE, SPAN_KINDS, type Span, type SpanBatch, type SpanLink, STATUS_ERROR } from './span.ts'

const writer = new ProtobufWriter()

/**
 * `ExportTraceServiceRequest` in protocol buffers. Fields are written in descending order; see {@link ProtobufWriter}.
 * @see https://github.com/open-telemetry/opentelemetry-proto/blob/main/opentelemetry/proto/trace/v1/trace.proto
 */
export function spansToProtobuf({ resource, version, schemaUrl, spans }: SpanBatch): Buffer {
  const out = writer.end
  writer.text(3, schemaUrl)
  const scopeSpans = writer.end
  writer.text(3, schemaUrl)
  for (let at = spans.length - 1; at >= 0; at--) {
    const span = spans[at]
    if (span) writeSpan(span)
  }
  const scope = writer.end
  writer.text(2, version)
  writer.text(1, SCOPE)
  writer.message(1, scope)
  writer.message(2, scopeSpans)
  const owner = writer.end
  writeAttributes(writer, 1, resource)
  writer.message(1, owner)
  writer.message(1, out)
  return writer.take()
}

function writeSpan(span: Span): void {
  const begin = writer.end
  writer.fixed32(16, flagsOf(span))
  if (span.failure !== undefined) {
    const status = writer.end
    writer.integer(3, STATUS_ERROR)
    writer.text(2, span.failure)
    writer.message(15, status)
  }
  for (let at = span.links.length - 1; at >= 0; at--) {
    const link = span.links[at]
    if (link) writeLink(link)
  }
  writeAttributes(writer, 9, span.attributes)
  writer.nanoseconds(8, span.endedAt)
  writer.nanoseconds(7, span.startedAt)
  writer.integer(6, SPAN_KINDS[span.kind])
  writer.text(5, span.name)
  if (span.parentId !== undefined) writer.hex(4, span.parentId)
  if (span.state !== undefined) writer.text(3, span.state)
  writer.hex(2, span.spanId)
  writer.hex(1, span.traceId)
  writer.message(2, begin)
}

function writeLink({ traceId, spanId, attributes = [] }: SpanLink): void {
  const begin = writer.end
  writeAttributes(writer, 4, attributes)
  writer.hex(2, spanId)
  writer.hex(1, traceId)
  writer.message(13, begin)
}
