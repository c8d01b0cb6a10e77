import type { Reply } from '../../canonical/format.ts'
import type { Json } from '../../canonical/json.ts'

/** Receiver of the events of a response. A whole response has none. */
export interface EventWriter {
  event(type: string, fields: Json): void
  /** Writes a delta of text. */
  piece(at: EventTemplate, delta: string): void
}

/** JSON around the sequence number in all delta events of one text, since a stream has thousands of them. */
export interface EventTemplate {
  readonly before: string
  readonly after: string
}

/**
 * Creates the template of a delta event.
 * @param where position in the response, as JSON without braces
 */
export function eventTemplate(type: string, where: string): EventTemplate {
  return { before: `event: ${type}\ndata: {"type":"${type}","sequence_number":`, after: `,${where},"delta":` }
}

/** Writer of a response's items, in sequence. */
export interface Items {
  readonly events: EventWriter
  /** Ended items. */
  readonly output: readonly Json[]
  /** Returns an id for the next item. */
  idOf(prefix: string): string
  /** Announces the next item. Returns its position, as JSON without braces. */
  begin(item: Json): string
  finish(item: Json): void
  /** Returns the fields of an event in the open item. */
  within(item: Json, fields: Json): Json
}

export function createItems({ id, storage }: Reply, events: EventWriter): Items {
  const own = storage?.id.slice(storage.id.indexOf('_') + 1) ?? id
  const output: Json[] = []
  return {
    events,
    output,
    idOf: (prefix) => `${prefix}_${own}_${output.length}`,
    begin(item) {
      events.event('response.output_item.added', { output_index: output.length, item })
      return `"item_id":${JSON.stringify(item['id'])},"output_index":${output.length}`
    },
    finish(item) {
      events.event('response.output_item.done', { output_index: output.length, item })
      output.push(item)
    },
    within: (item, fields) => ({ item_id: item['id'], output_index: output.length, ...fields }),
  }
}
