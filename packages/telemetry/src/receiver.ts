import type { UsageRow } from '@headgate/gateway/ports'
import type { TraceSettings } from './export-settings.ts'
import { accessRecord, createLogExporter } from './log-exporter.ts'
import type { LogExportSettings } from './log-settings.ts'
import type { TracedProvider } from './model-call-facts.ts'
import { type RefusedRow, spanOfRefusal, spansOfRow } from './request-spans.ts'
import { isSampled } from './sampling.ts'
import type { Span } from './span.ts'
import { sharedSpanCounts } from './span-counts.ts'
import { createTraceExporter } from './trace-exporter.ts'

/** Data of the receiver. */
export interface TraceReceiverData {
  readonly settings: TraceSettings
  /** Version of the program. */
  readonly version: string
  /** Facts of providers by their names. */
  readonly providers: Readonly<Record<string, TracedProvider>>
  /** Memory for the number of spans, from `spanCountMemory`. Default: they are not reported. */
  readonly counts?: SharedArrayBuffer | undefined
  /** Export of log records of requests. Default: none. */
  readonly logs?: LogExportSettings | undefined
}

const UNKNOWN: TracedProvider = {}

/** Receiver of usage rows that exports their traces. It is loaded by the store. */
export function createRowReceiver(
  { settings, version, providers, counts, logs }: TraceReceiverData,
  { onProblem }: { onProblem(message: string): void },
): {
  rows(rows: readonly UsageRow[]): void
  refused(refusals: readonly RefusedRow[]): void
  close(): Promise<void>
} {
  const exporter = createTraceExporter({ settings, version, onProblem, counts: counts && sharedSpanCounts(counts) })
  const access = logs && createLogExporter({ settings: logs, limits: settings, version, onProblem })
  const options = { dialect: settings.dialect, factsOf: (provider: string) => providers[provider] ?? UNKNOWN }
  const receive = (request: UsageRow | RefusedRow, spans: readonly Span[]): void => {
    const [root] = spans
    if (!root) return
    const isExported = isSampled(request, root.traceId, settings)
    if (isExported) exporter.add(spans)
    access?.add([accessRecord(root, isExported)])
  }
  return {
    rows(rows) {
      for (const row of rows) if (row.trace) receive(row, spansOfRow(row, options))
    },
    refused(refusals) {
      for (const one of refusals) if (one.trace) receive(one, [spanOfRefusal(one, options)])
    },
    async close() {
      await Promise.all([exporter.close(), access?.close()])
    },
  }
}
