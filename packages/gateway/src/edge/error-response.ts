import type { HeadgateError } from '@headgate/core/errors'
import type { ErrorWriter } from './error-writer.ts'
import type { ResponseHeaders, Sink } from './sink.ts'

/** Sends an error in the caller's format. `more`: additional headers. */
export function sendError(
  sink: Sink,
  errorWriter: ErrorWriter,
  error: HeadgateError,
  requestId: string,
  more?: ResponseHeaders,
): void {
  const { status } = error
  const body = Buffer.from(JSON.stringify(errorWriter.writeError(error, requestId)))
  const headers: ResponseHeaders = {
    'content-type': 'application/json',
    'content-length': String(body.length),
    'x-request-id': requestId,
  }
  // If a request exceeds a limit or its budget is spent, retries fail as well.
  const isFinal = (error.kind === 'over-limit' || error.kind === 'over-budget') && error.retryAfterMs === undefined
  if (error.kind === 'unavailable' || (status === 429 && !isFinal))
    headers['retry-after'] = String(Math.max(1, Math.ceil((error.retryAfterMs ?? 1000) / 1000)))
  else headers['x-should-retry'] = 'false'
  if (error.allow !== undefined) headers['allow'] = error.allow
  if (more) Object.assign(headers, more)
  sink.head(status, headers)
  sink.end(body)
}

export function sendJson(sink: Sink, value: unknown, requestId: string): void {
  const body = Buffer.from(JSON.stringify(value))
  sink.head(200, {
    'content-type': 'application/json',
    'content-length': String(body.length),
    'x-request-id': requestId,
  })
  sink.end(body)
}
