import type { ReasoningBlock, Signature } from '../../canonical/block.ts'
import { seal } from '../../canonical/envelope.ts'
import type { Json } from '../../canonical/json.ts'
import { dropped, type Loss } from '../../canonical/loss.ts'
import type { Delta } from '../../canonical/part.ts'
import { isOwn, writeExtensions } from '../../canonical/vendor-extensions.ts'
import { type EventTemplate, eventTemplate, type Items } from './items.ts'
import { bare, sealed, writeThought } from './reasoning.ts'
import { ID } from './wire.ts'

/** Writer of reasoning items. */
export interface ThoughtWriter {
  start(block: ReasoningBlock): void
  add(delta: Delta): void
  stop(): void
  /** Writes separate reasoning for a signature for which the format has no field. See `returnSignatures`. */
  carry(signature: Signature): void
}

interface OpenThought {
  readonly block: ReasoningBlock
  text: string
  signature: Signature | undefined
  /** Item and template of its delta events, after its start. */
  begun: { readonly item: Json; readonly place: EventTemplate } | undefined
}

/** Names of events and fields for a summary, and for the full reasoning. */
const SUMMARY = {
  part: 'response.reasoning_summary_part',
  text: 'response.reasoning_summary_text',
  index: 'summary_index',
  type: 'summary_text',
}
const RAW = {
  part: 'response.content_part',
  text: 'response.reasoning_text',
  index: 'content_index',
  type: 'reasoning_text',
}

export function writeThoughts(items: Items, losses: Loss[]): ThoughtWriter {
  const { events } = items
  let thought: OpenThought | undefined

  const begin = ({ block }: OpenThought): { item: Json; place: EventTemplate } => {
    const words = block.raw ? RAW : SUMMARY
    const item: Json = { id: block.ref ?? items.idOf('rs'), type: 'reasoning', summary: [] }
    const place = eventTemplate(`${words.text}.delta`, `${items.begin(item)},"${words.index}":0`)
    events.event(`${words.part}.added`, items.within(item, { [words.index]: 0, part: { type: words.type, text: '' } }))
    return { item, place }
  }

  const think = (open: OpenThought, text: string): void => {
    if (text === '') return
    open.begun ??= begin(open)
    open.text += text
    events.piece(open.begun.place, text)
  }

  const tell = (item: Json, { block, text }: OpenThought): void => {
    const words = block.raw ? RAW : SUMMARY
    const at = { [words.index]: 0 }
    events.event(`${words.text}.done`, items.within(item, { ...at, text }))
    events.event(`${words.part}.done`, items.within(item, { ...at, part: { type: words.type, text } }))
  }

  const end = (open: OpenThought): void => {
    const { block, text, signature, begun } = open
    const id = String(begun?.item['id'] ?? (signature && bare(signature).id) ?? block.ref ?? items.idOf('rs'))
    const item: Json = { id, type: 'reasoning', ...writeThought({ ...block, text }) }
    if (signature) item['encrypted_content'] = sealed(signature, id, block.redacted)
    writeExtensions(block, ID, item, losses)
    if (begun) tell(begun.item, open)
    else items.begin(item)
    items.finish(item)
  }

  return {
    start(block) {
      thought = { block, text: '', signature: block.signature, begun: undefined }
      think(thought, block.text)
    },
    add(delta) {
      if (!thought) return
      if (delta.signature) thought.signature = delta.signature
      if (delta.text !== undefined) think(thought, delta.text)
    },
    stop() {
      const open = thought
      thought = undefined
      if (!open) return
      const { block, signature, begun } = open
      // Callers of this format can refer to the id of an empty item.
      if (begun || signature || (block.ref !== undefined && !block.redacted)) {
        end(open)
        return
      }
      if (block.redacted) dropped(losses, block.at ?? 'reasoning', 'encrypted reasoning without its content')
      if (!isOwn(block, ID)) writeExtensions(block, ID, {}, losses)
    },
    carry(signature) {
      const item: Json = { id: items.idOf('rs'), type: 'reasoning', summary: [], encrypted_content: seal(signature) }
      items.begin(item)
      items.finish(item)
    },
  }
}
