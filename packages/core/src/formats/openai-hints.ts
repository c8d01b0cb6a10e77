import type { Node } from '../canonical/block.ts'
import type { Json } from '../canonical/json.ts'
import { dropped, type Loss } from '../canonical/loss.ts'
import type { ChatRequest } from '../canonical/request.ts'

/** Fields that only chat completions and responses have. */
const SHARED: ReadonlySet<string> = new Set([
  'prompt_cache_key',
  'prompt_cache_retention',
  'prompt_cache_options',
  'safety_identifier',
])

/** Formats with these fields. */
const SHARERS: ReadonlySet<string> = new Set(['chat-completions', 'responses'])

/**
 * Fields of a caller of one format that the other format also has.
 * @see https://platform.openai.com/docs/api-reference/chat/create
 * @see https://platform.openai.com/docs/api-reference/responses/create
 */
export function sharedHints({ extensions }: ChatRequest, format: string): Json {
  const out: Json = {}
  if (!extensions || extensions.format === format || !SHARERS.has(extensions.format)) return out
  for (const key in extensions.fields) if (SHARED.has(key)) out[key] = extensions.fields[key]
  return out
}

/**
 * Writes the shared fields. For servers that imitate the vendor they are lost, since such servers may reject unknown
 * fields.
 */
export function putSharedHints(
  request: ChatRequest,
  format: string,
  body: Json,
  isVendors: boolean,
  losses: Loss[],
): void {
  const hints = sharedHints(request, format)
  if (isVendors) Object.assign(body, hints)
  else for (const key in hints) dropped(losses, key, 'the server is not known to support it')
}

/** True for a field that `putSharedHints` handles. */
export function isSharedHint({ extensions }: ChatRequest, key: string): boolean {
  return SHARED.has(key) && extensions !== undefined && SHARERS.has(extensions.format)
}

/** True if file ids in a request refer to OpenAI's files, which both formats of its API share. */
export function namesSharedFiles({ extensions }: Node): boolean {
  return extensions !== undefined && SHARERS.has(extensions.format)
}
