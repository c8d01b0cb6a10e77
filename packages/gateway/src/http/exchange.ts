import type { HttpRequest, HttpResponse, Upstream } from '@headgate/core/contract'
import { type Call, type Exchange, isNext, type Next, targetOf } from '@headgate/core/contract'
import { HeadgateError } from '@headgate/core/errors'
import { fetchWhole } from './answer.ts'
import { HOPS, nextHop } from './hops.ts'
import type { Leases } from './leases.ts'
import type { MemoryLease } from './memory.ts'
import { finalRequest, signatureOf, upstreamRequest, withQuery } from './request.ts'
import type { UpstreamCall, UpstreamRequest, Upstreams, Waiting } from './upstream.ts'

/** Most requests of one exchange: a reader that asks on and on would never end. */
const MAX_STEPS = 50
/** The longest wait before one of them, in milliseconds. */
const LONGEST_WAIT_MS = 60_000

/** The connections to upstreams, and what is leased to sign what goes over them. */
export interface Wire {
  readonly upstreams: Upstreams
  readonly leases: Leases
}

export interface ExchangeOptions {
  /** Most bytes of an answer. */
  readonly limit: number
  readonly signal: AbortSignal
  /** Memory of the request that the exchange is for; absent for the gateway's own calls. */
  readonly memory?: Pick<MemoryLease, 'take'>
  /** Requests that wait for the provider's first byte. */
  readonly waiting?: Waiting | undefined
  /** Through how many gateways the caller's request came before; default 0. */
  readonly hops?: number
  /** Throws when an answer is a failure. */
  check(answer: HttpResponse): void
  /** Whether no request may come twice, see `UpstreamRequest`. */
  readonly isOnce?: boolean
  /** See `UpstreamRequest`. */
  readonly mayRepeat?: () => boolean
  /** Told of each call of the upstream as it begins. */
  onCall?(call: UpstreamCall): void
  readonly call: Call
}

/** A call that is about no model, and that nobody asked for. Its losses nobody hears of. */
export const NO_CALL: Call = { model: '', stream: false, headers: {}, lose: () => {} }

/** A request of an adapter as it goes out, with the credential; `renew` obtains anew what was leased. */
interface Sealed {
  readonly request: UpstreamRequest
  /** Whether an answer says that what was leased is no longer taken. */
  isStale(answer: Pick<HttpResponse, 'status' | 'headers' | 'body' | 'bytes'>): boolean
  renew(): Promise<Sealed>
}

/** Adds the credential to a request. @throws HeadgateError where it would go to a foreign host. */
export async function sealed(
  { leases }: Wire,
  upstream: Upstream,
  request: HttpRequest,
  signal: AbortSignal,
  hops = 0,
): Promise<Sealed> {
  const { credential } = upstream
  const url = targetOf(upstream, request.url)
  if (credential.kind === 'query') url.search = withQuery(url.search, credential.name, credential.value)
  const counted = upstream.isElsewhere
    ? { ...request, headers: { ...request.headers, [HOPS]: nextHop(hops) } }
    : request
  const final = finalRequest(counted, url)
  if (credential.kind !== 'signed') {
    const added = credential.kind === 'header' ? { [credential.name.toLowerCase()]: credential.value } : {}
    const one: Sealed = { request: upstreamRequest(final, added), isStale: () => false, renew: async () => one }
    return one
  }
  const seal = async (): Promise<Sealed> => {
    const material = await leases.material(credential, () => signal)
    return {
      request: upstreamRequest(final, signatureOf(credential, final, material)),
      isStale: (answer) => credential.lease !== undefined && (credential.stale?.(answer) ?? answer.status === 401),
      renew() {
        leases.drop(credential, material)
        return seal()
      },
    }
  }
  return seal()
}

/**
 * Sends one request of an adapter. What is leased is obtained anew, once, where the answer says that it is no longer
 * taken.
 */
export async function send(
  wire: Wire,
  upstream: Upstream,
  request: HttpRequest,
  { isOnce = false, mayRepeat, hops, waiting, ...options }: Omit<ExchangeOptions, 'call' | 'check'>,
): Promise<HttpResponse> {
  const fetch = ({ request }: Sealed) => fetchWhole(wire.upstreams, { ...request, isOnce, mayRepeat, waiting }, options)
  const first = await sealed(wire, upstream, request, options.signal, hops)
  const answer = await fetch(first)
  if (!first.isStale(answer)) return answer
  return fetch(await first.renew())
}

/** What an adapter's reader throws means that the answer is not what the vendor documents. */
function readOrFail<T>(read: () => T): T {
  try {
    return read()
  } catch (cause) {
    if (HeadgateError.is(cause)) throw cause
    throw new HeadgateError('upstream', 'The provider answered in an unexpected form.', { cause })
  }
}

function wait(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = (): void => {
      clearTimeout(timer)
      reject(signal.reason as Error)
    }
    const timer = setTimeout(
      () => {
        signal.removeEventListener('abort', stop)
        resolve()
      },
      Math.min(Math.max(0, ms), LONGEST_WAIT_MS),
    )
    signal.addEventListener('abort', stop, { once: true })
  })
}

/** Runs an adapter's exchange to its end, over as many requests as it asks for. */
export function runExchange<In, Out>(
  wire: Wire,
  upstream: Upstream,
  exchange: Exchange<In, Out>,
  input: In,
  { call, check, ...options }: ExchangeOptions,
): Promise<Out> {
  const checkUnread = (answer: HttpResponse): void => {
    if (answer.status < 400 || exchange.reads?.(answer) !== true) check(answer)
  }
  return finishExchange(
    wire,
    upstream,
    exchange.request(input, call),
    (answer, earlier) => exchange.response(answer, input, earlier),
    {
      ...options,
      check: checkUnread,
    },
  )
}

/** Runs an exchange whose first request is there, or one that follows a first request, to its end. */
export async function finishExchange<Out>(
  wire: Wire,
  upstream: Upstream,
  first: HttpRequest | Next,
  read: (answer: HttpResponse, earlier: readonly HttpResponse[]) => Out | Next,
  { check, ...options }: Omit<ExchangeOptions, 'call'>,
): Promise<Out> {
  const earlier: HttpResponse[] = []
  const isBegun = isNext(first)
  let request = isBegun ? first.request : first
  if (isBegun && first.afterMs > 0) await wait(first.afterMs, options.signal)
  for (let step = isBegun ? 1 : 0; step < MAX_STEPS; step++) {
    const answer = await send(wire, upstream, request, options)
    check(answer)
    const out = readOrFail(() => read(answer, earlier))
    if (!isNext(out)) return out
    earlier.push(answer)
    if (out.afterMs > 0) await wait(out.afterMs, options.signal)
    request = out.request
  }
  throw new HeadgateError('upstream', `The provider asked for more than ${MAX_STEPS} requests in one exchange.`)
}
