import { HeadgateError } from '../errors.ts'
import { checkLength, tooLarge } from './node.ts'
import type { AnswerHeaders, Incoming, Sink } from './sink.ts'

/** Bytes that may wait for a slow reader before `write` asks to stop. */
const HIGH_WATER = 65_536

export function fetchIncoming(request: Request): Incoming {
  const url = new URL(request.url)
  return {
    method: request.method,
    url: url.pathname + url.search,
    headers: Object.fromEntries(request.headers),
    async read(limit) {
      checkLength(request.headers.get('content-length') ?? undefined, limit)
      const chunks: Uint8Array[] = []
      let size = 0
      if (!request.body) return Buffer.alloc(0)
      try {
        for await (const chunk of request.body) {
          size += chunk.length
          if (size > limit) throw tooLarge(limit)
          chunks.push(chunk)
        }
      } catch (error) {
        if (HeadgateError.is(error)) throw error
        throw new HeadgateError('cancelled', 'The caller left before its request had arrived.', { cause: error })
      }
      return Buffer.concat(chunks)
    },
  }
}

function toHeaders(given: AnswerHeaders): Headers {
  const headers = new Headers()
  for (const [name, value] of Object.entries(given)) {
    for (const one of Array.isArray(value) ? value : [value]) headers.append(name, one)
  }
  return headers
}

const NO_BODY: ReadonlySet<number> = new Set([204, 205, 304])

/** A sink and the Response that it becomes. */
export function fetchSink(signal: AbortSignal): { sink: Sink; response: Promise<Response> } {
  const encoder = new TextEncoder()
  const { promise, resolve, reject } = Promise.withResolvers<Response>()
  let controller: ReadableStreamDefaultController<Uint8Array> | undefined
  let drained: (() => void) | undefined
  let left: (() => void) | undefined
  let over = false
  const leave = (): void => {
    if (over) return
    over = true
    reject(signal.reason)
    left?.()
  }
  const body = new ReadableStream<Uint8Array>(
    {
      start(given) {
        controller = given
      },
      pull() {
        const callback = drained
        drained = undefined
        callback?.()
      },
      cancel: leave,
    },
    { highWaterMark: HIGH_WATER, size: (chunk) => chunk?.byteLength ?? 0 },
  )
  signal.addEventListener('abort', leave, { once: true })
  if (signal.aborted) leave()
  const write = (chunk: Uint8Array | string): boolean => {
    if (over || chunk.length === 0) return true
    controller?.enqueue(typeof chunk === 'string' ? encoder.encode(chunk) : chunk)
    return (controller?.desiredSize ?? 1) > 0
  }
  const sink: Sink = {
    head(status, headers) {
      resolve(new Response(NO_BODY.has(status) ? null : body, { status, headers: toHeaders(headers) }))
    },
    write,
    onDrain(callback) {
      drained = callback
    },
    end(chunk) {
      if (chunk) write(chunk)
      if (over) return
      over = true
      signal.removeEventListener('abort', leave)
      controller?.close()
    },
    destroy() {
      if (over) return
      over = true
      const error = new HeadgateError('cut', 'The answer was cut.')
      reject(error)
      controller?.error(error)
    },
    onClose(callback) {
      left = callback
      if (over) callback()
    },
  }
  return { sink, response: promise }
}
