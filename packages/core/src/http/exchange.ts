import { parse } from '../canonical/json.ts'
import { HeadgateError } from '../errors.ts'
import type { Credential, Exchange, HttpRequest, HttpResponse, Provider } from '../contract/provider.ts'
import { noteSigned } from './secrets.ts'
import type { UpstreamCall, UpstreamHeaders, UpstreamRequest, Upstreams } from './upstream.ts'

/** Most requests of one exchange: a reader that asks on and on would never end. */
const MAX_STEPS = 50

/** Headers with single values, names in lower case as undici gives them. */
export function plainHeaders(headers: UpstreamHeaders): Record<string, string> {
  const plain: Record<string, string> = {}
  for (const name in headers) {
    const value = headers[name]
    if (value !== undefined) plain[name] = typeof value === 'string' ? value : value.join(', ')
  }
  return plain
}

/** The whole answer as readers see it. */
export function readAnswer(status: number, headers: UpstreamHeaders, bytes: Buffer): HttpResponse {
  const text = bytes.toString('utf8')
  // A byte order mark is no part of what is said.
  const source = text.charCodeAt(0) === 0xfeff ? text.slice(1) : text
  const body = parse(source)
  return { status, headers: plainHeaders(headers), body: body === undefined ? source : body, bytes }
}

/** The request under the provider's base URL with its credential; `sign` runs last. */
export async function authorize(
  baseUrl: string | undefined,
  credential: Credential,
  request: HttpRequest,
  options: { signal: AbortSignal; refresh: boolean },
): Promise<UpstreamRequest> {
  let ready: HttpRequest = { ...request, url: absolute(baseUrl, request.url) }
  if (credential.kind === 'header') ready = { ...ready, headers: { ...ready.headers, [credential.name]: credential.value } }
  if (credential.kind === 'query') ready = { ...ready, url: withQuery(ready.url, credential.name, credential.value) }
  if (credential.kind === 'sign') {
    const signed = await credential.sign(ready, options)
    noteSigned(credential, ready, signed)
    ready = signed
  }
  const url = new URL(ready.url)
  return { method: ready.method, origin: url.origin, path: url.pathname + url.search, headers: { ...ready.headers }, body: ready.body }
}

/** A path of an adapter as a whole URL. */
export function absolute(baseUrl: string | undefined, url: string): string {
  if (/^https?:\/\//.test(url)) return url
  return `${(baseUrl ?? '').replace(/\/+$/, '')}${url}`
}

export function withQuery(url: string, name: string, value: string): string {
  return `${url}${url.includes('?') ? '&' : '?'}${encodeURIComponent(name)}=${encodeURIComponent(value)}`
}

/** Why a signal aborted, as an error. */
function reasonOf(reason: unknown): HeadgateError {
  if (HeadgateError.is(reason)) return reason
  if (reason instanceof Error && reason.name === 'TimeoutError') return new HeadgateError('timeout', 'The provider did not answer in time.')
  return new HeadgateError('cancelled', 'The request was cancelled.')
}

/** Sends a request and reads its answer whole. Rejects with HeadgateError on transport failures, never because of a status. */
export function fetchWhole(
  upstreams: Upstreams,
  request: UpstreamRequest,
  options: { limit: number; signal?: AbortSignal | undefined },
): Promise<HttpResponse> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
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
      },
      data(chunk) {
        size += chunk.length
        chunks.push(chunk)
        if (size <= options.limit) return
        call?.abort()
        finish(() => reject(new HeadgateError('upstream', `The provider's answer is larger than ${options.limit} bytes.`)))
      },
      end: () => finish(() => resolve(readAnswer(status, headers, Buffer.concat(chunks)))),
      fail: (error) => finish(() => reject(error)),
    })
  })
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

/** Runs an adapter's exchange to its end, over as many requests as it asks for. `check` throws when an answer is a failure. */
export async function runExchange<In, Out>(
  upstreams: Upstreams,
  provider: Pick<Provider, 'baseUrl' | 'credential'>,
  exchange: Exchange<In, Out>,
  input: In,
  options: { limit: number; signal: AbortSignal; check: (answer: HttpResponse) => void },
): Promise<Out> {
  const earlier: HttpResponse[] = []
  let next = exchange.request(input)
  for (let step = 0; step < MAX_STEPS; step++) {
    const send = async (refresh: boolean): Promise<HttpResponse> =>
      fetchWhole(upstreams, await authorize(provider.baseUrl, provider.credential, next, { signal: options.signal, refresh }), options)
    let answer = await send(false)
    if (answer.status === 401 && provider.credential.kind === 'sign') answer = await send(true)
    options.check(answer)
    const out = readOrFail(() => exchange.response(answer, input, earlier))
    if (typeof out !== 'object' || out === null || !('then' in out) || typeof out.then === 'function') return out as Out
    earlier.push(answer)
    next = (out as { then: HttpRequest }).then
  }
  throw new HeadgateError('upstream', `The provider asked for more than ${MAX_STEPS} requests in one exchange.`)
}
