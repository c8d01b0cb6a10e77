import { setTimeout as delay } from 'node:timers/promises'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { Agent, request } from 'undici'
import { SCHEMA_URLS } from './dialects.ts'
import type { TraceDestination, TraceSettings } from './export-settings.ts'
import { spansToJson } from './otlp-json.ts'
import { spansToProtobuf } from './otlp-protobuf.ts'
import type { Span, SpanBatch } from './span.ts'

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

/** Number of spans since the start. */
export interface SpanCounts {
  sent: number
  dropped: number
}

/** Parts of an exporter that tests replace. */
export interface TraceExporterOptions {
  readonly settings: TraceSettings
  /** Version of this program. */
  readonly version: string
  /** Called once when the destination fails, and once when it recovers. */
  onProblem(message: string): void
  /** Waits; rejects if the signal aborts. */
  wait?(ms: number, signal: AbortSignal): Promise<unknown>
}

const compress = promisify(gzip)
/** Statuses after which a batch is sent again. */
const TEMPORARY: ReadonlySet<number> = new Set([429, 502, 503, 504])
const FIRST_PAUSE = 1_000
const LONGEST_PAUSE = 30_000
/** Number of attempts to send one batch. */
const ATTEMPTS = 6
/** Maximum bytes of a response that are read. */
const MAX_RESPONSE = 64 * 1024

/** Result of sending a batch. */
interface SendResult {
  /** Number of rejected spans. */
  readonly rejected: number
  /** Reason, if any span was rejected. */
  readonly reason?: string | undefined
  /** True if the batch can be sent again, after the time that the receiver asks for, in milliseconds. */
  readonly again?: { readonly afterMs: number | undefined } | undefined
}

/** State of an exporter. */
interface ExporterState {
  readonly options: TraceExporterOptions
  readonly agent: Agent
  readonly closing: AbortController
  readonly counts: SpanCounts
  queue: Span[]
  timer: NodeJS.Timeout | undefined
  sending: Promise<void> | undefined
  isFailing: boolean
}

/** Exporter that sends batches one after another. */
export function createTraceExporter(options: TraceExporterOptions): TraceExporter {
  const { settings } = options
  const { timeoutMs } = settings.destination
  const state: ExporterState = {
    options,
    agent: new Agent({
      connections: 1,
      headersTimeout: timeoutMs,
      bodyTimeout: timeoutMs,
      connect: { timeout: timeoutMs },
    }),
    closing: new AbortController(),
    counts: { sent: 0, dropped: 0 },
    queue: [],
    timer: undefined,
    sending: undefined,
    isFailing: false,
  }
  return {
    counts: state.counts,
    add(spans) {
      if (state.closing.signal.aborted) state.counts.dropped += spans.length
      else enqueue(state, spans)
    },
    flush: () => sendAll(state),
    async close() {
      const end = AbortSignal.timeout(timeoutMs)
      end.addEventListener('abort', () => state.closing.abort(), { once: true })
      await sendAll(state)
      state.closing.abort()
      await state.agent.close()
    },
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

async function sendBatches(state: ExporterState): Promise<void> {
  const { maxBatch } = state.options.settings
  while (state.queue.length > 0) {
    const spans = state.queue.splice(0, maxBatch)
    const { rejected, reason } = await sendBatch(state, spans)
    state.counts.sent += spans.length - rejected
    state.counts.dropped += rejected
    tell(state, reason)
  }
}

function tell(state: ExporterState, reason: string | undefined): void {
  const isFailing = reason !== undefined
  if (isFailing === state.isFailing) return
  state.isFailing = isFailing
  const { onProblem, settings } = state.options
  const { origin } = new URL(settings.destination.url)
  onProblem(
    isFailing
      ? `Spans cannot be sent to ${origin} and are dropped: ${reason}. Requests are not affected.`
      : `Spans are sent to ${origin} again.`,
  )
}

/** Sends one batch, with pauses after temporary failures. Never rejects. */
async function sendBatch(state: ExporterState, spans: readonly Span[]): Promise<SendResult> {
  const { settings, version, wait = waitFor } = state.options
  const { destination, resource, dialect } = settings
  const { signal } = state.closing
  const body = await bodyOf({ resource, version, schemaUrl: SCHEMA_URLS[dialect], spans }, destination)
  let pause = FIRST_PAUSE
  for (let attempt = 1; ; attempt++) {
    const result = await post(state, destination, body, spans.length)
    if (!result.again || attempt === ATTEMPTS || signal.aborted) return result
    const { afterMs = pause * (0.5 + Math.random() / 2) } = result.again
    try {
      await wait(Math.min(afterMs, LONGEST_PAUSE), signal)
    } catch {
      return result
    }
    pause = Math.min(pause * 2, LONGEST_PAUSE)
  }
}

function waitFor(ms: number, signal: AbortSignal): Promise<unknown> {
  return delay(ms, undefined, { signal, ref: false })
}

async function bodyOf(batch: SpanBatch, { encoding, isCompressed }: TraceDestination): Promise<Buffer> {
  const bytes = encoding === 'protobuf' ? spansToProtobuf(batch) : Buffer.from(spansToJson(batch))
  return isCompressed ? compress(bytes) : bytes
}

async function post(
  { agent, closing: { signal } }: ExporterState,
  { url, headers, encoding, isCompressed, timeoutMs }: TraceDestination,
  body: Buffer,
  count: number,
): Promise<SendResult> {
  try {
    const answer = await request(url, {
      method: 'POST',
      dispatcher: agent,
      headers: {
        ...headers,
        'content-type': encoding === 'protobuf' ? 'application/x-protobuf' : 'application/json',
        ...(isCompressed && { 'content-encoding': 'gzip' }),
      },
      body,
      signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
    })
    const { statusCode } = answer
    if (statusCode >= 200 && statusCode < 300) {
      const rejected = rejectedIn(await beginningOf(answer.body), encoding)
      return { rejected: Math.min(rejected, count), ...(rejected > 0 && { reason: `it rejected ${rejected} spans` }) }
    }
    await answer.body.dump({ limit: MAX_RESPONSE })
    const reason = `it answered with the status ${statusCode}`
    if (!TEMPORARY.has(statusCode)) return { rejected: count, reason }
    return { rejected: count, reason, again: { afterMs: retryAfter(answer.headers['retry-after']) } }
  } catch (error) {
    const reason = error instanceof Error && 'code' in error ? String(error.code) : 'the connection failed'
    return { rejected: count, reason, again: { afterMs: undefined } }
  }
}

/** Pause of `retry-after`, in seconds or as a date, in milliseconds. */
function retryAfter(value: string | string[] | undefined): number | undefined {
  if (typeof value !== 'string') return undefined
  const seconds = Number(value)
  const ms = Number.isFinite(seconds) ? seconds * 1_000 : Date.parse(value) - Date.now()
  return ms >= 0 ? ms : undefined
}

/** First bytes of a response. The rest is discarded. */
async function beginningOf(body: AsyncIterable<Buffer>): Promise<Buffer> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of body) {
    chunks.push(chunk)
    size += chunk.length
    if (size >= MAX_RESPONSE) break
  }
  return Buffer.concat(chunks)
}

/**
 * Number of spans that a receiver rejected: `partial_success.rejected_spans`.
 * @see https://opentelemetry.io/docs/specs/otlp/#partial-success-1
 */
export function rejectedIn(body: Buffer, encoding: TraceDestination['encoding']): number {
  if (encoding === 'json') {
    try {
      const { partialSuccess } = JSON.parse(body.toString()) as { partialSuccess?: { rejectedSpans?: string | number } }
      return Number(partialSuccess?.rejectedSpans ?? 0) || 0
    } catch {
      return 0
    }
  }
  // Field 1 is `partial_success`, whose field 1 is `rejected_spans`.
  if (body[0] !== 0x0a || body[2] !== 0x08) return 0
  let value = 0
  for (let at = 3, scale = 1; at < body.length; at++, scale *= 128) {
    const byte = body[at] ?? 0
    value += (byte & 127) * scale
    if (byte < 128) return value
  }
  return 0
}
