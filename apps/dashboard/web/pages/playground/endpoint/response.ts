import { callPlayground, parsed } from '../../../api/playground.ts'
import { UserError } from '../../../api/problem.ts'
import { bodyOf, type EndpointRequest, sentText } from './request.ts'

/** Maximum size of a response, in bytes. */
const MAX_BYTES = 256_000_000
/** Maximum length of the raw response that is kept, in characters. */
const MAX_RAW = 128_000

/** Response of an endpoint, with its request. */
export interface EndpointResponse {
  readonly request: EndpointRequest
  readonly requestId: string
  readonly provider: string
  readonly lost: string
  readonly sent: string
  readonly received: string
  /** Milliseconds until the response was complete. */
  readonly ms: number
  /** Content type without parameters: `audio/mpeg`. */
  readonly type: string
  readonly body: Blob
  /** Text of the body; empty for sound. */
  readonly text: string
  /** Parsed JSON; undefined for other types. */
  readonly answer: unknown
}

/** Sends a request and reads the complete response. @throws ApiProblem */
export async function callEndpoint(
  request: EndpointRequest,
  { project, signal }: { readonly project: string | undefined; readonly signal: AbortSignal },
): Promise<EndpointResponse> {
  const begun = performance.now()
  const path = `v1/${request.path}`
  const response = await callPlayground({ method: 'POST', path, body: bodyOf(request), project, signal })
  const body = await response.blob()
  if (body.size > MAX_BYTES) throw new UserError('The response is too large to display.')
  const header = (name: string): string => response.headers.get(name) ?? ''
  const [type = ''] = header('content-type').split(';')
  const isText = type === 'application/json' || type.startsWith('text/')
  const text = isText ? await body.text() : ''
  return {
    request,
    requestId: header('x-request-id'),
    provider: header('headgate-vendor'),
    lost: header('headgate-lost'),
    sent: sentText(request),
    received: isText ? text.slice(0, MAX_RAW) : `${type}, ${body.size} bytes`,
    ms: performance.now() - begun,
    type: type.trim(),
    body,
    text,
    answer: type === 'application/json' ? parsed(text) : undefined,
  }
}
