import { errorReader } from '../../canonical/error-body.ts'
import type { Json } from '../../canonical/json.ts'
import { hinted } from '../../canonical/stream-failure.ts'
import type { HeadgateError } from '../../errors.ts'
import { writeError } from '../chat-completions/error.ts'

export { writeError }

/**
 * Reads an error of any shape, including the error of a failed response.
 * @see https://platform.openai.com/docs/api-reference/responses/object#responses/object-error
 */
export const readError = errorReader({
  codes: [
    [/\b(?:bio_policy|misalignment_policy_violation|image_content_policy_violation)\b/, 'content-policy'],
    [
      /\binvalid_prompt\b|\b(?:invalid|empty|unsupported|failed_to_download)_\w*image\w*|\bimage_(?:too|parse|file)\w+/,
      'invalid-request',
    ],
  ],
})

/** Start of a stream before its failure. */
export interface StreamStart {
  /** Announced fields of the response, and its output so far. */
  readonly response: Json
  /** Number of the next event. */
  readonly next: number
}

/**
 * Failure of a stream, reported twice like the vendor does: as an event on which its clients throw, and as a failed
 * response, which agents expect.
 * @see https://platform.openai.com/docs/api-reference/responses-streaming/error
 */
export function writeFailure(error: HeadgateError, { response, next }: StreamStart): string {
  const body = writeError(hinted(error), '')['error'] as Json
  const { message, param } = body
  const code = codeOf(body)
  const failed = failedResponse(error, response)
  return (
    writeEvent('error', { sequence_number: next, code, message, param, error: body }) +
    writeEvent('response.failed', { sequence_number: next + 1, response: failed })
  )
}

function codeOf(body: Json): unknown {
  return body['code'] ?? body['type']
}

/** Failed response, based on its previous fields. */
export function failedResponse(error: HeadgateError, response: Json): Json {
  const body = writeError(hinted(error), '')['error'] as Json
  const { message } = body
  return {
    incomplete_details: null,
    usage: null,
    ...response,
    status: 'failed',
    error: { code: codeOf(body), message },
  }
}

/** Failure of a stream without earlier events. */
export function writeStreamError(error: HeadgateError, requestId: string): string {
  return writeFailure(error, { response: { id: `resp_${requestId}`, object: 'response', output: [] }, next: 0 })
}

/** Event of a stream. */
export function writeEvent(type: string, fields: Json): string {
  return `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`
}
