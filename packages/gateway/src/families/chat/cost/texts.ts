import { isObject } from '@headgate/core/canonical'

/** Fields of a block that declare the type of its `data`. */
const BYTES = ['media_type', 'mimeType', 'mime_type', 'format']

/** True for encoded bytes, which models do not read as text. */
function isBytes(key: string, value: unknown, parent: Readonly<Record<string, unknown>>): boolean {
  if (typeof value !== 'string') return false
  if (key === 'file_data' || /^data:[^,]{0,200};base64,/i.test(value)) return true
  return key === 'data' && BYTES.some((name) => name in parent)
}

/**
 * All strings of a value except keys, types, models and encoded bytes: the text that a model reads, without its
 * framing.
 */
export function* texts(value: unknown): Generator<string> {
  if (typeof value === 'string') yield value
  else if (Array.isArray(value)) for (const item of value) yield* texts(item)
  else if (isObject(value)) {
    for (const [key, item] of Object.entries(value))
      if (key !== 'type' && key !== 'model' && !isBytes(key, item, value)) yield* texts(item)
  }
}
