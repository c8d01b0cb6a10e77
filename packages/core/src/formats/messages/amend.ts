import type { Amendment } from '../../chat/format.ts'
import type { Json } from '../../chat/json.ts'
import type { Target } from '../../chat/target.ts'
import { outputLimit } from './models.ts'

/** The vendor demands `max_tokens`; our surface does not. */
export function amend(body: Json, target: Target): Amendment {
  const missing = body['max_tokens'] === undefined || body['max_tokens'] === null
  return { edits: missing ? [{ path: ['max_tokens'], value: outputLimit(target) }] : [] }
}
