import { HeadgateError, reworded, type UpstreamError } from '../errors.ts'

/** The stream ended before the answer did. */
export const CUT: UpstreamError = {
  kind: 'cut',
  message: 'The provider ended the stream before the answer was complete.',
}

/** The stream ended before anything was said. */
export const EMPTY: UpstreamError = { kind: 'cut', message: 'The provider ended the stream without an answer.' }

/** A frame can not be read. */
export const BROKEN: UpstreamError = { kind: 'upstream', message: 'The provider sent a frame that is not JSON.' }

const WAITS = /\b(?:try again|retry) in \d/i

/** The error as it is told within a stream, where no header can say how long to wait: its words do. */
export function hinted(error: HeadgateError): HeadgateError {
  const { message, retryAfterMs } = error
  if (retryAfterMs === undefined || WAITS.test(message)) return error
  const words = /[.!?]$/.test(message) ? message : `${message}.`
  return reworded(error, `${words} Try again in ${Math.max(1, Math.ceil(retryAfterMs / 1000))}s.`)
}

/** What an upstream said went wrong, as the error that is thrown or written. */
export function failure({ kind, message, retryAfterMs, code, upstreamStatus }: UpstreamError): HeadgateError {
  return new HeadgateError(kind, message, { retryAfterMs, code, upstreamStatus })
}

/** The reverse of {@link failure}. */
export function upstreamErrorOf({ kind, message, retryAfterMs, code, upstreamStatus }: HeadgateError): UpstreamError {
  return {
    kind,
    message,
    ...(retryAfterMs !== undefined && { retryAfterMs }),
    ...(code !== undefined && { code }),
    ...(upstreamStatus !== undefined && { upstreamStatus }),
  }
}
