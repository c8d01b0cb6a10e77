import type { Credential, HttpRequest, HttpResponse, Upstream } from '@headgate/core/contract'
import { asError, HeadgateError } from '@headgate/core/errors'
import { HOPS, nextHop } from './hops.ts'
import type { Leases } from './leases.ts'
import { localAnswer } from './local-answer.ts'
import type { MemoryLease } from './memory.ts'
import { signatureOf, wireRequest, withQuery } from './request.ts'
import type {
  UpstreamCall,
  UpstreamHandler,
  UpstreamHeaders,
  UpstreamRequest,
  Upstreams,
  WaitingCount,
} from './upstream.ts'
import { fetchWhole, type ResponseReceiver, readWholeResponse } from './whole-response.ts'

/** Connections to upstreams, and leases for signatures. */
export interface UpstreamAccess {
  readonly upstreams: Upstreams
  readonly leases: Leases
}

type Signing = Extract<Credential, { kind: 'signed' }>

/** Trace context of a call, as headers. */
export interface CallTraceHeaders {
  readonly traceparent: string
  readonly tracestate?: string
}

/** Origin of a call: the request of a caller. */
interface CallOrigin {
  /** Number of gateways that the caller's request has passed before. */
  readonly hops: number
  /** Trace context that the upstream gets; undefined = none. */
  readonly trace?: CallTraceHeaders | undefined
}

/** A request with its credential. */
interface Sealed {
  readonly request: UpstreamRequest
  /** Lease that signed the request. */
  readonly material: unknown
}

/**
 * Adds the credential, the trace context and the number of gateways to a request. The headers are changed in place.
 * Waits only for a lease.
 */
function seal(
  { leases }: UpstreamAccess,
  { credential, mayLoop }: Upstream,
  request: UpstreamRequest,
  { hops, trace }: CallOrigin,
  signal: () => AbortSignal,
): Sealed | Promise<Sealed> {
  if (mayLoop) request.headers[HOPS] = nextHop(hops)
  if (trace) Object.assign(request.headers, trace)
  if (credential.kind === 'signed') return sign(leases, credential, request, signal)
  if (credential.kind === 'header') request.headers[credential.name.toLowerCase()] = credential.value
  if (credential.kind !== 'query') return { request, material: undefined }
  const path = withQuery(request.path, credential.name, credential.value)
  return { request: { ...request, path }, material: undefined }
}

function sign(
  leases: Leases,
  credential: Signing,
  request: UpstreamRequest,
  signal: () => AbortSignal,
): Sealed | Promise<Sealed> {
  const signed = (material: unknown): Sealed => ({
    request: { ...request, headers: { ...request.headers, ...signatureOf(credential, request, material) } },
    material,
  })
  const material = leases.material(credential, signal)
  return material instanceof Promise ? material.then(signed) : signed(material)
}

/** True if a response means that the lease of its request is no longer valid. */
function isStale({ lease, stale }: Signing, answer: HttpResponse): boolean {
  return lease !== undefined && (stale?.(answer) ?? answer.status === 401)
}

/** Sends a GET with its credential. Rejects with HeadgateError if the target is a foreign host. */
export async function callSealed(
  wire: UpstreamAccess,
  upstream: Upstream,
  request: HttpRequest,
  signal: AbortSignal,
  handler: UpstreamHandler,
): Promise<UpstreamCall> {
  const sealed = await seal(wire, upstream, wireRequest(upstream, request), { hops: 0 }, () => signal)
  return wire.upstreams.call(sealed.request, handler)
}

export interface SendOptions {
  /** Maximum bytes of a response. */
  readonly limit: number
  readonly signal: AbortSignal
  /** Memory of the request that the exchange belongs to; absent for the gateway's own calls. */
  readonly memory?: Pick<MemoryLease, 'take'>
  /** Counter of the requests that wait for the provider's first byte. */
  readonly waiting?: WaitingCount | undefined
  /** Number of gateways that the caller's request has passed before; default 0. */
  readonly hops?: number
  /** Trace context that the upstream gets; default: none. */
  readonly trace?: CallTraceHeaders | undefined
  /** See `UpstreamRequest`. */
  readonly firstByteMs?: number | undefined
  /** See `UpstreamRequest`. */
  readonly isOnce?: boolean
  /** See `UpstreamRequest`. */
  readonly mayRepeat?: () => boolean
  /** Receives each call of the upstream at its start. */
  onCall?(call: UpstreamCall): void
  /** Receiver of the bytes of a response with that status; undefined = memory, up to `limit`. Called for each call. */
  receive?(status: number): ResponseReceiver | undefined
}

/**
 * Sends one request of an adapter. If the response means that the lease is stale, sends it once more with a new lease.
 */
export async function sendWhole(
  wire: UpstreamAccess,
  upstream: Upstream,
  request: HttpRequest,
  { isOnce = false, mayRepeat, hops = 0, trace, waiting, firstByteMs, ...options }: SendOptions,
): Promise<HttpResponse> {
  if (upstream.answer) {
    const { type, bytes } = await localAnswer(upstream, request, options)
    return readWholeResponse(200, { 'content-type': type }, Buffer.from(bytes))
  }
  const { credential } = upstream
  const unsealed: UpstreamRequest = { ...wireRequest(upstream, request), isOnce, mayRepeat, waiting, firstByteMs }
  const fetchSealed = async (): Promise<HttpResponse & Pick<Sealed, 'material'>> => {
    const { request, material } = await seal(wire, upstream, unsealed, { hops, trace }, () => options.signal)
    return Object.assign(await fetchWhole(wire.upstreams, request, options), { material })
  }
  const answer = await fetchSealed()
  if (credential.kind !== 'signed' || !isStale(credential, answer)) return answer
  wire.leases.drop(credential, answer.material)
  return fetchSealed()
}

/** Failure of a credential, after which another provider may still serve the request. */
function unobtained(error: unknown): HeadgateError {
  return HeadgateError.is(error)
    ? error
    : new HeadgateError('our-credential', 'The request could not be signed.', { cause: error })
}

/** Destination of a request with a streamed response. */
export interface Sending extends CallOrigin {
  /** Aborts when the request no longer needs a credential. */
  signal(): AbortSignal
  dispatch(request: UpstreamRequest, handler: UpstreamHandler): void
}

/**
 * Sends a request and passes its response to the handler as it arrives. If the response means that the lease is stale,
 * sends the request once more with a new lease. Failures go to the handler.
 */
export function sendEvents(
  wire: UpstreamAccess,
  upstream: Upstream,
  request: UpstreamRequest,
  sending: Sending,
  handler: UpstreamHandler,
): void {
  const { credential } = upstream
  const begin = (sealed: Sealed, isFirst: boolean): void => {
    if (!isFirst || credential.kind !== 'signed' || !credential.lease) {
      sending.dispatch(sealed.request, handler)
      return
    }
    const again = (): void => {
      wire.leases.drop(credential, sealed.material)
      attempt(false)
    }
    sending.dispatch(
      sealed.request,
      unlessStale(handler, (answer) => isStale(credential, answer), again),
    )
  }
  const failed = (error: unknown): void =>
    handler.fail(credential.kind === 'signed' ? unobtained(error) : asError(error))
  const attempt = (isFirst: boolean): void => {
    const sealed = seal(wire, upstream, request, sending, sending.signal)
    if (sealed instanceof Promise) sealed.then((ready) => begin(ready, isFirst)).catch(failed)
    else begin(sealed, isFirst)
  }
  try {
    attempt(true)
  } catch (error) {
    failed(error)
  }
}

/** Maximum bytes of a response that are read to detect a stale lease. */
const MAX_BYTES = 65_536

/**
 * Handler that buffers failures until they are complete: if one means that the lease is stale, `again` is called;
 * otherwise it is passed on unchanged. Successful responses are passed on immediately.
 */
function unlessStale(
  handler: UpstreamHandler,
  isStale: (answer: HttpResponse) => boolean,
  again: () => void,
): UpstreamHandler {
  let held: { status: number; headers: UpstreamHeaders; chunks: Buffer[]; size: number } | undefined
  const release = (): void => {
    if (!held) return
    const { status, headers, chunks } = held
    held = undefined
    handler.head(status, headers)
    for (const chunk of chunks) handler.data(chunk)
  }
  return {
    head(status, headers) {
      if (status < 400) handler.head(status, headers)
      else held = { status, headers, chunks: [], size: 0 }
    },
    data(chunk) {
      if (!held) return handler.data(chunk)
      held.chunks.push(chunk)
      held.size += chunk.length
      if (held.size > MAX_BYTES) release()
    },
    end() {
      if (held && isStale(readWholeResponse(held.status, held.headers, Buffer.concat(held.chunks)))) return again()
      release()
      handler.end()
    },
    fail(error) {
      release()
      handler.fail(error)
    },
  }
}
