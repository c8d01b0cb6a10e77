import { isObject, type Json, number, parse, text } from '../../chat/json.ts'
import type { ErrorKind, HeadgateError, UpstreamError } from '../../errors.ts'

/** Most characters of an upstream's error that is no JSON. */
const LONGEST = 500

/** @see https://platform.claude.com/docs/en/api/errors */
const KINDS: Readonly<Record<string, ErrorKind>> = {
  invalid_request_error: 'invalid-request',
  authentication_error: 'our-credential',
  permission_error: 'our-credential',
  billing_error: 'our-quota',
  not_found_error: 'unknown-model',
  request_too_large: 'context-too-long',
  rate_limit_error: 'rate-limited',
  overloaded_error: 'overloaded',
}

const STATUSES: Readonly<Record<number, ErrorKind>> = {
  400: 'invalid-request',
  401: 'our-credential',
  402: 'our-quota',
  403: 'our-credential',
  404: 'unknown-model',
  413: 'context-too-long',
  422: 'invalid-request',
  429: 'rate-limited',
  503: 'overloaded',
  529: 'overloaded',
}

/** What a refused request was refused for, where its type does not say it. */
const REASONS: readonly (readonly [RegExp, ErrorKind])[] = [
  [/prompt is too long|context (?:window|length|limit)|maximum context|exceed\w* (?:the )?context/i, 'context-too-long'],
  [/credit balance|billing/i, 'our-quota'],
  [/content filter|content polic|blocked by/i, 'content-policy'],
]

/** The error that a body of whatever shape tells. */
export function readError(status: number, body: unknown): UpstreamError {
  const found = typeof body === 'string' ? (parse(body) ?? body) : body
  const value = Array.isArray(found) ? (found as unknown[])[0] : found
  const error = isObject(value) ? (value['error'] ?? value) : value
  const message =
    messageOf(error) ??
    (isObject(value) ? messageOf({ ...value, error: undefined }) : undefined) ??
    plain(error) ??
    `The upstream answered with status ${status}.`
  const kind = kindOf(status, isObject(error) ? text(error['type']) : undefined, message)
  const wait = isObject(error) ? retryAfter(error) : undefined
  return { kind, message, ...(wait !== undefined && { retryAfterMs: wait }) }
}

function kindOf(status: number, type: string | undefined, message: string): ErrorKind {
  const kind = (type !== undefined && Object.hasOwn(KINDS, type) ? KINDS[type] : undefined) ?? STATUSES[status] ?? 'upstream'
  if (kind !== 'invalid-request') return kind
  return REASONS.find(([pattern]) => pattern.test(message))?.[1] ?? kind
}

function messageOf(error: unknown): string | undefined {
  if (!isObject(error)) return undefined
  for (const key of ['message', 'detail', 'error', 'error_description']) {
    const found = error[key]
    if (typeof found === 'string' && found !== '') return found
    if (Array.isArray(found) && isObject(found[0])) return text(found[0]['msg']) ?? text(found[0]['message'])
    if (isObject(found) && typeof found['message'] === 'string') return found['message']
  }
  return undefined
}

/** Text that is no JSON; of a page its title, else its words. */
function plain(value: unknown): string | undefined {
  if (typeof value !== 'string') return undefined
  const title = /<title[^>]*>([^<]*)<\/title>/i.exec(value.slice(0, 10_000))?.[1]
  const words = (title ?? value.slice(0, 10_000).replace(/<[^>]*>/g, ' ')).replace(/\s+/g, ' ').trim()
  return words === '' ? undefined : words.slice(0, LONGEST)
}

function retryAfter(error: Json): number | undefined {
  const seconds = number(error['retry_after'])
  return seconds === undefined ? undefined : Math.round(seconds * 1000)
}

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
  'over-limit': 'rate_limit_error',
  cancelled: 'api_error',
  internal: 'api_error',
}

/** The body of an error. The format has no field for the path at fault, so the message names it. */
export function writeError(error: HeadgateError, requestId: string): Json {
  const { param, message } = error
  const named = param === undefined || message.includes(param) ? message : `${param}: ${message}`
  return { type: 'error', error: { type: TYPES[error.kind], message: named }, request_id: requestId }
}

/** The error as the last event of a stream. */
export function writeStreamError(error: HeadgateError, requestId: string): string {
  return `event: error\ndata: ${JSON.stringify(writeError(error, requestId))}\n\n`
}
