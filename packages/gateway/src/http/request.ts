import type { Credential, HttpRequest, Upstream } from '@headgate/core/contract'
import { targetOf } from '@headgate/core/contract'
import { recordSecrets } from './secrets.ts'
import type { UpstreamRequest } from './upstream.ts'
import { isContent, sizeOf, wireBody } from './wire-body.ts'

/** Origin and path of a request. */
type RequestTarget = Pick<UpstreamRequest, 'origin' | 'path'>

/** Origins and path prefixes of base URLs, parsed once for each provider. */
const endpoints = new WeakMap<Pick<Upstream, 'baseUrl'>, RequestTarget>()

function endpointOf(upstream: Pick<Upstream, 'baseUrl'>): RequestTarget {
  let endpoint = endpoints.get(upstream)
  if (!endpoint) {
    const url = new URL(upstream.baseUrl ?? '')
    endpoint = { origin: url.origin, path: url.pathname.replace(/\/+$/, '') }
    endpoints.set(upstream, endpoint)
  }
  return endpoint
}

/**
 * Target of a path below the base URL, or of an absolute URL, which is parsed for each request.
 * @throws HeadgateError for a host that must not receive the credential
 */
export function requestTargetOf(upstream: Upstream, path: string): RequestTarget {
  if (/^https?:/.test(path)) {
    const url = targetOf(upstream, path)
    return { origin: url.origin, path: url.pathname + url.search }
  }
  const endpoint = endpointOf(upstream)
  return { origin: endpoint.origin, path: `${endpoint.path}${path}` }
}

export function withQuery(url: string, name: string, value: string): string {
  return `${url}${url.includes('?') ? '&' : '?'}${encodeURIComponent(name)}=${encodeURIComponent(value)}`
}

/** Headers by lower-case names. */
function lowered(headers: Readonly<Record<string, string>> = {}): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
}

/**
 * Serialized request of an adapter, without a credential.
 * @throws HeadgateError for a host that must not receive the credential
 */
export function wireRequest(
  upstream: Pick<Upstream, 'baseUrl' | 'hosts'>,
  { method, url, headers, body }: HttpRequest,
): UpstreamRequest {
  const target = targetOf(upstream, url)
  const wire = body && wireBody(body)
  return {
    method,
    origin: target.origin,
    path: target.pathname + target.search,
    headers: { ...(wire && { 'content-type': wire.type }), ...lowered(headers) },
    body: wire && sizeOf(wire.bytes) > 0 ? wire.bytes : undefined,
  }
}

/** Headers that a signature adds. Their values are recorded as secrets, so that no error repeats them. */
export function signatureOf(
  credential: Extract<Credential, { kind: 'signed' }>,
  { method, origin, path, headers, body = '' }: UpstreamRequest,
  material: unknown,
): Readonly<Record<string, string>> {
  const final = {
    method,
    url: new URL(`${origin}${path}`),
    headers,
    get body() {
      if (isContent(body)) throw new TypeError('A request whose body is signed needs the bytes of the body.')
      return body
    },
  }
  const added = lowered(credential.sign(final, material, new Date()))
  recordSecrets(credential, 'added', Object.values(added))
  return added
}
