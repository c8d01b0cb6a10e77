import type { UsageRow } from '@headgate/gateway/ports'
import type { TraceSettings } from './export-settings.ts'
import type { TracedProvider } from './model-call-facts.ts'
import { type RefusedRow, spanOfRefusal, spansOfRow, tracePlaceOf } from './request-spans.ts'
import { isSampled } from './sampling.ts'
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
}

const UNKNOWN: TracedProvider = {}

/** Receiver of usage rows that exports their traces. It is loaded by the store. */
export function createRowReceiver(
  { settings, version, providers, counts }: TraceReceiverData,
  { onProblem }: { onProblem(message: string): void },
): {
  rows(rows: readonly UsageRow[]): void
  refused(refusals: readonly RefusedRow[]): void
  close(): Promise<void>
} {
  const exporter = createTraceExporter({ settings, version, onProblem, counts: counts && sharedSpanCounts(counts) })
  const options = { dialect: settings.dialect, factsOf: (provider: string) => providers[provider] ?? UNKNOWN }
  return {
    rows(rows) {
      for (const row of rows)
        if (row.trace && isSampled(row, tracePlaceOf(row).traceId, settings)) exporter.add(spansOfRow(row, options))
    },
    refused(refusals) {
      for (const one of refusals)
        if (one.trace && isSampled(one, tracePlaceOf(one).traceId, settings))
          exporter.add([spanOfRefusal(one, options)])
    },
    close: exporter.close,
  }
}
