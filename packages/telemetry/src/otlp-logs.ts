import { type LogBatch, type LogRecord, SEVERITIES } from './log-record.ts'
import { jsonAttributes, writeAttributes } from './otlp-attributes.ts'
import { nanosecondsOf, ProtobufWriter } from './protobuf.ts'
import { SCOPE } from './span.ts'

const writer = new ProtobufWriter()

/**
 * `ExportLogsServiceRequest` in protocol buffers. Fields are written in descending order; see {@link ProtobufWriter}.
 * @see https://github.com/open-telemetry/opentelemetry-proto/blob/main/opentelemetry/proto/logs/v1/logs.proto
 */
export function logsToProtobuf({ resource, version, schemaUrl, observedAt, records }: LogBatch): Buffer {
  const out = writer.end
  writer.text(3, schemaUrl)
  const scopeLogs = writer.end
  writer.text(3, schemaUrl)
  for (let at = records.length - 1; at >= 0; at--) {
    const record = records[at]
    if (record) writeRecord(record, observedAt)
  }
  const scope = writer.end
  writer.text(2, version)
  writer.text(1, SCOPE)
  writer.message(1, scope)
  writer.message(2, scopeLogs)
  const owner = writer.end
  writeAttributes(writer, 1, resource)
  writer.message(1, owner)
  writer.message(1, out)
  return writer.take()
}

function writeRecord({ at, severity, eventName, body, attributes, span }: LogRecord, observedAt: number): void {
  const begin = writer.end
  writer.text(12, eventName)
  writer.nanoseconds(11, observedAt)
  if (span) {
    writer.hex(10, span.spanId)
    writer.hex(9, span.traceId)
    writer.fixed32(8, span.isSampled ? 1 : 0)
  }
  writeAttributes(writer, 6, attributes)
  if (body !== undefined) {
    const value = writer.end
    writer.text(1, body)
    writer.message(5, value)
  }
  writer.text(3, severity.toUpperCase())
  writer.integer(2, SEVERITIES[severity])
  writer.nanoseconds(1, at)
  writer.message(2, begin)
}

/**
 * `ExportLogsServiceRequest` in JSON.
 * @see https://opentelemetry.io/docs/specs/otlp/#json-protobuf-encoding
 */
export function logsToJson({ resource, version, schemaUrl, observedAt, records }: LogBatch): string {
  const logRecords = records.map(({ at, severity, eventName, body, attributes, span }) => ({
    timeUnixNano: String(nanosecondsOf(at)),
    observedTimeUnixNano: String(nanosecondsOf(observedAt)),
    severityNumber: SEVERITIES[severity],
    severityText: severity.toUpperCase(),
    body: body === undefined ? undefined : { stringValue: body },
    attributes: jsonAttributes(attributes),
    flags: span && (span.isSampled ? 1 : 0),
    traceId: span?.traceId,
    spanId: span?.spanId,
    eventName,
  }))
  return JSON.stringify({
    resourceLogs: [
      {
        resource: { attributes: jsonAttributes(resource) },
        scopeLogs: [{ scope: { name: SCOPE, version }, logRecords, schemaUrl }],
        schemaUrl,
      },
    ],
  })
}
