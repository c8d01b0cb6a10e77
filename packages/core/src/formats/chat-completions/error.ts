import { isObject, type Json, number, parse, text } from '../../chat/json.ts'
import type { ErrorKind, HeadgateError, UpstreamError } from '../../errors.ts'

/** The longest message that is kept of an upstream's own words, in characters. */
const LONGEST = 2000

/**
 * Reads an error of whatever shape: the vendor's, a list of one, a text, a page of HTML, nothing at all. `status` 0: found
 * within a stream, where the body's own words decide.
 *
 * @see https://platform.openai.com/docs/guides/error-codes
 */
export function readError(status: number, body: unknown): UpstreamError {
  const value = unwrapped(body)
  const error = innermost(value)
  const message =
    messageOf(value).slice(0, LONGEST) ||
    (status === 0 ? 'The provider reported an error.' : `The provider answered with status ${status}.`)
  const kind = kindOf(status || statusIn(error), wordsIn(error), message)
  const retryAfterMs = retryHint(error, message)
  return retryAfterMs === undefined ? { kind, message } : { kind, message, retryAfterMs }
}

function unwrapped(body: unknown): unknown {
  const value = typeof body === 'string' ? (parse(body) ?? body) : body
  return Array.isArray(value) ? value[0] : value
}

/** The object that has code and type. */
function innermost(value: unknown): Json {
  if (!isObject(value)) return {}
  return isObject(value['error']) ? value['error'] : value
}

const MESSAGE_KEYS = ['error', 'message', 'detail', 'msg', 'error_description', 'title'] as const

function messageOf(value: unknown, depth = 0): string {
  if (typeof value === 'string') return value.trimStart().startsWith('<') ? htmlTitle(value) : value.trim()
  if (depth > 4) return ''
  if (Array.isArray(value))
    return value
      .map((item) => messageOf(item, depth + 1))
      .filter(Boolean)
      .join('; ')
  if (!isObject(value)) return ''
  for (const key of MESSAGE_KEYS) {
    const found = messageOf(value[key], depth + 1)
    if (found) return found
  }
  return ''
}

function htmlTitle(page: string): string {
  return /<title[^>]*>([^<]{1,200})/i.exec(page)?.[1]?.trim() ?? ''
}

/** Codes and types, which some servers give as numbers. */
function wordsIn(error: Json): string {
  return [error['code'], error['type'], error['status']]
    .filter((word) => typeof word === 'string')
    .join(' ')
    .toLowerCase()
}

function statusIn(error: Json): number {
  for (const key of ['code', 'status', 'status_code']) {
    const found = error[key]
    const value = typeof found === 'string' ? Number(found) : found
    if (typeof value === 'number' && Number.isInteger(value) && value >= 400 && value < 600) return value
  }
  return 0
}

/** What codes, types and messages mean, before the status is asked; the first that matches. */
const WORDS: readonly (readonly [RegExp, ErrorKind])[] = [
  [/context_length|context_window|too_many_prompt_tokens|string_above_max_length/, 'context-too-long'],
  [/insufficient_quota|billing|credits?_exhausted/, 'our-quota'],
  [/invalid_api_key|api_key_invalid|authentication|unauthenticated|permission/, 'our-credential'],
  [/model_not_found|deploymentnotfound|model_not_available/, 'unknown-model'],
  [/content_filter|content_policy|moderation|safety/, 'content-policy'],
  [/rate_?limit|resource_exhausted|too_many_requests/, 'rate-limited'],
  [/overloaded|unavailable|capacity/, 'overloaded'],
  [/server_error|internal|api_error|timeout/, 'upstream'],
]

const MESSAGES: readonly (readonly [RegExp, ErrorKind])[] = [
  [
    /context (length|window)|prompt is too long|prompt too long|maximum context|too many (input )?tokens|length of all messages is too long/i,
    'context-too-long',
  ],
  [/\bapi[ _-]?key\b.*\b(invalid|incorrect|not valid|expired)|\b(invalid|incorrect) api[ _-]?key/i, 'our-credential'],
  [/\bmodel\b.{0,120}\b(does not exist|not found|is not a valid model|not a valid model)/i, 'unknown-model'],
]

const STATUSES: Readonly<Record<number, ErrorKind>> = {
  401: 'our-credential',
  402: 'our-quota',
  403: 'our-credential',
  404: 'unknown-model',
  408: 'upstream',
  409: 'upstream',
  413: 'context-too-long',
  425: 'upstream',
  429: 'rate-limited',
  503: 'overloaded',
  529: 'overloaded',
}

/** A failure of the server is one whatever it says; of the rest the words know more than the status. */
function kindOf(status: number, words: string, message: string): ErrorKind {
  if (status >= 500) return STATUSES[status] ?? 'upstream'
  const said = WORDS.find(([pattern]) => pattern.test(words))?.[1]
  const meant = MESSAGES.find(([pattern]) => pattern.test(message))?.[1]
  if (status === 429) return said === 'our-quota' ? said : 'rate-limited'
  if (status === 400 || status === 422) return pick(said, meant) ?? 'invalid-request'
  if (status === 0) return said ?? meant ?? (/invalid_request|bad_request|invalid_argument/.test(words) ? 'invalid-request' : 'upstream')
  if (status === 403 && said === 'content-policy') return said
  return STATUSES[status] ?? 'invalid-request'
}

/** A 400 is the caller's, so words that speak of a failing server do not count there. */
function pick(said: ErrorKind | undefined, meant: ErrorKind | undefined): ErrorKind | undefined {
  if (said && said !== 'upstream') return said
  return meant
}

const UNITS: Readonly<Record<string, number>> = { h: 3_600_000, m: 60_000, s: 1000, ms: 1 }

/** How long to wait, as the body says it: a field, or the vendor's `try again in 1m2.5s`. */
function retryHint(error: Json, message: string): number | undefined {
  const seconds = number(error['retry_after'])
  if (seconds !== undefined) return Math.ceil(seconds * 1000)
  const delay = retryDelay(error['details']) ?? /(?:try again|retry) in ((?:\d+(?:\.\d+)?\s?(?:ms|h|m|s))+)/i.exec(message)?.[1]
  if (!delay) return undefined
  let total = 0
  for (const [, amount, unit] of delay.matchAll(/(\d+(?:\.\d+)?)\s?(ms|h|m|s)/g)) total += Number(amount) * (UNITS[unit ?? ''] ?? 0)
  return Math.ceil(total)
}

function retryDelay(details: unknown): string | undefined {
  if (!Array.isArray(details)) return undefined
  return details.map((item) => (isObject(item) ? text(item['retryDelay']) : undefined)).find((delay) => delay !== undefined)
}

/** `type` and `code` of our kinds; what is not named is a failure of the server's own. */
const CODES: Readonly<Partial<Record<ErrorKind, readonly [type: string, code: string | null]>>> = {
  'invalid-request': ['invalid_request_error', null],
  'content-policy': ['invalid_request_error', 'content_policy_violation'],
  'context-too-long': ['invalid_request_error', 'context_length_exceeded'],
  'unknown-model': ['invalid_request_error', 'model_not_found'],
  'rate-limited': ['rate_limit_error', 'rate_limit_exceeded'],
  'over-limit': ['rate_limit_error', 'rate_limit_exceeded'],
  overloaded: ['server_error', 'overloaded'],
  timeout: ['server_error', 'timeout'],
  'bad-key': ['invalid_request_error', 'invalid_api_key'],
  forbidden: ['invalid_request_error', 'permission_denied'],
  'not-found': ['invalid_request_error', 'not_found'],
  'method-not-allowed': ['invalid_request_error', 'method_not_allowed'],
  conflict: ['invalid_request_error', 'conflict'],
  'too-large': ['invalid_request_error', 'request_too_large'],
}

/** The id of the request travels in a header only. */
export function writeError(error: HeadgateError, _requestId: string): Json {
  const [type, code] = CODES[error.kind] ?? ['server_error', null]
  return { error: { message: error.message, type, param: error.param ?? null, code } }
}

/** No `[DONE]` follows: the vendor's clients throw on this frame. */
export function writeStreamError(error: HeadgateError, requestId: string): string {
  return `data: ${JSON.stringify(writeError(error, requestId))}\n\n`
}
