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

/** Receiver of the bytes of a response in place of memory. */
export interface ResponseReceiver {
  /**
   * Takes the next bytes. More come after the promise.
   * @throws HeadgateError if the response is too large
   */
  write(chunk: Buffer): Promise<void> | undefined
  /** `body` of the response, after its last byte. */
  body(): unknown
}

/** Writes chunks one after the other. The upstream pauses while one is being written. */
class ReceiverQueue {
  private readonly target: ResponseReceiver
  private readonly failed: (error: unknown) => void
  /** The last chunk, while it is being written. */
  private writing: Promise<void> | undefined

  constructor(target: ResponseReceiver, failed: (error: unknown) => void) {
    this.target = target
    this.failed = failed
  }

  write(chunk: Buffer, call: UpstreamCall | undefined): void {
    const { target, writing } = this
    const pending = writing ? writing.then(() => target.write(chunk)) : target.write(chunk)
    if (!pending) return
    call?.pause()
    const written = pending.then(() => {
      if (this.writing !== written) return
      this.writing = undefined
      call?.resume()
    })
    this.writing = written
    written.catch(this.failed)
  }

  /** Content of the response after all chunks. */
  async body(): Promise<unknown> {
    await this.writing
    return this.target.body()
  }
}

/** Converts the reason of an aborted signal to an error. */
export function reasonOf(reason: unknown): HeadgateError {
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
    receive?: ((status: number) => ResponseReceiver | undefined) | undefined
  },
): Promise<HttpResponse> {
  return new Promise((resolve, reject) => {
    let receiver: ReceiverQueue | undefined
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
    const received = async (target: ReceiverQueue): Promise<void> => {
      const body = await target.body()
      const answer = { status, headers: plainHeaders(headers), body, bytes: Buffer.alloc(0) }
      if (!options.signal?.aborted) finish(() => resolve(answer))
    }
    const failed = (error: unknown): void => {
      call?.abort()
      finish(() => reject(asError(error)))
    }
    call = upstreams.call(request, {
      head(answered, given) {
        status = answered
        headers = given
        const target = options.receive?.(answered)
        receiver = target && new ReceiverQueue(target, failed)
        if (!receiver) memory?.head(given)
      },
      data(chunk) {
        if (receiver) return receiver.write(chunk, call)
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
        if (receiver) {
          received(receiver).catch(failed)
          return
        }
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
