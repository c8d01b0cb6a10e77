import { type ErrorKind, errorCode, type UpstreamError } from '../errors.ts'
import { isObject, type Json, number, object, objects, parse, text } from './json.ts'

/** Parsed error body of any shape. */
export interface ErrorBody {
  /** HTTP status of the response, else the status in the body; 0 if neither exists. */
  readonly status: number
  /** The upstream's message, or a default. */
  readonly message: string
  /** Codes, types and reasons, in lower case. */
  readonly words: string
}

/** Error kinds by patterns of codes or messages. The first match is used. */
export type ErrorWords = readonly (readonly [RegExp, ErrorKind])[]

/** Errors that are specific to a vendor. */
export interface VendorErrors {
  /** Codes and types, in lower case. */
  readonly codes: ErrorWords
  /** Phrases, for rejected requests without a code. */
  readonly phrases?: ErrorWords
  /** Corrects the kind that follows from the status. */
  readonly correct?: (kind: ErrorKind, body: ErrorBody) => ErrorKind
}

/**
 * Creates a reader of error bodies in the vendor's shape and others: a list with one error, plain text, HTML, a numeric
 * code, or an empty body. A `status` below 400 is for errors in a stream or in a successful response, which their body
 * classifies.
 * @example const readError = errorReader({ codes: [[/quota_exceeded/, 'our-quota']] })
 */
export function errorReader(vendor: VendorErrors): (status: number, body: unknown) => UpstreamError {
  const codes = [...vendor.codes, ...CODES]
  const phrases = [...(vendor.phrases ?? []), ...PHRASES]
  return (status, source) => {
    const value = unwrapped(source)
    const whole = object(value) ?? {}
    const error = object(whole['error']) ?? firstOf(whole) ?? whole
    const message = upTo(messageOf(value), LONGEST) || unsaid(status)
    const start = message.slice(0, TELLING)
    const body: ErrorBody = {
      status: status >= 400 ? status : statusIn(error) || statusIn(whole),
      message,
      words: wordsIn(error),
    }
    const kind = kindOf(body, first(codes, body.words), first(phrases, start))
    const retryAfterMs = retryHint(error, start)
    const read = { kind: vendor.correct?.(kind, body) ?? kind, message }
    return retryAfterMs === undefined ? read : { ...read, retryAfterMs }
  }
}

/** Code or type in an error body of any shape, in the vendor's spelling. */
export function codeIn(source: unknown): string | undefined {
  const whole = object(unwrapped(source)) ?? {}
  const error = object(whole['error']) ?? object(object(whole['response'])?.['error']) ?? firstOf(whole) ?? whole
  return errorCode(error['code']) ?? errorCode(error['type']) ?? errorCode(error['status'])
}

/** Maximum characters of an upstream's message. It is cut again after credentials are removed. */
const LONGEST = 65_536
/** Characters of a message that are searched for phrases. */
const TELLING = 2000

/** Start of a message, cut between words, so that no part of a credential remains unrecognized. */
function upTo(source: string, length: number): string {
  if (source.length <= length) return source
  let end = length
  while (end > 0 && !/\s/.test(source.charAt(end))) end--
  return source.slice(0, end).trimEnd()
}

function unsaid(status: number): string {
  return status >= 400 ? `The provider responded with status ${status}.` : 'The provider reported an error.'
}

function unwrapped(body: unknown): unknown {
  const value = typeof body === 'string' ? (parse(body) ?? body) : body
  return Array.isArray(value) ? value[0] : value
}

/** First of a list of errors, if the body has no other message. */
function firstOf(whole: Json): Json | undefined {
  return whole['message'] === undefined ? objects(whole['errors'])[0] : undefined
}

const MESSAGE_KEYS = ['error', 'message', 'detail', 'msg', 'error_description', 'title', 'errors'] as const

function messageOf(value: unknown, depth = 0): string {
  if (typeof value === 'string') return /^\s*</.test(value) ? pageText(value) : value.trim()
  if (depth > 4) return ''
  if (Array.isArray(value)) {
    return value
      .map((item) => messageOf(item, depth + 1))
      .filter(Boolean)
      .join('; ')
  }
  if (!isObject(value)) return ''
  for (const key of MESSAGE_KEYS) {
    const found = messageOf(value[key], depth + 1)
    if (found) return found
  }
  return ''
}

/** Characters of a page that contain its title and first words. */
const PAGE = 10_000

/** Title of a page, else its text. */
function pageText(page: string): string {
  const start = upTo(page, PAGE)
  const words = /<title[^<>]*>([^<]*)<\/title>/i.exec(start)?.[1] ?? start.replace(/<[^<>]*>/g, ' ')
  return upTo(words.replace(/\s+/g, ' ').trim(), 500)
}

function statusIn(error: Json): number {
  for (const key of ['code', 'status', 'status_code']) {
    const found = error[key]
    const value = typeof found === 'string' ? Number(found) : found
    if (typeof value === 'number' && Number.isInteger(value) && value >= 400 && value < 600) return value
  }
  return 0
}

function wordsIn(error: Json): string {
  const details = error['details']
  const reasons = [...objects(details).map((detail) => detail['reason']), object(details)?.['error_code']]
  return [error['code'], error['type'], error['status'], ...reasons]
    .filter((word) => typeof word === 'string')
    .join(' ')
    .toLowerCase()
}

/** Codes and types that servers of all formats share. */
const CODES: ErrorWords = [
  [/context_length|context_window|too_many_prompt_tokens|string_above_max_length/, 'context-too-long'],
  [/insufficient_quota|billing|credits?_exhausted/, 'our-quota'],
  [/invalid_api_key|api_key_invalid|authentication|unauthenticated|permission/, 'our-credential'],
  [/model_not_found|deploymentnotfound|model_not_available/, 'unknown-model'],
  [/content_filter|content_policy|moderation|safety/, 'content-policy'],
  [/rate_?limit|resource_exhausted|too_many_requests/, 'rate-limited'],
  [/overloaded|unavailable|capacity/, 'overloaded'],
  [/server_error|internal|api_error|timeout/, 'upstream'],
  [/invalid_request|bad_request|invalid_argument/, 'invalid-request'],
]

/** Phrases in messages without a code. */
const PHRASES: ErrorWords = [
  [
    /context (?:length|window|limit)|prompt (?:is )?too long|maximum context|exceed\w* (?:the )?context|too many (?:input )?tokens/i,
    'context-too-long',
  ],
  [
    /input (?:is )?too long|token length too long|exceeded model token limit|length of all messages is too long|token count .*exceeds|exceeds the maximum number of (?:input )?tokens/i,
    'context-too-long',
  ],
  [/input tokens .{0,40}cannot exceed/i, 'context-too-long'],
  [
    /\bapi[ _-]?key\b.*\b(?:invalid|incorrect|not valid|not found|expired)|\b(?:invalid|incorrect) api[ _-]?key/i,
    'our-credential',
  ],
  [/\bmodel\b.{0,120}\b(?:does not exist|not found|is not a valid model|not a valid model)/i, 'unknown-model'],
  [/credit balance|enable billing|billing (?:hard )?limit|billing account/i, 'our-quota'],
  [/content (?:filter|polic)|blocked by/i, 'content-policy'],
]

function first(rules: ErrorWords, words: string): ErrorKind | undefined {
  return rules.find(([pattern]) => pattern.test(words))?.[1]
}

/** Kinds of statuses that are not simply the fault of the request (4xx) or of the server (5xx). */
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
  499: 'upstream',
  503: 'overloaded',
  508: 'loop',
  529: 'overloaded',
}

/** Kind of an error. A server error (5xx) depends on its status; for others, the code and message are more precise. */
function kindOf({ status }: ErrorBody, said: ErrorKind | undefined, meant: ErrorKind | undefined): ErrorKind {
  if (status === 0) return said === 'invalid-request' ? (meant ?? said) : (said ?? meant ?? 'upstream')
  if (status >= 500) return said === 'overloaded' ? said : (STATUSES[status] ?? 'upstream')
  if (status === 429) return said === 'our-quota' ? said : 'rate-limited'
  if (status === 403 && said === 'content-policy') return said
  const known = STATUSES[status]
  if (known) return known
  // The request is at fault, so codes of a server error do not count.
  return said === undefined || said === 'upstream' || said === 'invalid-request' ? (meant ?? 'invalid-request') : said
}

const UNITS: Readonly<Record<string, number>> = { h: 3_600_000, m: 60_000, s: 1000, ms: 1 }

/** Duration with units, such as `1m2.5s` and `45 seconds`. */
const DURATION = String.raw`(?:\d+(?:\.\d+)?\s?(?:ms|hours?|h|minutes?|m|seconds?|s),?\s?)+`
const WAIT = new RegExp(`(?:(?:try again|retry) (?:in|after)|resets in) ~?(${DURATION})|wait (${DURATION})before`, 'i')

/** Milliseconds to wait, from a field or from a message such as `try again in 1m2.5s`. */
function retryHint(error: Json, message: string): number | undefined {
  const seconds =
    number(error['retry_after']) ??
    number(object(error['availability'])?.['retry_after']) ??
    secondsOf(objects(error['details']).find((detail) => isObject(detail['retryDelay'])))
  if (seconds !== undefined) return seconds >= 0 ? Math.ceil(seconds * 1000) : undefined
  const delay = objects(error['details']).map((detail) => text(detail['retryDelay']))
  const found = WAIT.exec(message)
  const said = delay.find(Boolean) ?? found?.[1] ?? found?.[2]
  if (!said) return undefined
  let total = 0
  for (const [, amount, unit = ''] of said.toLowerCase().matchAll(/(\d+(?:\.\d+)?)\s?(ms|h|m|s)/g))
    total += Number(amount) * (UNITS[unit] ?? 0)
  return Math.ceil(total)
}

/** Seconds of a protobuf duration. */
function secondsOf(detail: Json | undefined): number | undefined {
  const duration = object(detail?.['retryDelay'])
  const seconds = text(duration?.['seconds']) ?? number(duration?.['seconds']) ?? 0
  return duration && number(Number(seconds) + (number(duration['nanos']) ?? 0) / 1e9)
}
