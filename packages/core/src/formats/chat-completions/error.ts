import { errorReader } from '../../canonical/error-body.ts'
import type { Json } from '../../canonical/json.ts'
import { hinted } from '../../canonical/stream-failure.ts'
import type { ErrorKind, HeadgateError } from '../../errors.ts'

/**
 * Reads an error of any shape. Servers that imitate the vendor share its codes.
 * @see https://platform.openai.com/docs/guides/error-codes
 */
export const readError = errorReader({ codes: [] })

/** `type` and `code` by kind. Other kinds are server errors. */
const CODES: Readonly<Partial<Record<ErrorKind, readonly [type: string, code: string | null]>>> = {
  'invalid-request': ['invalid_request_error', null],
  'content-policy': ['invalid_request_error', 'content_policy_violation'],
  'context-too-long': ['invalid_request_error', 'context_length_exceeded'],
  'unknown-model': ['invalid_request_error', 'model_not_found'],
  'rate-limited': ['rate_limit_error', 'rate_limit_exceeded'],
  'over-limit': ['rate_limit_error', 'rate_limit_exceeded'],
  'over-budget': ['insufficient_quota', 'insufficient_quota'],
  overloaded: ['server_error', 'overloaded'],
  unavailable: ['server_error', 'unavailable'],
  loop: ['server_error', 'loop_detected'],
  timeout: ['server_error', 'timeout'],
  'bad-key': ['invalid_request_error', 'invalid_api_key'],
  forbidden: ['invalid_request_error', 'permission_denied'],
  'not-found': ['invalid_request_error', 'not_found'],
  'method-not-allowed': ['invalid_request_error', 'method_not_allowed'],
  conflict: ['invalid_request_error', 'conflict'],
  'too-large': ['invalid_request_error', 'request_too_large'],
  'too-slow': ['invalid_request_error', 'request_timeout'],
}

/** Body for an error. The request id is only in a header. */
export function writeError(error: HeadgateError, _requestId: string): Json {
  const [type, code] = CODES[error.kind] ?? ['server_error', null]
  return { error: { message: error.message, type, param: error.param ?? null, code } }
}

/** Error frame of a stream. No `[DONE]` follows, since the vendor's clients throw on this frame. */
export function writeStreamError(error: HeadgateError, requestId: string): string {
  return `data: ${JSON.stringify(writeError(hinted(error), requestId))}\n\n`
}
