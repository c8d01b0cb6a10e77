import { isEnvelope } from '../../canonical/envelope.ts'
import type { Normalization } from '../../canonical/format.ts'
import { type Json, objects } from '../../canonical/json.ts'
import type { Target } from '../../canonical/target.ts'
import { isGatewaySearch } from './hosted.ts'
import { outputLimit } from './models.ts'

/**
 * Normalizations of a caller's body: `max_tokens`, which the vendor requires. Bodies with reasoning that the vendor did
 * not sign, or with searches that it did not run, are rewritten.
 */
export function normalize(body: Json, target: Target): Normalization {
  const missing = body['max_tokens'] === undefined || body['max_tokens'] === null
  const edits = missing ? [{ path: ['max_tokens'], value: outputLimit(target) }] : []
  return holdsForeign(body, target) ? { edits, rewrite: true } : { edits }
}

/**
 * True if a body has reasoning or searches of others. Servers that imitate the vendor do not sign reasoning, and accept
 * it unchanged.
 */
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
