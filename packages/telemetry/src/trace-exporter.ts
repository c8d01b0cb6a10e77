import { SCHEMA_URLS } from './dialects.ts'
import { createExportQueue, type ExportQueue } from './export-queue.ts'
import type { TraceSettings } from './export-settings.ts'
import { spansToJson } from './otlp-json.ts'
import { spansToProtobuf } from './otlp-protobuf.ts'
import { createOtlpSender } from './otlp-sender.ts'
import type { Span } from './span.ts'
import type { SpanCounts } from './span-counts.ts'

/** Sender of spans. Spans can be lost; they are counted then. */
export interface TraceExporter extends ExportQueue<Span> {
  readonly counts: SpanCounts
}

/** Parts of an exporter that tests replace. */
export interface TraceExporterOptions {
  readonly settings: TraceSettings
  /** Version of this program. */
  readonly version: string
  /** Counts to increase. Default: new ones. */
  readonly counts?: SpanCounts | undefined
  /** Called once when the destination fails, and once when it recovers. */
  onProblem(message: string): void
  /** Waits; rejects if the signal aborts. */
  wait?: ((ms: number, signal: AbortSignal) => Promise<unknown>) | undefined
}

/** Exporter that sends batches one after another. */
export function createTraceExporter(options: TraceExporterOptions): TraceExporter {
  const { settings, version, onProblem, wait, counts = { sent: 0, dropped: 0 } } = options
  const { destination, resource, dialect } = settings
  const sender = createOtlpSender({ destination, items: 'Spans', onProblem, wait })
  const queue = createExportQueue<Span>({
    sender,
    limits: settings,
    counts,
    encode(spans) {
      const batch = { resource, version, schemaUrl: SCHEMA_URLS[dialect], spans }
      return destination.encoding === 'json' ? Buffer.from(spansToJson(batch)) : spansToProtobuf(batch)
    },
  })
  return { ...queue, counts }
}
