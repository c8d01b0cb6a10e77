import { errorReader } from '../../canonical/error-body.ts'
import type { Json } from '../../canonical/json.ts'
import { hinted } from '../../canonical/stream-failure.ts'
import type { ErrorKind, HeadgateError } from '../../errors.ts'

/**
 * Reads an error of any shape.
 * @see https://platform.claude.com/docs/en/api/errors
 * @see https://platform.claude.com/docs/en/api/rate-limits
 */
export const readError = errorReader({
  codes: [
    [/\bnot_found_error\b/, 'unknown-model'],
    [/\brequest_too_large\b/, 'context-too-long'],
    [/\bconflict_error\b/, 'upstream'],
    [/\benforced_spend_limit_reached\b/, 'our-quota'],
  ],
  phrases: [[/reached your (?:specified )?(?:workspace )?API usage limits/i, 'our-quota']],
})

const TYPES: Readonly<Record<ErrorKind, string>> = {
  'invalid-request': 'invalid_request_error',
  'context-too-long': 'invalid_request_error',
  'unknown-model': 'not_found_error',
  'content-policy': 'invalid_request_error',
  'our-credential': 'api_error',
  'our-quota': 'api_error',
  'rate-limited': 'rate_limit_error',
  overloaded: 'overloaded_error',
  upstream: 'api_error',
  timeout: 'timeout_error',
  cut: 'api_error',
  'bad-key': 'authentication_error',
  forbidden: 'permission_error',
  'not-found': 'not_found_error',
  'method-not-allowed': 'invalid_request_error',
  conflict: 'conflict_error',
  'too-large': 'request_too_large',
  'too-slow': 'timeout_error',
  'over-limit': 'rate_limit_error',
  'over-budget': 'rate_limit_error',
  unavailable: 'api_error',
  loop: 'api_error',
  canceled: 'api_error',
  internal: 'api_error',
}

/** Error body. The format has no field for the path, so the message contains it. */
export function writeError(error: HeadgateError, requestId: string): Json {
  const { param, message } = error
  const named = param === undefined || message.includes(param) ? message : `${param}: ${message}`
  return { type: 'error', error: { type: TYPES[error.kind], message: named }, request_id: requestId }
}

/** Last event of a stream for an error. */
export function writeStreamError(error: HeadgateError, requestId: string): string {
  return `event: error\ndata: ${JSON.stringify(writeError(hinted(error), requestId))}\n\n`
}
