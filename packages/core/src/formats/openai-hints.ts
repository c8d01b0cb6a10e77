import type { Node } from '../canonical/block.ts'
import type { Json } from '../canonical/json.ts'
import { dropped, type Loss } from '../canonical/loss.ts'
import type { ChatRequest } from '../canonical/request.ts'

/** Fields of requests that chat completions and responses share, and no other format has. */
const SHARED: ReadonlySet<string> = new Set([
  'prompt_cache_key',
  'prompt_cache_retention',
  'prompt_cache_options',
  'safety_identifier',
])

/** The formats that have them. */
const SHARERS: ReadonlySet<string> = new Set(['chat-completions', 'responses'])

/**
 * Fields that a caller of the one format sent and that the other one has too.
 *
 * @see https://platform.openai.com/docs/api-reference/chat/create
 * @see https://platform.openai.com/docs/api-reference/responses/create
 */
export function sharedHints({ side }: ChatRequest, format: string): Json {
  const out: Json = {}
  if (!side || side.format === format || !SHARERS.has(side.format)) return out
  for (const key in side.fields) if (SHARED.has(key)) out[key] = side.fields[key]
  return out
}

/**
 * Puts them into a body. A server that imitates the vendor may refuse a field that it does not know, so there they are
 * a loss.
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
  else for (const key in hints) dropped(losses, key, 'the server is not known to take it')
}

/** Whether `putSharedHints` has seen to a field. */
export function isSharedHint({ side }: ChatRequest, key: string): boolean {
  return SHARED.has(key) && side !== undefined && SHARERS.has(side.format)
}

/** Whether a request names files at the provider as the two formats of OpenAI's API do, which share their files. */
export function namesSharedFiles({ side }: Node): boolean {
  return side !== undefined && SHARERS.has(side.format)
}
