import type { Credential, FinalRequest, HttpRequest } from '@headgate/core/contract'
import { wireBody } from './body.ts'
import { noteSecrets } from './secrets.ts'
import type { UpstreamRequest } from './upstream.ts'

export function withQuery(url: string, name: string, value: string): string {
  return `${url}${url.includes('?') ? '&' : '?'}${encodeURIComponent(name)}=${encodeURIComponent(value)}`
}

/** Headers of an adapter, by lower-case names. */
function lowered(headers: Readonly<Record<string, string>> = {}): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
}

/** A request with the bytes of its body, as a signature covers them. */
export function finalRequest(
  { method, headers, body }: HttpRequest,
  url: URL,
): FinalRequest & Pick<HttpRequest, 'method'> {
  const wire = body && wireBody(body)
  return {
    method,
    url,
    headers: { ...(wire && { 'content-type': wire.type }), ...lowered(headers) },
    body: wire?.bytes ?? '',
  }
}

/** What a signature adds. Its values are remembered, so that no error repeats them. */
export function signatureOf(
  credential: Extract<Credential, { kind: 'signed' }>,
  request: FinalRequest,
  material: unknown,
): Readonly<Record<string, string>> {
  const added = lowered(credential.sign(request, material, new Date()))
  noteSecrets(credential, 'added', Object.values(added))
  return added
}

/** The request as it goes over the wire, with headers of the credential. */
export function upstreamRequest(
  { method, url, headers, body }: FinalRequest & Pick<HttpRequest, 'method'>,
  added: Readonly<Record<string, string>>,
): UpstreamRequest {
  const bytes = body.length > 0 ? body : undefined
  return { method, origin: url.origin, path: url.pathname + url.search, headers: { ...headers, ...added }, body: bytes }
}
