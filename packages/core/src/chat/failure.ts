import { HeadgateError, type UpstreamError } from '../errors.ts'

/** The stream ended before the answer did. */
export const CUT: UpstreamError = { kind: 'cut', message: 'The provider ended the stream before the answer was complete.' }

/** The stream ended before anything was said. */
export const EMPTY: UpstreamError = { kind: 'cut', message: 'The provider ended the stream without an answer.' }

/** A frame can not be read. */
export const BROKEN: UpstreamError = { kind: 'upstream', message: 'The provider sent a frame that is not JSON.' }

/** What an upstream said went wrong, as the error that is thrown or written. */
export function failure({ kind, message, retryAfterMs }: UpstreamError): HeadgateError {
  return new HeadgateError(kind, message, { retryAfterMs })
}
