import { setTimeout as delay } from 'node:timers/promises'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { Agent, request } from 'undici'
import type { OtlpDestination } from './otlp-destination.ts'

/** Sender of OTLP requests to one destination, with pauses after temporary failures. */
export interface OtlpSender {
  /**
   * Sends an encoded request with `count` items. Never rejects.
   * @returns number of items that were not accepted
   */
  send(request: Buffer, count: number): Promise<number>
  /** True after the end of {@link close}, or after its time limit. */
  isClosed(): boolean
  /** Waits for `flush` within the time of one request, then closes the connections. */
  close(flush: () => Promise<void>): Promise<void>
}

/** Parts of a sender. */
export interface OtlpSenderOptions {
  readonly destination: OtlpDestination
  /** Plural noun of the items in messages, such as `Spans`. */
  readonly items: string
  /** Called once when the destination fails, and once when it recovers. */
  onProblem(message: string): void
  /** Waits; rejects if the signal aborts. Tests replace it. */
  wait?: ((ms: number, signal: AbortSignal) => Promise<unknown>) | undefined
}

const compress = promisify(gzip)
/** Statuses after which a request is sent again. */
const TEMPORARY: ReadonlySet<number> = new Set([429, 502, 503, 504])
const FIRST_PAUSE = 1_000
const LONGEST_PAUSE = 30_000
/** Number of attempts to send one request. */
const ATTEMPTS = 6
/** Maximum bytes of a response that are read. */
const MAX_RESPONSE = 64 * 1024

/** Result of sending a request. */
interface SendResult {
  /** Number of rejected items. */
  readonly rejected: number
  /** Reason, if any item was rejected. */
  readonly reason?: string | undefined
  /** True if the request can be sent again, after the time that the receiver asks for, in milliseconds. */
  readonly again?: { readonly afterMs: number | undefined } | undefined
}

/** Creates a sender with one connection. */
export function createOtlpSender(options: OtlpSenderOptions): OtlpSender {
  const { destination, items, onProblem } = options
  const { timeoutMs } = destination
  const agent = new Agent({
    connections: 1,
    headersTimeout: timeoutMs,
    bodyTimeout: timeoutMs,
    connect: { timeout: timeoutMs },
  })
  const closing = new AbortController()
  let wasFailing = false
  const report = (reason: string | undefined): void => {
    const isFailing = reason !== undefined
    if (isFailing === wasFailing) return
    wasFailing = isFailing
    const { origin } = new URL(destination.url)
    onProblem(
      isFailing
        ? `${items} cannot be sent to ${origin} and are dropped: ${reason}. Requests are not affected.`
        : `${items} are sent to ${origin} again.`,
    )
  }
  return {
    isClosed: () => closing.signal.aborted,
    async send(bytes, count) {
      const body = destination.isCompressed ? await compress(bytes) : bytes
      const { rejected, reason } = await sendBody({ options, agent, signal: closing.signal }, body, count)
      report(reason)
      return rejected
    },
    async close(flush) {
      const end = AbortSignal.timeout(timeoutMs)
      end.addEventListener('abort', () => closing.abort(), { once: true })
      await flush()
      closing.abort()
      await agent.close()
    },
  }
}

interface SenderParts {
  readonly options: OtlpSenderOptions
  readonly agent: Agent
  readonly signal: AbortSignal
}

async function sendBody(parts: SenderParts, body: Buffer, count: number): Promise<SendResult> {
  const { options, signal } = parts
  const { wait = waitFor } = options
  let pause = FIRST_PAUSE
  for (let attempt = 1; ; attempt++) {
    const result = await post(parts, body, count)
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

async function post(
  { options: { destination }, agent, signal }: SenderParts,
  body: Buffer,
  count: number,
): Promise<SendResult> {
  const { url, headers, encoding, isCompressed, timeoutMs } = destination
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
      return { rejected: Math.min(rejected, count), ...(rejected > 0 && { reason: `it rejected ${rejected} of them` }) }
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

/** Partial success of any signal in JSON. */
type PartialSuccess = Readonly<
  Partial<Record<'rejectedSpans' | 'rejectedDataPoints' | 'rejectedLogRecords', string | number>>
>

/**
 * Number of items that a receiver rejected: `partial_success.rejected_spans`, `rejected_data_points` or
 * `rejected_log_records`.
 * @see https://opentelemetry.io/docs/specs/otlp/#partial-success-1
 */
export function rejectedIn(body: Buffer, encoding: OtlpDestination['encoding']): number {
  if (encoding === 'json') {
    try {
      const { partialSuccess = {} } = JSON.parse(body.toString()) as { partialSuccess?: PartialSuccess }
      const { rejectedSpans, rejectedDataPoints, rejectedLogRecords } = partialSuccess
      return Number(rejectedSpans ?? rejectedDataPoints ?? rejectedLogRecords ?? 0) || 0
    } catch {
      return 0
    }
  }
  // Field 1 is `partial_success`, whose field 1 is the number in each signal.
  if (body[0] !== 0x0a || body[2] !== 0x08) return 0
  let value = 0
  for (let at = 3, scale = 1; at < body.length; at++, scale *= 128) {
    const byte = body[at] ?? 0
    value += (byte & 127) * scale
    if (byte < 128) return value
  }
  return 0
}
