import type { Credential, HttpRequest, HttpResponse, Upstream } from '@headgate/core/contract'
import { asError, HeadgateError } from '@headgate/core/errors'
import { fetchWhole, readAnswer } from './answer.ts'
import { HOPS, nextHop } from './hops.ts'
import type { Leases } from './leases.ts'
import type { MemoryLease } from './memory.ts'
import { signatureOf, wireRequest, withQuery } from './request.ts'
import type { UpstreamCall, UpstreamHandler, UpstreamHeaders, UpstreamRequest, Upstreams, Waiting } from './upstream.ts'

/** The connections to upstreams, and the leases that sign requests. */
export interface Wire {
  readonly upstreams: Upstreams
  readonly leases: Leases
}

type Signing = Extract<Credential, { kind: 'signed' }>

/** A request with its credential. */
interface Sealed {
  readonly request: UpstreamRequest
  /** Lease that signed it. */
  readonly material: unknown
}

/**
 * Adds the credential, and the number of gateways on the way, to a request whose headers nobody else uses. Waits only
 * for a lease.
 */
function seal(
  { leases }: Wire,
  { credential, isElsewhere }: Upstream,
  request: UpstreamRequest,
  hops: number,
  signal: () => AbortSignal,
): Sealed | Promise<Sealed> {
  if (isElsewhere) request.headers[HOPS] = nextHop(hops)
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

/** Whether a response says that the lease of its request is no longer valid. */
function isStale({ lease, stale }: Signing, answer: HttpResponse): boolean {
  return lease !== undefined && (stale?.(answer) ?? answer.status === 401)
}

/** A GET with its credential. Rejects with HeadgateError where it would go to a foreign host. */
export async function callSealed(
  wire: Wire,
  upstream: Upstream,
  request: HttpRequest,
  signal: AbortSignal,
  handler: UpstreamHandler,
): Promise<UpstreamCall> {
  const sealed = await seal(wire, upstream, wireRequest(upstream, request), 0, () => signal)
  return wire.upstreams.call(sealed.request, handler)
}

export interface SendOptions {
  /** Most bytes of an answer. */
  readonly limit: number
  readonly signal: AbortSignal
  /** Memory of the request that the exchange is for; absent for the gateway's own calls. */
  readonly memory?: Pick<MemoryLease, 'take'>
  /** Requests that wait for the provider's first byte. */
  readonly waiting?: Waiting | undefined
  /** Through how many gateways the caller's request came before; default 0. */
  readonly hops?: number
  /** Whether no request may come twice, see `UpstreamRequest`. */
  readonly isOnce?: boolean
  /** See `UpstreamRequest`. */
  readonly mayRepeat?: () => boolean
  /** Receives each call of the upstream as it begins. */
  onCall?(call: UpstreamCall): void
}

/** Sends one request of an adapter, and once more with a new lease if the response says that the lease is stale. */
export async function sendWhole(
  wire: Wire,
  upstream: Upstream,
  request: HttpRequest,
  { isOnce = false, mayRepeat, hops = 0, waiting, ...options }: SendOptions,
): Promise<HttpResponse> {
  const { credential } = upstream
  const unsealed: UpstreamRequest = { ...wireRequest(upstream, request), isOnce, mayRepeat, waiting }
  const fetchSealed = async (): Promise<HttpResponse & Pick<Sealed, 'material'>> => {
    const { request, material } = await seal(wire, upstream, unsealed, hops, () => options.signal)
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

/** What receives a request that is sent as events. */
export interface Sending {
  readonly hops: number
  /** Aborts when the request needs no credential any more. */
  signal(): AbortSignal
  dispatch(request: UpstreamRequest, handler: UpstreamHandler): void
}

/**
 * Sends a request whose response is handled as it comes. If the response says that the lease of its credential is
 * stale, it is sent once more with a new one. Failures go to the handler.
 */
export function sendEvents(
  wire: Wire,
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
    const sealed = seal(wire, upstream, request, sending.hops, sending.signal)
    if (sealed instanceof Promise) sealed.then((ready) => begin(ready, isFirst)).catch(failed)
    else begin(sealed, isFirst)
  }
  try {
    attempt(true)
  } catch (error) {
    failed(error)
  }
}

/** Most bytes of a response that are read to know whether a lease is stale. */
const MAX_BYTES = 65_536

/**
 * A handler that keeps failures back until they are whole: `again` is called for one that says that the lease is stale,
 * every other goes on as it came. Responses that are no failures pass at once.
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
      if (held && isStale(readAnswer(held.status, held.headers, Buffer.concat(held.chunks)))) return again()
      release()
      handler.end()
    },
    fail(error) {
      release()
      handler.fail(error)
    },
  }
}
