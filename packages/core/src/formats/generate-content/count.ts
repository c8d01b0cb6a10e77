import { bothGiven, requiredObject } from '../../canonical/fields.ts'
import type { Json } from '../../canonical/json.ts'

const WHOLE = ['generateContentRequest', 'generate_content_request'] as const

/**
 * The request whose tokens are to be counted: the body's `generateContentRequest`, else the body itself (the Gemini API
 * has
 * `contents` there, Vertex the system instruction and the tools as well).
 *
 * @throws HeadgateError `invalid-request` naming the field.
 * @see https://ai.google.dev/api/tokens
 */
export function countedRequest(body: Json): Json {
  const key = WHOLE.find((name) => body[name] !== undefined && body[name] !== null)
  if (key === undefined) return body
  if (body['contents'] !== undefined) throw bothGiven('', 'contents', key)
  return requiredObject(body, key, '')
}

/** The answer of `:countTokens`. */
export function writeCount(tokens: number): Json {
  return { totalTokens: tokens }
}
