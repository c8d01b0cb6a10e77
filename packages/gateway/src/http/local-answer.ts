import type { HttpRequest, LocalResponse, Upstream } from '@headgate/core/contract'
import { HeadgateError } from '@headgate/core/errors'
import type { MemoryLease } from './memory.ts'
import type { UpstreamCall, UpstreamHandler } from './upstream.ts'
import { reasonOf } from './whole-response.ts'

/** Bytes that a handler gets at a time, so that a slow caller stops the rest. */
const PIECE_BYTES = 65_536

interface LocalOptions {
  /** Maximum bytes of a response. */
  readonly limit: number
  readonly signal: AbortSignal
  /** Memory of the request, which the response counts for. */
  readonly memory?: Pick<MemoryLease, 'take'> | undefined
}

/**
 * Response of an upstream in this process. It ends with the signal, even if the upstream continues to work. Rejects
 * with HeadgateError.
 */
export async function localAnswer(
  { answer }: Pick<Upstream, 'answer'>,
  request: HttpRequest,
  { limit, signal, memory }: LocalOptions,
): Promise<LocalResponse> {
  if (!answer) throw new TypeError('The upstream is not in this process.')
  const stopped = Promise.withResolvers<never>()
  const stop = (): void => stopped.reject(reasonOf(signal.reason))
  if (signal.aborted) stop()
  signal.addEventListener('abort', stop, { once: true })
  try {
    const response = await Promise.race([stopped.promise, answer(request, signal)])
    const { length } = response.bytes
    if (length > limit) throw new HeadgateError('upstream', `The provider's response is larger than ${limit} bytes.`)
    memory?.take(length)
    return response
  } finally {
    signal.removeEventListener('abort', stop)
  }
}

/** Response that is passed on in pieces, as fast as its handler takes them. */
export interface Feed extends Pick<UpstreamCall, 'pause' | 'resume'> {
  start(): void
}

/** @param isOver true once nothing more is needed */
export function createFeed(
  { type, bytes }: LocalResponse,
  handler: Pick<UpstreamHandler, 'head' | 'data' | 'end'>,
  isOver: () => boolean,
): Feed {
  let at = 0
  let isPaused = false
  let isFeeding = false
  let isEnded = false
  const run = (): void => {
    if (isFeeding || isEnded) return
    isFeeding = true
    while (!isPaused && !isOver() && at < bytes.length) {
      const piece = bytes.subarray(at, at + PIECE_BYTES)
      at += piece.length
      handler.data(Buffer.from(piece.buffer, piece.byteOffset, piece.length))
    }
    isFeeding = false
    if (isPaused || isOver()) return
    isEnded = true
    handler.end()
  }
  return {
    start() {
      handler.head(200, { 'content-type': type })
      run()
    },
    pause() {
      isPaused = true
    },
    resume() {
      isPaused = false
      run()
    },
  }
}
