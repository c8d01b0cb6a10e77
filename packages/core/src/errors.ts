/** Kind of a failure, of the gateway or of an upstream. {@link FAILURES} has the consequences of each. */
export type ErrorKind =
  | 'invalid-request'
  | 'context-too-long'
  | 'unknown-model'
  | 'content-policy'
  | 'our-credential'
  | 'our-quota'
  | 'rate-limited'
  | 'overloaded'
  | 'upstream'
  | 'timeout'
  | 'cut'
  | 'bad-key'
  | 'forbidden'
  | 'not-found'
  | 'method-not-allowed'
  | 'conflict'
  | 'too-large'
  | 'too-slow'
  | 'over-limit'
  | 'over-budget'
  | 'unavailable'
  | 'loop'
  | 'canceled'
  | 'internal'

/** Consequence of a failure: retries, further candidates, and the status that the caller gets. */
export interface Consequence {
  /** True if the same candidate can be tried again. */
  readonly again: boolean
  /** True if the next candidate can be tried; `once` allows one more candidate. */
  readonly next: boolean | 'once'
  /** HTTP status of the response to the caller. */
  readonly status: number
}

/** Consequences of each kind of failure; `docs/errors.md` shows them. */
export const FAILURES: Readonly<Record<ErrorKind, Consequence>> = {
  'invalid-request': { again: false, next: false, status: 400 },
  'content-policy': { again: false, next: false, status: 400 },
  'context-too-long': { again: false, next: true, status: 400 },
  'unknown-model': { again: false, next: true, status: 400 },
  'our-credential': { again: false, next: true, status: 500 },
  'our-quota': { again: false, next: true, status: 500 },
  'rate-limited': { again: true, next: true, status: 429 },
  overloaded: { again: true, next: true, status: 500 },
  upstream: { again: true, next: true, status: 500 },
  timeout: { again: false, next: 'once', status: 500 },
  cut: { again: false, next: false, status: 500 },
  'bad-key': { again: false, next: false, status: 401 },
  forbidden: { again: false, next: false, status: 403 },
  'not-found': { again: false, next: false, status: 404 },
  'method-not-allowed': { again: false, next: false, status: 405 },
  conflict: { again: false, next: false, status: 409 },
  'too-large': { again: false, next: false, status: 413 },
  'too-slow': { again: false, next: false, status: 408 },
  'over-limit': { again: false, next: false, status: 429 },
  'over-budget': { again: false, next: true, status: 429 },
  unavailable: { again: false, next: true, status: 503 },
  loop: { again: false, next: false, status: 508 },
  canceled: { again: false, next: false, status: 499 },
  internal: { again: false, next: false, status: 500 },
}

/** Failure that an upstream's response reports. */
export interface UpstreamError {
  readonly kind: ErrorKind
  /** The upstream's message. Credentials are removed before a caller sees it. */
  readonly message: string
  /** Milliseconds to wait, as the upstream requests. */
  readonly retryAfterMs?: number
  /** Code or type of the upstream's error, such as `insufficient_quota`. See {@link errorCode}. */
  readonly code?: string
  /** HTTP status of the upstream's response. */
  readonly upstreamStatus?: number
}

/** Error code of an upstream. Undefined unless it looks like a code, since other values may quote a prompt. */
export function errorCode(value: unknown): string | undefined {
  return typeof value === 'string' && /^[\w.:-]{1,64}$/.test(value) ? value : undefined
}

export interface ErrorDetails {
  /** Path of the invalid field in the caller's format: `messages[2].content[0].type`. */
  readonly param?: string | undefined
  /** Milliseconds to wait before a retry makes sense. Invalid values are left out, and the maximum is one day. */
  readonly retryAfterMs?: number | undefined
  /** Methods that the path allows, for status 405. */
  readonly allow?: string | undefined
  /** HTTP status if HTTP has a specific one: 417, 431. Default: the status of the kind. */
  readonly status?: number | undefined
  /** Code of the upstream's error. Left out unless it looks like a code. */
  readonly code?: string | undefined
  /** HTTP status of the upstream's response. */
  readonly upstreamStatus?: number | undefined
  readonly cause?: unknown
}

/** Maximum wait that is passed on, in milliseconds: one day. Longer waits are placeholders of vendors. */
const LONGEST_WAIT = 86_400_000

/**
 * Wait that another party requests, in whole milliseconds, at most one day. Undefined if it is negative or not finite.
 */
export function soundWait(ms: number | undefined): number | undefined {
  return ms !== undefined && Number.isFinite(ms) && ms >= 0 ? Math.min(Math.ceil(ms), LONGEST_WAIT) : undefined
}

const BRAND = Symbol.for('headgate.error')

/**
 * Error of Headgate. Its message is for the caller only: it names the field, the value and what to do next, and may
 * quote the caller's or the upstream's data. Logs, health reports and other users get only `kind`, `code` and
 * `upstreamStatus`.
 * @example throw new HeadgateError('upstream', 'The provider accepted the job but returned no id.')
 */
export class HeadgateError extends Error {
  readonly kind: ErrorKind
  readonly status: number
  readonly param: string | undefined
  readonly retryAfterMs: number | undefined
  readonly allow: string | undefined
  readonly code: string | undefined
  readonly upstreamStatus: number | undefined
  readonly [BRAND] = true

  constructor(kind: ErrorKind, message: string, details: ErrorDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause })
    this.name = 'HeadgateError'
    this.kind = kind
    this.status = details.status ?? FAILURES[kind].status
    this.param = details.param
    this.retryAfterMs = soundWait(details.retryAfterMs)
    this.allow = details.allow
    this.code = errorCode(details.code)
    this.upstreamStatus = details.upstreamStatus
  }

  /** True for a HeadgateError, also of another copy of this package. */
  static is(value: unknown): value is HeadgateError {
    return value instanceof Error && BRAND in value
  }
}

/**
 * Error for a request that the caller must change, with status 400.
 * @param param path of the invalid field.
 * @example throw invalid('messages[0].role', '`role` must be user or assistant.')
 */
export function invalid(param: string | undefined, message: string): HeadgateError {
  return new HeadgateError('invalid-request', message, { param })
}

/** Copy of an error with another message. */
export function reworded(error: HeadgateError, message: string): HeadgateError {
  const { kind, param, retryAfterMs, allow, status, code, upstreamStatus } = error
  return new HeadgateError(kind, message, { param, retryAfterMs, allow, status, code, upstreamStatus, cause: error })
}

/** Any thrown value as a HeadgateError. The message of an unknown error does not reach the caller. */
export function asError(error: unknown): HeadgateError {
  return HeadgateError.is(error)
    ? error
    : new HeadgateError('internal', 'The gateway failed. Send its operator the request id.', {
        cause: error,
      })
}

/** Messages of `HeadgateError` and `JSON.parse` may quote data of a caller or an upstream. */
function maySpeakOfContent(error: Error): boolean {
  return error instanceof SyntaxError || (HeadgateError.is(error) && error.kind !== 'internal')
}

/** Stacks of an error and its causes, for the operator. Other fields and messages that may quote data are left out. */
export function traceOf(error: unknown): string {
  if (!(error instanceof Error)) return `a ${typeof error} was thrown`
  const stack = error.stack ?? `${error.name}: ${error.message}`
  const frames = stack.indexOf('\n    at ')
  const own = maySpeakOfContent(error) ? `${error.name}${frames < 0 ? '' : stack.slice(frames)}` : stack
  return error.cause === undefined ? own : `${own}\nCaused by: ${traceOf(error.cause)}`
}
