import type { Reply } from '../../canonical/format.ts'
import type { Json } from '../../canonical/json.ts'

/** Where the events go that tell of an answer while it is made. A whole answer has none. */
export interface Teller {
  event(type: string, fields: Json): void
  /** A piece of a text. */
  piece(at: Place, delta: string): void
}

/**
 * What the events of all pieces of one text share, since a stream has thousands of them: the text of one around its
 * number.
 */
export interface Place {
  readonly before: string
  readonly after: string
}

/** @param where the place within the answer, as JSON without its braces */
export function placeOf(type: string, where: string): Place {
  return { before: `event: ${type}\ndata: {"type":"${type}","sequence_number":`, after: `,${where},"delta":` }
}

/** The items of an answer, one after the other. */
export interface Items {
  readonly teller: Teller
  /** Those that have ended. */
  readonly output: readonly Json[]
  /** An id for the next item. */
  idOf(prefix: string): string
  /** Tells of the next item as it begins; gives its place, as JSON without its braces. */
  begin(item: Json): string
  finish(item: Json): void
  /** Fields of an event within the item that is open. */
  within(item: Json, fields: Json): Json
}

export function createItems({ id, kept }: Reply, teller: Teller): Items {
  const own = kept?.id.slice(kept.id.indexOf('_') + 1) ?? id
  const output: Json[] = []
  return {
    teller,
    output,
    idOf: (prefix) => `${prefix}_${own}_${output.length}`,
    begin(item) {
      teller.event('response.output_item.added', { output_index: output.length, item })
      return `"item_id":${JSON.stringify(item['id'])},"output_index":${output.length}`
    },
    finish(item) {
      teller.event('response.output_item.done', { output_index: output.length, item })
      output.push(item)
    },
    within: (item, fields) => ({ item_id: item['id'], output_index: output.length, ...fields }),
  }
}
