import { isObject, type Json } from '@headgate/core/canonical'
import type { ErrorKind, HeadgateError } from '@headgate/core/errors'
import { writeError } from '@headgate/core/formats'

/** Values of `reason`, which the vendor's clients read in addition to the status. */
const REASONS: Readonly<Partial<Record<ErrorKind, string>>> = {
  'invalid-request': 'badRequest',
  'bad-key': 'authError',
  forbidden: 'forbidden',
  'not-found': 'notFound',
  'method-not-allowed': 'httpMethodNotAllowed',
  'rate-limited': 'rateLimitExceeded',
  'over-limit': 'rateLimitExceeded',
  'over-budget': 'quotaExceeded',
}

/**
 * An error in the shape of the Custom Search JSON API: Google's common error shape, with a list for older clients.
 * @see https://developers.google.com/custom-search/v1/reference/rest/v1/cse/list
 */
export function writeSearchError(error: HeadgateError, requestId: string): Json {
  const body = writeError(error, requestId)
  const inner = isObject(body['error']) ? body['error'] : {}
  const one = {
    message: error.message,
    domain: 'global',
    reason: REASONS[error.kind] ?? 'backendError',
    ...(error.param !== undefined && { location: error.param, locationType: 'parameter' }),
  }
  return { error: { ...inner, errors: [one] } }
}
