import type { Json } from '../../canonical/json.ts'
import type { IdPlaces } from '../../canonical/named-ids.ts'
import { isFailedImage } from './media-write.ts'

/** True for an item that refers to another item by id. */
export function isReference(item: Json): boolean {
  const { type } = item
  if (type === 'item_reference') return true
  return type === 'image_generation_call' && (item['result'] ?? undefined) === undefined && !isFailedImage(item)
}

/**
 * Fields with ids of stored objects. `annotations` and `results` only report such objects, and are not searched.
 * @see https://platform.openai.com/docs/guides/conversation-state
 */
export const stored: IdPlaces = {
  places: ['previous_response_id', 'conversation', 'input', 'tools', 'prompt'],
  keys: new Set([
    'previous_response_id',
    'conversation',
    'file_id',
    'file_ids',
    'container',
    'container_id',
    'vector_store_ids',
  ]),
  skips: new Set(['annotations', 'results', 'parameters', 'schema']),
  more(object, note) {
    if (isReference(object)) note('id', object['id'])
  },
}
