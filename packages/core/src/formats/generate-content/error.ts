import { type ErrorBody, errorReader } from '../../canonical/error-body.ts'
import type { Json } from '../../canonical/json.ts'
import { arrayWriter } from '../../canonical/json-array.ts'
import type { ErrorKind, HeadgateError } from '../../errors.ts'

/**
 * Reads an error of any shape.
 * @see https://cloud.google.com/apis/design/errors#handling_errors
 */
export const readError = errorReader({
  codes: [
    [/\bapi_key_/, 'our-credential'],
    [/\bnot_found\b/, 'unknown-model'],
    [/\b(?:aborted|already_exists|cancelled|data_loss|deadline_exceeded|unimplemented|unknown)\b/, 'upstream'],
    [/\b(?:failed_precondition|invalid_argument|out_of_range)\b/, 'invalid-request'],
  ],
  phrases: [[/user location is not supported/i, 'our-credential']],
  correct,
})

const CALLERS_FILE = /\b(?:file|cached ?content)s?\b/i

/**
 * Corrects kinds: a missing file or cache is not a missing model, and an account without billing is not an invalid
 * request.
 */
function correct(kind: ErrorKind, { status, message, words }: ErrorBody): ErrorKind {
  if ((status === 403 || status === 404) && CALLERS_FILE.test(message)) return 'invalid-request'
  if (kind === 'invalid-request' && words.includes('failed_precondition') && /billing/i.test(message))
    return 'our-quota'
  return kind
}

const WORDS: Readonly<Record<ErrorKind, string>> = {
  'invalid-request': 'INVALID_ARGUMENT',
  'context-too-long': 'INVALID_ARGUMENT',
  'unknown-model': 'NOT_FOUND',
  'content-policy': 'INVALID_ARGUMENT',
  'our-credential': 'INTERNAL',
  'our-quota': 'INTERNAL',
  'rate-limited': 'RESOURCE_EXHAUSTED',
  overloaded: 'UNAVAILABLE',
  upstream: 'INTERNAL',
  timeout: 'DEADLINE_EXCEEDED',
  cut: 'INTERNAL',
  'bad-key': 'UNAUTHENTICATED',
  forbidden: 'PERMISSION_DENIED',
  'not-found': 'NOT_FOUND',
  'method-not-allowed': 'UNIMPLEMENTED',
  conflict: 'ABORTED',
  'too-large': 'INVALID_ARGUMENT',
  'too-slow': 'DEADLINE_EXCEEDED',
  'over-limit': 'RESOURCE_EXHAUSTED',
  'over-budget': 'RESOURCE_EXHAUSTED',
  unavailable: 'UNAVAILABLE',
  loop: 'FAILED_PRECONDITION',
  canceled: 'CANCELLED',
  internal: 'INTERNAL',
}

const TYPE = 'type.googleapis.com/google.rpc.'

/**
 * Error body in the vendor's shape.
 * @see https://cloud.google.com/apis/design/errors
 */
export function writeError(error: HeadgateError, requestId: string): Json {
  const details: Json[] = [{ '@type': `${TYPE}RequestInfo`, requestId }]
  if (error.param !== undefined)
    details.push({
      '@type': `${TYPE}BadRequest`,
      fieldViolations: [{ field: error.param, description: error.message }],
    })
  if (error.retryAfterMs !== undefined)
    details.push({ '@type': `${TYPE}RetryInfo`, retryDelay: `${error.retryAfterMs / 1000}s` })
  return { error: { code: error.status, message: error.message, status: WORDS[error.kind], details } }
}

/**
 * Last frame of a stream for an error.
 * @param begun true if parts of the stream are written, so that a JSON array is open.
 */
export function writeStreamError(
  error: HeadgateError,
  requestId: string,
  framing: 'sse' | 'json-array' = 'sse',
  begun = true,
): string {
  const json = JSON.stringify(writeError(error, requestId))
  if (framing === 'sse') return `data: ${json}\r\n\r\n`
  const array = arrayWriter(begun)
  return array.element(json) + array.end()
}
