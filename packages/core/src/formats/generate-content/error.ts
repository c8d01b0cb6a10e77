import { isObject, type Json, number, objects, text } from '../../chat/json.ts'
import type { ErrorKind, HeadgateError, UpstreamError } from '../../errors.ts'

/**
 * HTTP statuses of the vendor's words.
 * @see https://cloud.google.com/apis/design/errors#handling_errors
 */
const STATUS: Readonly<Record<string, number>> = {
  INVALID_ARGUMENT: 400,
  FAILED_PRECONDITION: 400,
  OUT_OF_RANGE: 400,
  UNAUTHENTICATED: 401,
  PERMISSION_DENIED: 403,
  NOT_FOUND: 404,
  ALREADY_EXISTS: 409,
  ABORTED: 409,
  RESOURCE_EXHAUSTED: 429,
  CANCELLED: 499,
  INTERNAL: 500,
  UNKNOWN: 500,
  DATA_LOSS: 500,
  UNIMPLEMENTED: 501,
  UNAVAILABLE: 503,
  DEADLINE_EXCEEDED: 504,
}

/** Longest text that is quoted of a body that is no JSON, in characters. */
const MAX_QUOTE = 500

/** What an error body says, of whatever shape it is; `status` 0 means: found within a stream. */
export function readError(status: number, body: unknown): UpstreamError {
  const error = errorOf(body)
  const code = status >= 400 ? status : codeOf(error)
  const message = messageOf(error, body, code)
  const retryAfterMs = retryOf(error, message)
  const kind = kindOf(code, message, error)
  return retryAfterMs === undefined ? { kind, message } : { kind, message, retryAfterMs }
}

/** The error object; the vendor sends it within a list when it was about to stream one. */
function errorOf(body: unknown): Json {
  const first: unknown = Array.isArray(body) ? body[0] : body
  if (!isObject(first)) return {}
  return isObject(first['error']) ? first['error'] : first
}

function codeOf(error: Json): number {
  const code = Number(error['code'])
  if (code >= 400 && code < 600) return code
  return STATUS[text(error['status']) ?? ''] ?? 500
}

function messageOf(error: Json, body: unknown, code: number): string {
  const words = [error['message'], error['error'], error['detail'], body].map(text).find((word) => word !== undefined && word.trim() !== '')
  if (words === undefined) return `The upstream answered ${code} without a message.`
  if (/^\s*</.test(words)) return `The upstream answered ${code} with a page in place of an error.`
  return words.trim().slice(0, isObject(body) || Array.isArray(body) ? undefined : MAX_QUOTE)
}

const BAD_KEY = /API_KEY_|api key (?:not valid|expired|not found)|User location is not supported/i
const TOO_LONG = /token count .*exceeds|exceeds the maximum number of (?:input )?tokens|input (?:is )?too long|context (?:length|window)/i
const BILLING = /billing/i
const CALLERS_FILE = /\b(?:file|cached ?content)s?\b/i

function kindOf(code: number, message: string, error: Json): ErrorKind {
  const reason = objects(error['details'])
    .map((detail) => text(detail['reason']) ?? '')
    .join(' ')
  switch (code) {
    case 400:
      if (BAD_KEY.test(`${reason} ${message}`)) return 'our-credential'
      if (error['status'] === 'FAILED_PRECONDITION' && BILLING.test(message)) return 'our-quota'
      return TOO_LONG.test(message) ? 'context-too-long' : 'invalid-request'
    case 422:
      return 'invalid-request'
    case 401:
      return 'our-credential'
    case 403:
      return CALLERS_FILE.test(message) ? 'invalid-request' : 'our-credential'
    case 402:
      return 'our-quota'
    case 404:
      return CALLERS_FILE.test(message) ? 'invalid-request' : 'unknown-model'
    case 413:
      return 'context-too-long'
    case 429:
      return 'rate-limited'
    case 503:
    case 529:
      return 'overloaded'
  }
  return code >= 500 || code === 408 || code === 409 || code === 425 || code === 499 ? 'upstream' : 'invalid-request'
}

/** `47s`, `1.5s`, or the duration as an object. */
function retryOf(error: Json, message: string): number | undefined {
  const info = objects(error['details']).find((detail) => detail['retryDelay'] !== undefined)?.['retryDelay']
  const said = /retry in ([0-9.]+)s/i.exec(message)?.[1]
  const seconds = isObject(info)
    ? Number(info['seconds'] ?? 0) + (number(info['nanos']) ?? 0) / 1e9
    : Number.parseFloat(text(info) ?? said ?? '')
  return Number.isFinite(seconds) && seconds >= 0 ? Math.ceil(seconds * 1000) : undefined
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
  'over-limit': 'RESOURCE_EXHAUSTED',
  cancelled: 'CANCELLED',
  internal: 'INTERNAL',
}

const TYPE = 'type.googleapis.com/google.rpc.'

/**
 * An error body in the vendor's shape.
 * @see https://cloud.google.com/apis/design/errors
 */
export function writeError(error: HeadgateError, requestId: string): Json {
  const details: Json[] = [{ '@type': `${TYPE}RequestInfo`, requestId }]
  if (error.param !== undefined)
    details.push({ '@type': `${TYPE}BadRequest`, fieldViolations: [{ field: error.param, description: error.message }] })
  if (error.retryAfterMs !== undefined) details.push({ '@type': `${TYPE}RetryInfo`, retryDelay: `${error.retryAfterMs / 1000}s` })
  return { error: { code: error.status, message: error.message, status: WORDS[error.kind], details } }
}

/** The error as the last frame of a stream; a JSON array has at least one element before it. */
export function writeStreamError(error: HeadgateError, requestId: string, framing: 'sse' | 'json-array' = 'sse'): string {
  const json = JSON.stringify(writeError(error, requestId))
  return framing === 'sse' ? `data: ${json}\r\n\r\n` : `\n,\r\n${json}\n]`
}
