import { isEnvelope } from '../../canonical/envelope.ts'
import type { Amendment } from '../../canonical/format.ts'
import { type Json, objects } from '../../canonical/json.ts'
import type { Target } from '../../canonical/target.ts'
import { isGatewaySearch } from './hosted.ts'
import { outputLimit } from './models.ts'

/**
 * The vendor demands `max_tokens`; our surface does not. Nor does it take thoughts that it has not signed, as answers
 * of others have them, or searches that it has not made.
 */
export function amend(body: Json, target: Target): Amendment {
  const missing = body['max_tokens'] === undefined || body['max_tokens'] === null
  const edits = missing ? [{ path: ['max_tokens'], value: outputLimit(target) }] : []
  return holdsForeign(body, target) ? { edits, anew: true } : { edits }
}

/** Servers that imitate the vendor sign nothing, and take thoughts back as they are. */
function holdsForeign(body: Json, target: Target): boolean {
  const blocks = objects(body['messages']).flatMap(({ role, content }) =>
    role === 'assistant' ? objects(content) : [],
  )
  return blocks.some((block) => {
    if (isGatewaySearch(block)) return true
    if (block['type'] === 'redacted_thinking') return isEnvelope(block['data'])
    if (block['type'] !== 'thinking') return false
    return block['signature'] ? isEnvelope(block['signature']) : target.signer !== undefined
  })
}
