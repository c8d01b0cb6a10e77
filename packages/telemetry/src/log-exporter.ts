import { SCHEMA_URLS } from './dialects.ts'
import { createExportQueue, type ExportQueue, type QueueLimits } from './export-queue.ts'
import type { LogRecord } from './log-record.ts'
import type { LogExportSettings } from './log-settings.ts'
import { logsToJson, logsToProtobuf } from './otlp-logs.ts'
import { createOtlpSender } from './otlp-sender.ts'
import type { Span } from './span.ts'

/** Parts of an exporter of log records. */
export interface LogExporterOptions {
  readonly settings: LogExportSettings
  readonly limits: QueueLimits
  /** Version of this program. */
  readonly version: string
  /** Called once when the destination fails, and once when it recovers. */
  onProblem(message: string): void
}

/** Exporter of log records. */
export function createLogExporter({
  settings,
  limits,
  version,
  onProblem,
}: LogExporterOptions): ExportQueue<LogRecord> {
  const { destination, resource } = settings
  const sender = createOtlpSender({ destination, items: 'Log records', onProblem })
  return createExportQueue<LogRecord>({
    sender,
    limits,
    counts: { sent: 0, dropped: 0 },
    encode(records) {
      const batch = { resource, version, schemaUrl: SCHEMA_URLS['1.41'], observedAt: Date.now(), records }
      return destination.encoding === 'json' ? Buffer.from(logsToJson(batch)) : logsToProtobuf(batch)
    },
  })
}

/** Log record of a request, from the span of the server. It has the same attributes. */
export function accessRecord(
  { traceId, spanId, name, endedAt, attributes, failure }: Span,
  isSampled: boolean,
): LogRecord {
  return {
    at: endedAt,
    severity: failure === undefined ? 'info' : 'warn',
    eventName: 'headgate.request',
    body: name,
    attributes,
    span: { traceId, spanId, isSampled },
  }
}
