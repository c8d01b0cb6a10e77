import { isObject } from '@headgate/core/canonical'

/** Fields of a block that name what kind of bytes its `data` are. */
const BYTES = ['media_type', 'mimeType', 'mime_type', 'format']

/** Bytes are not read as text by any model. */
function isBytes(key: string, value: unknown, parent: Readonly<Record<string, unknown>>): boolean {
  if (typeof value !== 'string') return false
  if (key === 'file_data' || /^data:[^,]{0,200};base64,/i.test(value)) return true
  return key === 'data' && BYTES.some((name) => name in parent)
}

/** Every text of a value, keys of objects left out: what a model reads of a request, but for its framing. */
export function* texts(value: unknown): Generator<string> {
  if (typeof value === 'string') yield value
  else if (Array.isArray(value)) for (const item of value) yield* texts(item)
  else if (isObject(value)) {
    for (const [key, item] of Object.entries(value))
      if (key !== 'type' && key !== 'model' && !isBytes(key, item, value)) yield* texts(item)
  }
}
