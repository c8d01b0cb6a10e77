import { isEnvelope } from '../../canonical/envelope.ts'
import type { Edit, Normalization } from '../../canonical/format.ts'
import { isObject, type Json, objects } from '../../canonical/json.ts'

const LISTS = ['contents', 'safetySettings', 'safety_settings'] as const

/**
 * Normalizations of a caller's body: a single content or safety setting becomes a list, since the vendor does not
 * guarantee to accept single objects.
 */
export function normalize(body: Json): Normalization {
  const edits = LISTS.flatMap((key): Edit[] => (isObject(body[key]) ? [{ path: [key], value: [body[key]] }] : []))
  return holdsEnvelopes(body) ? { edits, rewrite: true } : { edits }
}

function holdsEnvelopes(body: Json): boolean {
  const contents = isObject(body['contents']) ? [body['contents']] : objects(body['contents'])
  const parts = contents.flatMap((content) => objects(content['parts']))
  return parts.some((part) => isEnvelope(part['thoughtSignature'] ?? part['thought_signature']))
}
