import { bothGiven, requiredObject } from '../../canonical/fields.ts'
import type { Json } from '../../canonical/json.ts'

const WHOLE = ['generateContentRequest', 'generate_content_request'] as const

/**
 * Request whose tokens are counted: `generateContentRequest`, else the body. The Gemini API has `contents` in the body,
 * Vertex AI also the system instruction and tools.
 * @throws HeadgateError of kind `invalid-request` with the field.
 * @see https://ai.google.dev/api/tokens
 */
export function countedRequest(body: Json): Json {
  const key = WHOLE.find((name) => body[name] !== undefined && body[name] !== null)
  if (key === undefined) return body
  if (body['contents'] !== undefined) throw bothGiven('', 'contents', key)
  return requiredObject(body, key, '')
}

/** Response of `:countTokens`. */
export function writeCount(tokens: number): Json {
  return { totalTokens: tokens }
}
