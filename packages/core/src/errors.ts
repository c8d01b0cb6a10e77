/**
 * What can go wrong, in Headgate's own words. Every failure, ours or an upstream's, has one of these kinds,
 * and {@link FAILURES} says what follows from it.
 */
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

/**
 * What follows from a failure: whether the same candidate or the next one is tried, and the status that the caller
 * gets.
 */
export interface Consequence {
  /** Whether the same candidate may be asked again. */
  readonly again: boolean
  /** Whether the next candidate may be asked; `once` allows one more candidate and no further. */
  readonly next: boolean | 'once'
  /** HTTP status of the final answer to the caller. */
  readonly status: number
}

/** The table of failures (`docs/errors.md`). */
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

/** What an upstream's answer says went wrong. */
export interface UpstreamError {
  readonly kind: ErrorKind
  /** The upstream's own words; scrubbed of credentials before a caller sees them. */
  readonly message: string
  /** How long the upstream asks to wait, in milliseconds. */
  readonly retryAfterMs?: number
  /** The upstream's code or type, such as `insufficient_quota`, see {@link errorCode}. */
  readonly code?: string
  /** HTTP status of the upstream's response. */
  readonly upstreamStatus?: number
}

/** An upstream's error code; undefined if it does not look like one, as it may quote a prompt. */
export function errorCode(value: unknown): string | undefined {
  return typeof value === 'string' && /^[\w.:-]{1,64}$/.test(value) ? value : undefined
}

export interface ErrorDetails {
  /** Path of the field at fault in the caller's own format: `messages[2].content[0].type`. */
  readonly param?: string | undefined
  /**
   * How long to wait before the same request makes sense, in milliseconds; what is no wait is left out, and a day is
   * the most.
   */
  readonly retryAfterMs?: number | undefined
  /** Methods that the path allows, for a 405. */
  readonly allow?: string | undefined
  /** Where HTTP has a status of its own for it: 417, 431. Default: that of the kind. */
  readonly status?: number | undefined
  /** Code of the upstream's error; left out unless it looks like a code. */
  readonly code?: string | undefined
  /** HTTP status of the upstream's response. */
  readonly upstreamStatus?: number | undefined
  readonly cause?: unknown
}

/** The longest wait that is passed on, in milliseconds: a day. Nobody who asks for more has a time in mind. */
const LONGEST_WAIT = 86_400_000

/** A wait that somebody else asks for, in whole milliseconds, a day at most; undefined = that is none. */
export function soundWait(ms: number | undefined): number | undefined {
  return ms !== undefined && Number.isFinite(ms) && ms >= 0 ? Math.min(Math.ceil(ms), LONGEST_WAIT) : undefined
}

const BRAND = Symbol.for('headgate.error')

/**
 * The one error class. Its message is for the caller alone: it names the field, the value and what to do next, and may
 * quote what the caller or the upstream sent. Logs, health reports and other users get `kind`, `code` and
 * `upstreamStatus` only.
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

  /** Whether a value is a HeadgateError, also one of another copy of this package. */
  static is(value: unknown): value is HeadgateError {
    return value instanceof Error && BRAND in value
  }
}

/** A request that the caller must change: status 400, the field named. */
export function invalid(param: string | undefined, message: string): HeadgateError {
  return new HeadgateError('invalid-request', message, { param })
}

/** The same failure in other words: what else is known of it stays. */
export function reworded(error: HeadgateError, message: string): HeadgateError {
  const { kind, param, retryAfterMs, allow, status, code, upstreamStatus } = error
  return new HeadgateError(kind, message, { param, retryAfterMs, allow, status, code, upstreamStatus, cause: error })
}

/** Any thrown value as the one error class; what is not ours stays unsaid. */
export function asError(error: unknown): HeadgateError {
  return HeadgateError.is(error)
    ? error
    : new HeadgateError('internal', 'Something in the gateway failed. The request id helps its operator to find it.', {
        cause: error,
      })
}

/** The one error class's messages, and those of JSON.parse, may quote what a caller or an upstream sent. */
function maySpeakOfContent(error: Error): boolean {
  return error instanceof SyntaxError || (HeadgateError.is(error) && error.kind !== 'internal')
}

/**
 * Stacks of an error and of its causes, for the operator, without their other fields and without messages that may
 * quote content.
 */
export function traceOf(error: unknown): string {
  if (!(error instanceof Error)) return `a ${typeof error} was thrown`
  const stack = error.stack ?? `${error.name}: ${error.message}`
  const frames = stack.indexOf('\n    at ')
  const own = maySpeakOfContent(error) ? `${error.name}${frames < 0 ? '' : stack.slice(frames)}` : stack
  return error.cause === undefined ? own : `${own}\nCaused by: ${traceOf(error.cause)}`
}
