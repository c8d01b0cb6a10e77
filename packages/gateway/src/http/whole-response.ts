import { parse } from '@headgate/core/canonical'
import type { HttpResponse } from '@headgate/core/contract'
import { asError, HeadgateError } from '@headgate/core/errors'
import { takeTurn } from '#transport'
import { createResponseMemory, type MemoryLease } from './memory.ts'
import { LARGE_BODY } from './turns.ts'
import type { UpstreamCall, UpstreamHeaders, UpstreamRequest, Upstreams } from './upstream.ts'

/** Headers with single values, by lower-case name as undici returns them. */
export function plainHeaders(headers: UpstreamHeaders): Record<string, string> {
  const plain: Record<string, string> = {}
  for (const name in headers) {
    const value = headers[name]
    if (value !== undefined) plain[name] = typeof value === 'string' ? value : value.join(', ')
  }
  return plain
}

/** Whole response as adapters read it. */
export function readWholeResponse(status: number, headers: UpstreamHeaders, bytes: Buffer): HttpResponse {
  const text = bytes.toString('utf8')
  // A byte order mark is not part of the content.
  const source = text.charCodeAt(0) === 0xfeff ? text.slice(1) : text
  const body = parse(source)
  return { status, headers: plainHeaders(headers), body: body === undefined ? source : body, bytes }
}

/** Converts the reason of an aborted signal to an error. */
function reasonOf(reason: unknown): HeadgateError {
  if (HeadgateError.is(reason)) return reason
  if (reason instanceof Error && reason.name === 'TimeoutError')
    return new HeadgateError('timeout', 'The provider did not respond in time.')
  return new HeadgateError('canceled', 'The request was canceled.')
}

/**
 * Sends a request and reads its whole response. Rejects with HeadgateError if the transport fails, never because of a
 * status.
 */
export function fetchWhole(
  upstreams: Upstreams,
  request: UpstreamRequest,
  options: {
    limit: number
    signal?: AbortSignal | undefined
    memory?: Pick<MemoryLease, 'take'> | undefined
    onCall?: ((call: UpstreamCall) => void) | undefined
  },
): Promise<HttpResponse> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    const memory = options.memory && createResponseMemory(options.memory)
    let size = 0
    let status = 0
    let headers: UpstreamHeaders = {}
    let call: UpstreamCall | undefined
    const stop = (): void => {
      call?.abort()
      reject(reasonOf(options.signal?.reason))
    }
    if (options.signal?.aborted) return stop()
    const finish = (settle: () => void): void => {
      options.signal?.removeEventListener('abort', stop)
      settle()
    }
    options.signal?.addEventListener('abort', stop, { once: true })
    call = upstreams.call(request, {
      head(answered, given) {
        status = answered
        headers = given
        memory?.head(given)
      },
      data(chunk) {
        size += chunk.length
        memory?.data(chunk.length)
        chunks.push(chunk)
        if (size <= options.limit) return
        call?.abort()
        finish(() =>
          reject(new HeadgateError('upstream', `The provider's response is larger than ${options.limit} bytes.`)),
        )
      },
      end() {
        const give = (): void => {
          if (!options.signal?.aborted) finish(() => resolve(readWholeResponse(status, headers, Buffer.concat(chunks))))
        }
        if (size < LARGE_BODY) give()
        else takeTurn(give).catch((error: unknown) => finish(() => reject(asError(error))))
      },
      fail: (error) => finish(() => reject(error)),
    })
    options.onCall?.(call)
  })
}
