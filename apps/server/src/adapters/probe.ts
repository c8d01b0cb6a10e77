import type { HttpRequest } from '@headgate/core'

/** How long an upstream may take to show that it is there, in milliseconds. */
const PATIENCE = 1_000

/** Whether an upstream answers a request with success. */
export type Probe = (request: HttpRequest, baseUrl: string | undefined) => Promise<boolean>

/** Sends the request; a path is appended to the provider's base URL. */
export const probeUpstream: Probe = async (request, baseUrl) => {
  const url = URL.canParse(request.url) ? request.url : `${baseUrl ?? ''}${request.url}`
  const { method, headers, body } = request
  try {
    const signal = AbortSignal.timeout(PATIENCE)
    const answer = await fetch(url, { method, headers, signal, redirect: 'error', ...(body !== undefined && { body }) })
    await answer.body?.cancel()
    return answer.ok
  } catch {
    return false
  }
}
