import type { Body, Content, HttpRequest } from '@headgate/core/provider'

/** Time limit of a probe in milliseconds. */
const PATIENCE = 1_000

/** Function that checks whether an upstream responds with success. */
export type Probe = (request: HttpRequest, baseUrl: string | undefined) => Promise<boolean>

/** Sends a request. A path is appended to the provider's base URL. */
export const probeUpstream: Probe = async (request, baseUrl) => {
  const url = URL.canParse(request.url) ? request.url : `${baseUrl ?? ''}${request.url}`
  const { method, body } = request
  try {
    const signal = AbortSignal.timeout(PATIENCE)
    const wire = body && wireBody(body)
    const headers = { ...(wire?.type && { 'content-type': wire.type }), ...request.headers }
    const answer = await fetch(url, { method, headers, signal, redirect: 'error', ...(wire && { body: wire.body }) })
    await answer.body?.cancel()
    return answer.ok
  } catch {
    return false
  }
}

/** Body for `fetch`, which sets the content type of forms itself. */
function wireBody(body: Body): { readonly body: NonNullable<RequestInit['body']>; readonly type?: string } {
  if ('json' in body) return { body: JSON.stringify(body.json), type: 'application/json' }
  if ('bytes' in body) return { body: partOf(body.bytes), type: body.type }
  const form = new FormData()
  for (const { name, value, filename, type = '' } of body.form) {
    if (filename === undefined && typeof value === 'string') form.append(name, value)
    else form.append(name, new Blob([partOf(value)], { type }), filename)
  }
  return { body: form }
}

/** @throws TypeError for content that is read when it is sent */
function partOf(bytes: Uint8Array | string | Content): string | Uint8Array<ArrayBuffer> {
  if (typeof bytes === 'string') return bytes
  if ('read' in bytes) throw new TypeError('A probe sends no files of callers.')
  return new Uint8Array(bytes)
}
