import { callPlayground, type ModelCall } from '../../../api/playground.ts'
import { UserError } from '../../../api/problem.ts'

export {
  callPlayground as call,
  isRecord,
  listOf,
  type ModelCall,
  messageOf,
  parsed,
  textOf,
} from '../../../api/playground.ts'

/** Maximum length of a response, in characters. */
const MAX_RESPONSE = 32_000_000
/** Maximum length of the raw response that is kept, in characters. */
const MAX_RAW = 128_000

/** Request with its complete response. */
export interface CompletedCall {
  readonly requestId: string
  readonly provider: string
  readonly lost: string
  readonly sent: string
  readonly received: string
  readonly ms: number
  readonly answer: unknown
}

/** Sends a request and reads the complete response. @throws ApiProblem */
export async function completeCall(request: ModelCall & { readonly body?: string }): Promise<CompletedCall> {
  const begun = performance.now()
  const response = await callPlayground(request)
  const text = await response.text()
  if (text.length > MAX_RESPONSE) throw new UserError('The response is too long to display.')
  const header = (name: string): string => response.headers.get(name) ?? ''
  const query = new URLSearchParams(request.query).toString()
  return {
    requestId: header('x-request-id'),
    provider: header('headgate-vendor'),
    lost: header('headgate-lost'),
    sent: request.body ?? `${request.method} /${request.path}${query === '' ? '' : `?${query}`}`,
    received: text.slice(0, MAX_RAW),
    ms: performance.now() - begun,
    answer: text === '' ? undefined : JSON.parse(text),
  }
}
