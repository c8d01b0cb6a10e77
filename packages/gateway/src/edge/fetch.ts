import { HeadgateError } from '@headgate/core/errors'
import { takeTurn } from '#transport'
import { now } from '../clock.ts'
import { LARGE_BODY } from '../http/turns.ts'
import type { Times } from '../ports/gateway-options.ts'
import { createChunks } from './chunks.ts'
import { bodyAlreadyRead, checkLength, silentBody, slowBody, tooLarge } from './node.ts'
import type { Incoming, ResponseHeaders, Sink } from './sink.ts'

/** Unread bytes above which `write` returns false. */
const HIGH_WATER = 65_536

type BodyReader = ReadableStreamDefaultReader<Uint8Array>

/**
 * Next chunk of a body.
 * @throws HeadgateError `too-slow` if it does not arrive in time, `canceled` if the body breaks off
 */
async function nextChunk(reader: BodyReader, ms: number): Promise<Uint8Array | undefined> {
  const { promise, reject } = Promise.withResolvers<never>()
  const silence = setTimeout(() => reject(silentBody(ms)), ms)
  try {
    return (await Promise.race([reader.read(), promise])).value
  } catch (error) {
    if (HeadgateError.is(error)) throw error
    throw new HeadgateError('canceled', 'The caller disconnected before its request had arrived.', { cause: error })
  } finally {
    clearTimeout(silence)
  }
}

interface ReadOptions {
  readonly limit: number
  readonly times: Times
  readonly onChunk: Parameters<Incoming['stream']>[1]
}

async function readChunks(reader: BodyReader, { limit, times, onChunk }: ReadOptions): Promise<void> {
  const until = now() + times.upload
  let size = 0
  for (let piece = await nextChunk(reader, times.body); piece; piece = await nextChunk(reader, times.body)) {
    size += piece.length
    if (size > limit) throw tooLarge(limit)
    if (now() > until) throw slowBody(times.upload)
    await onChunk(Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength))
  }
}

export function fetchIncoming(request: Request, times: Times): Incoming {
  const url = new URL(request.url)
  const stream: Incoming['stream'] = async (limit, onChunk) => {
    if (request.bodyUsed || request.body?.locked) throw bodyAlreadyRead()
    checkLength(request.headers.get('content-length') ?? undefined, limit)
    if (!request.body) return
    const reader: BodyReader = request.body.getReader()
    try {
      await readChunks(reader, { limit, times, onChunk })
    } catch (error) {
      // Tells the source of the body that no one reads it anymore.
      reader.cancel(error).catch(() => {})
      throw error
    }
  }
  return {
    method: request.method,
    url: url.pathname + url.search,
    address: undefined,
    headers: Object.fromEntries(request.headers),
    async read(limit, took) {
      const chunks = createChunks()
      let size = 0
      await stream(limit, (chunk) => {
        size += chunk.length
        took?.(chunk.length)
        chunks.add(chunk)
        return undefined
      })
      return size < LARGE_BODY ? chunks.whole() : takeTurn(() => chunks.whole())
    },
    stream,
  }
}

function toHeaders(given: ResponseHeaders): Headers {
  const headers = new Headers()
  for (const [name, value] of Object.entries(given)) {
    for (const one of Array.isArray(value) ? value : [value]) headers.append(name, one)
  }
  return headers
}

const NO_BODY: ReadonlySet<number> = new Set([204, 205, 304])

const encoder = new TextEncoder()

function canWrite(controller: ReadableStreamDefaultController<Uint8Array> | undefined): boolean {
  return (controller?.desiredSize ?? 1) > 0
}

function sizeOf(chunk?: Uint8Array): number {
  return chunk?.byteLength ?? 0
}

/** Body of a Response while it is written. */
interface ResponseBody {
  readonly stream: ReadableStream<Uint8Array>
  write(chunk: Uint8Array | string): boolean
  /** Closes the body after the caller has read it. */
  end(): void
  /** Stops without closing the body. */
  finish(): void
  fail(error: HeadgateError): void
  isOver(): boolean
  unsent(): number
  readonly onDrain: Sink['onDrain']
  readonly onSettled: Sink['onSettled']
  readonly onClose: Sink['onClose']
}

/**
 * Opens a body. `gone` is called if the caller leaves. A caller that does not read for `times.write` is disconnected.
 */
function openOutput(signal: AbortSignal, times: Times, gone: (reason: unknown) => void): ResponseBody {
  let controller: ReadableStreamDefaultController<Uint8Array> | undefined
  let drained: (() => void) | undefined
  let left: ((why?: HeadgateError) => void) | undefined
  let unread: NodeJS.Timeout | undefined
  let settled: (() => void) | undefined
  let isEnding = false
  let over = false
  const finish = (): void => {
    over = true
    clearTimeout(unread)
    signal.removeEventListener('abort', leave)
    settled?.()
  }
  const leave = (): void => {
    if (over) return
    finish()
    gone(signal.reason)
    left?.()
  }
  const giveUp = (): void => {
    finish()
    const why = new HeadgateError('canceled', `The caller did not read the response for ${times.write} ms.`)
    controller?.error(why)
    left?.(why)
  }
  const close = (): void => {
    finish()
    controller?.close()
  }
  const pull = (): void => {
    clearTimeout(unread)
    unread = undefined
    if (isEnding && !over) close()
    if (over) return
    const callback = drained
    drained = undefined
    callback?.()
  }
  const start = (given: ReadableStreamDefaultController<Uint8Array>): void => {
    controller = given
  }
  const stream = new ReadableStream<Uint8Array>(
    { start, pull, cancel: leave },
    { highWaterMark: HIGH_WATER, size: sizeOf },
  )
  signal.addEventListener('abort', leave, { once: true })
  if (signal.aborted) leave()
  return {
    stream,
    finish,
    isOver: () => over,
    write(chunk) {
      if (over || chunk.length === 0) return true
      controller?.enqueue(typeof chunk === 'string' ? encoder.encode(chunk) : chunk)
      if (canWrite(controller)) return true
      unread ??= setTimeout(giveUp, times.write)
      return false
    },
    end() {
      isEnding = true
      if (canWrite(controller)) close()
    },
    fail(error) {
      finish()
      controller?.error(error)
    },
    unsent: () => (over ? 0 : HIGH_WATER - (controller?.desiredSize ?? HIGH_WATER)),
    onDrain(callback) {
      drained = callback
    },
    onSettled(callback) {
      settled = callback
    },
    onClose(callback) {
      left = callback
      if (over) callback()
    },
  }
}

/** A sink and its Response. */
export function fetchSink(
  { signal, method }: Pick<Request, 'signal' | 'method'>,
  times: Times,
): { sink: Sink; response: Promise<Response> } {
  const { promise, resolve, reject } = Promise.withResolvers<Response>()
  const output = openOutput(signal, times, reject)
  const { write, unsent, onDrain, onSettled, onClose } = output
  const sink: Sink = {
    head(status, headers) {
      const isEmpty = method === 'HEAD' || NO_BODY.has(status)
      resolve(new Response(isEmpty ? null : output.stream, { status, headers: toHeaders(headers) }))
      if (isEmpty) output.finish()
    },
    write,
    unsent,
    onDrain,
    onSettled,
    onClose,
    end(chunk) {
      if (chunk) write(chunk)
      if (!output.isOver()) output.end()
    },
    destroy() {
      if (output.isOver()) return
      const error = new HeadgateError('cut', 'The response was cut off.')
      reject(error)
      output.fail(error)
    },
  }
  return { sink, response: promise }
}
