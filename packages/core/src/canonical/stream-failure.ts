import { HeadgateError, reworded, type UpstreamError } from '../errors.ts'

/** Error for a stream that ended before the response was complete. */
export const CUT: UpstreamError = {
  kind: 'cut',
  message: 'The provider ended the stream before the answer was complete.',
}

/** Error for a stream that ended without content. */
export const EMPTY: UpstreamError = { kind: 'cut', message: 'The provider ended the stream without a response.' }

/** Error for a frame that cannot be parsed. */
export const BROKEN: UpstreamError = { kind: 'upstream', message: 'The provider sent a frame that is not JSON.' }

const WAITS = /\b(?:try again|retry) in \d/i

/** Error for a stream, with the wait in its message, since a stream has no `retry-after` header. */
export function hinted(error: HeadgateError): HeadgateError {
  const { message, retryAfterMs } = error
  if (retryAfterMs === undefined || WAITS.test(message)) return error
  const words = /[.!?]$/.test(message) ? message : `${message}.`
  return reworded(error, `${words} Try again in ${Math.max(1, Math.ceil(retryAfterMs / 1000))}s.`)
}

/** Error for a failure that an upstream reported. */
export function failure({ kind, message, retryAfterMs, code, upstreamStatus }: UpstreamError): HeadgateError {
  return new HeadgateError(kind, message, { retryAfterMs, code, upstreamStatus })
}

/** Inverse of {@link failure}. */
export function upstreamErrorOf({ kind, message, retryAfterMs, code, upstreamStatus }: HeadgateError): UpstreamError {
  return {
    kind,
    message,
    ...(retryAfterMs !== undefined && { retryAfterMs }),
    ...(code !== undefined && { code }),
    ...(upstreamStatus !== undefined && { upstreamStatus }),
  }
}
