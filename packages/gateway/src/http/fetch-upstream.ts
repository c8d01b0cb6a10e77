import { asError, HeadgateError } from '@headgate/core/errors'
import { codingsOf } from './content-coding.ts'
import type {
  UpstreamCall,
  UpstreamHandler,
  UpstreamHeaders,
  UpstreamOrigins,
  UpstreamRequest,
  Upstreams,
  UpstreamTimes,
  WaitingCount,
} from './upstream.ts'
import { isContent } from './wire-body.ts'

/**
 * Options of fetch, including one of Bun: `timeout: false` removes its limit of five minutes. Other runtimes ignore it.
 * @see https://bun.com/docs/runtime/networking/fetch
 */
type FetchOptions = RequestInit & { readonly timeout: false; readonly duplex?: 'half' }

/**
 * Codes of failures before the first byte of a request is sent. workerd has no codes, so a refused connection counts as
 * sent there.
 */
const UNSENT: ReadonlySet<string> = new Set([
  'ConnectionRefused',
  'ECONNREFUSED',
  'FailedToOpenSocket',
  'ENOTFOUND',
  'EAI_AGAIN',
])

function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown'
  if ('code' in error && typeof error.code === 'string') return error.code
  return error.cause === undefined ? error.name : codeOf(error.cause)
}

function failure(cause: unknown, begun: boolean): HeadgateError {
  if (HeadgateError.is(cause)) return cause
  const code = codeOf(cause)
  const what = begun ? 'The connection to the provider broke during its response' : 'The provider cannot be reached'
  return new HeadgateError('upstream', `${what} (${code}).`, { cause, code })
}

/**
 * Headers of a response. The runtime has already decoded the body, so the coding and the encoded length are removed.
 */
function headersOf(given: Headers): UpstreamHeaders {
  const headers: UpstreamHeaders = Object.fromEntries(given)
  const cookies = given.getSetCookie()
  if (cookies.length > 0) headers['set-cookie'] = cookies
  if (!codingsOf(given.get('content-encoding') ?? undefined)) return headers
  delete headers['content-encoding']
  delete headers['content-length']
  return headers
}

function optionsOf({ method, headers, body, isOnce }: UpstreamRequest, signal: AbortSignal): FetchOptions {
  headers['accept-encoding'] ??= 'identity'
  return {
    method,
    headers,
    redirect: 'manual',
    signal,
    timeout: false,
    ...(body !== undefined &&
      (isContent(body) ? { body: ReadableStream.from(body.read()), duplex: 'half' } : { body })),
    // Makes Bun open a new connection.
    ...(isOnce && { keepalive: false }),
  }
}

interface RunningCall extends UpstreamCall {
  /** Resolves when the call has ended. */
  readonly done: Promise<void>
  fail(error: unknown): void
}

/**
 * Counts a request that waits for its first byte.
 * @returns a function that removes it from the count, once
 */
function counted(waiting: WaitingCount | undefined): () => void {
  let mine = waiting
  if (mine) mine.count++
  return () => {
    if (mine) mine.count--
    mine = undefined
  }
}

function startCall(request: UpstreamRequest, handler: UpstreamHandler, times: UpstreamTimes): RunningCall {
  const ending = new AbortController()
  let over = false
  let begun = false
  let sent = true
  let paused: PromiseWithResolvers<void> | undefined
  let timer: ReturnType<typeof setTimeout> | undefined
  const arrived = counted(request.waiting)
  const resume = (): void => {
    paused?.resolve()
    paused = undefined
  }
  const unpaused = (): Promise<void> | undefined => paused?.promise
  const finish = (): void => {
    over = true
    arrived()
    clearTimeout(timer)
    resume()
  }
  const abort = (): void => {
    if (over) return
    finish()
    ending.abort()
  }
  const fail = (error: unknown): void => {
    if (over) return
    abort()
    sent = begun || !UNSENT.has(codeOf(error))
    handler.fail(failure(error, begun))
  }
  const expect = (ms: number, message: string): void => {
    clearTimeout(timer)
    timer = setTimeout(() => fail(new HeadgateError('timeout', message)), ms)
  }
  /** An error of a handler ends its call, never the process. */
  const tell = (event: () => void): void => {
    try {
      event()
    } catch (error) {
      abort()
      handler.fail(asError(error))
    }
  }
  const relay = async (reader: ReadableStreamDefaultReader<Uint8Array>): Promise<void> => {
    while (!over) {
      expect(times.silence, 'The provider stopped sending data during its response.')
      const { value } = await reader.read()
      clearTimeout(timer)
      if (!value) return
      await unpaused()
      if (!over) tell(() => handler.data(Buffer.from(value.buffer, value.byteOffset, value.byteLength)))
      await unpaused()
    }
  }
  const run = async (): Promise<void> => {
    expect(request.firstByteMs ?? times.firstByte, 'The provider did not begin its response in time.')
    const response = await fetch(request.origin + request.path, optionsOf(request, ending.signal))
    if (over) return
    begun = true
    arrived()
    clearTimeout(timer)
    tell(() => handler.head(response.status, headersOf(response.headers)))
    if (response.body) await relay(response.body.getReader())
    if (over) return
    finish()
    tell(() => handler.end())
  }
  return {
    done: run().catch(fail),
    fail,
    abort,
    sent: () => sent,
    pause() {
      if (!over) paused ??= Promise.withResolvers()
    },
    resume,
  }
}

/**
 * Upstreams with the runtime's fetch API, for Bun and edge runtimes. Limits: `connect` is not applied and counts
 * towards `firstByte`; the runtime decodes bodies and decides on connection reuse; requests are never repeated here.
 */
export function createUpstreams(times: UpstreamTimes, { publicOrigins = [] }: UpstreamOrigins = {}): Upstreams {
  if (publicOrigins.length > 0)
    throw new HeadgateError('invalid-request', 'This runtime cannot limit connections to public addresses.')
  const running = new Set<RunningCall>()
  return {
    call(request, handler) {
      const call = startCall(request, handler, times)
      running.add(call)
      void call.done.then(() => running.delete(call))
      return call
    },
    // The runtime decides when it connects.
    preconnect() {},
    async close() {
      await Promise.all([...running].map(({ done }) => done))
    },
    async destroy() {
      for (const call of running) call.fail(new Error('The gateway has closed its connections.'))
    },
  }
}
