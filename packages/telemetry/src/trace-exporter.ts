import { SCHEMA_URLS } from './dialects.ts'
import type { TraceSettings } from './export-settings.ts'
import { spansToJson } from './otlp-json.ts'
import { spansToProtobuf } from './otlp-protobuf.ts'
import { createOtlpSender, type OtlpSender } from './otlp-sender.ts'
import type { Span } from './span.ts'
import type { SpanCounts } from './span-counts.ts'

/** Sender of spans. Spans can be lost; they are counted then. */
export interface TraceExporter {
  /** Queues spans. If the queue is full, the oldest ones are dropped. */
  add(spans: readonly Span[]): void
  /** Resolves when all queued spans are sent or dropped. */
  flush(): Promise<void>
  /** Sends what is queued within the time of one request, and ends. */
  close(): Promise<void>
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

/** State of an exporter. */
interface ExporterState {
  readonly options: TraceExporterOptions
  readonly sender: OtlpSender
  readonly counts: SpanCounts
  readonly queue: Span[]
  timer: NodeJS.Timeout | undefined
  sending: Promise<void> | undefined
}

/** Exporter that sends batches one after another. */
export function createTraceExporter(options: TraceExporterOptions): TraceExporter {
  const { settings, onProblem, wait } = options
  const sender = createOtlpSender({ destination: settings.destination, items: 'Spans', onProblem, wait })
  const state: ExporterState = {
    options,
    sender,
    counts: options.counts ?? { sent: 0, dropped: 0 },
    queue: [],
    timer: undefined,
    sending: undefined,
  }
  return {
    counts: state.counts,
    add(spans) {
      if (sender.isClosed()) state.counts.dropped += spans.length
      else enqueue(state, spans)
    },
    flush: () => sendAll(state),
    close: () => sender.close(() => sendAll(state)),
  }
}

function enqueue(state: ExporterState, spans: readonly Span[]): void {
  const { maxQueue, maxBatch, delayMs } = state.options.settings
  for (const span of spans) state.queue.push(span)
  const over = state.queue.length - maxQueue
  if (over > 0) {
    state.queue.splice(0, over)
    state.counts.dropped += over
  }
  if (state.sending) return
  if (state.queue.length >= maxBatch) void sendAll(state)
  else state.timer ??= setTimeout(() => void sendAll(state), delayMs).unref()
}

/** Sends batches until the queue is empty. */
function sendAll(state: ExporterState): Promise<void> {
  clearTimeout(state.timer)
  state.timer = undefined
  state.sending ??= sendBatches(state).finally(() => {
    state.sending = undefined
  })
  return state.sending
}

async function sendBatches({ options, sender, queue, counts }: ExporterState): Promise<void> {
  const { settings, version } = options
  const { maxBatch, resource, dialect, destination } = settings
  const isJson = destination.encoding === 'json'
  while (queue.length > 0) {
    const spans = queue.splice(0, maxBatch)
    const batch = { resource, version, schemaUrl: SCHEMA_URLS[dialect], spans }
    const body = isJson ? Buffer.from(spansToJson(batch)) : spansToProtobuf(batch)
    const rejected = await sender.send(body, spans.length)
    counts.sent += spans.length - rejected
    counts.dropped += rejected
  }
}
