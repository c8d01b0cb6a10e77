import { errorReader } from '../../canonical/error-body.ts'
import type { Json } from '../../canonical/json.ts'
import { hinted } from '../../canonical/stream-failure.ts'
import type { HeadgateError } from '../../errors.ts'
import { writeError } from '../chat-completions/error.ts'

export { writeError }

/**
 * Reads an error of whatever shape: the vendor's, that of a failed answer, or what a server sends in its place.
 *
 * @see https://platform.openai.com/docs/api-reference/responses/object#responses/object-error
 */
export const readError = errorReader({
  codes: [
    [/\b(?:bio_policy|misalignment_policy_violation|image_content_policy_violation)\b/, 'content-policy'],
    [/\binvalid_prompt\b|\b(?:invalid|empty|unsupported|failed_to_download)_\w*image\w*|\bimage_(?:too|parse|file)\w+/, 'invalid-request'],
  ],
})

/**
 * The vendor tells a failure twice: as an event that its clients throw on, and as the answer that failed, which agents look for. How
 * many events came before is not known here, so both have the number 0.
 */
export function writeStreamError(error: HeadgateError, requestId: string): string {
  const body = writeError(hinted(error), requestId)['error'] as Json
  const { message, param } = body
  const code = body['code'] ?? body['type']
  const failed = { id: `resp_${requestId}`, object: 'response', status: 'failed', error: { code, message }, output: [], usage: null }
  return (
    frame('error', { sequence_number: 0, code, message, param, error: body }) +
    frame('response.failed', { sequence_number: 0, response: failed })
  )
}

function frame(type: string, fields: Json): string {
  return `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`
}
