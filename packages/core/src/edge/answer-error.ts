import type { Format } from '../chat/format.ts'
import { FAILURES, HeadgateError } from '../errors.ts'
import type { AnswerHeaders, Sink } from './sink.ts'

/** Any thrown value as the one error class; what is not ours stays unsaid. */
export function asError(error: unknown): HeadgateError {
  return HeadgateError.is(error)
    ? error
    : new HeadgateError('internal', 'Something in the gateway failed. The request id helps its operator to find it.', { cause: error })
}

/** Where an error comes from, for the operator: the stacks of it and of its causes, and no field of theirs. */
export function traceOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const own = error.stack ?? error.message
  return error.cause === undefined ? own : `${own}\nCaused by: ${traceOf(error.cause)}`
}

/** Sends an error in the caller's own format. */
export function answerError(sink: Sink, format: Format, error: HeadgateError, requestId: string): void {
  const { status } = FAILURES[error.kind]
  const body = Buffer.from(JSON.stringify(format.writeError(error, requestId)))
  const headers: AnswerHeaders = { 'content-type': 'application/json', 'content-length': String(body.length), 'x-request-id': requestId }
  if (status === 429) headers['retry-after'] = String(Math.max(1, Math.ceil((error.retryAfterMs ?? 1000) / 1000)))
  else headers['x-should-retry'] = 'false'
  if (error.allow !== undefined) headers['allow'] = error.allow
  sink.head(status, headers)
  sink.end(body)
}

/** Sends a JSON document. */
export function answerJson(sink: Sink, value: unknown, requestId: string): void {
  const body = Buffer.from(JSON.stringify(value))
  sink.head(200, { 'content-type': 'application/json', 'content-length': String(body.length), 'x-request-id': requestId })
  sink.end(body)
}
