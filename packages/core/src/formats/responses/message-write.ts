import type { Block, Citation } from '../../canonical/block.ts'
import { isObject, type Json } from '../../canonical/json.ts'
import type { Loss } from '../../canonical/loss.ts'
import type { Delta } from '../../canonical/part.ts'
import type { TokenLogprob } from '../../canonical/response.ts'
import { writeExtensions } from '../../canonical/vendor-extensions.ts'
import { writeTokens } from '../chat-completions/logprobs.ts'
import { writeAnnotations } from './citations.ts'
import { type EventTemplate, eventTemplate, type Items } from './items.ts'
import { ID } from './wire.ts'

/** Block that is part of a message. */
export type Spoken = Block & { type: 'text' | 'refusal' }

export function isSpoken(block: Block): block is Spoken {
  return block.type === 'text' || block.type === 'refusal'
}

/** Writer of text and refusals as parts of messages. */
export interface MessageWriter {
  start(block: Spoken): void
  add(delta: Delta): void
  stop(): void
  logprobs(tokens: readonly TokenLogprob[]): void
  /**
   * Ends the open message.
   * @param isCut true if the response is incomplete.
   */
  close(isCut?: boolean): void
}

interface OpenMessage {
  readonly item: Json
  readonly content: Json[]
  readonly place: string
}

interface OpenPart {
  readonly block: Spoken
  /** Vendor extensions. */
  readonly own: Json
  text: string
  readonly citations: Citation[]
  /** Template of its delta events. Undefined until the part has content, since empty parts are left out. */
  place: EventTemplate | undefined
}

export function writeMessages(items: Items, losses: Loss[]): MessageWriter {
  const { events } = items
  let message: OpenMessage | undefined
  let part: OpenPart | undefined
  const tokens: TokenLogprob[] = []

  const close = (isCut = false): void => {
    if (!message) return
    const { item, content } = message
    message = undefined
    items.finish({ ...item, status: isCut ? 'incomplete' : (item['status'] ?? 'completed'), content })
  }

  /** Message of a part. Parts of different messages stay separate. */
  const opened = ({ block: { ref }, own }: OpenPart): OpenMessage => {
    if (message && ref !== undefined && message.item['id'] !== ref) close()
    if (message) return message
    const fields = isObject(own['message']) ? own['message'] : {}
    const item: Json = { id: ref ?? items.idOf('msg'), type: 'message', role: 'assistant', ...fields }
    message = { item, content: [], place: items.begin({ ...item, status: 'in_progress', content: [] }) }
    return message
  }

  const begun = (open: OpenPart): EventTemplate => {
    const { item, content, place } = opened(open)
    const empty = partOf(open.block, '', [], [])
    events.event('response.content_part.added', items.within(item, { content_index: content.length, part: empty }))
    const where = `${place},"content_index":${content.length}`
    open.place =
      open.block.type === 'refusal'
        ? eventTemplate('response.refusal.delta', where)
        : eventTemplate('response.output_text.delta', `${where},"logprobs":[]`)
    return open.place
  }

  const say = (open: OpenPart, text: string): void => {
    if (text === '') return
    const place = open.place ?? begun(open)
    open.text += text
    events.piece(place, text)
  }

  const end = ({ block, own, text, citations }: OpenPart, { item, content }: OpenMessage): void => {
    const at = { content_index: content.length }
    const annotations = block.type === 'text' ? writeAnnotations(block, citations, text.length, losses) : []
    for (const [index, annotation] of annotations.entries())
      events.event(
        'response.output_text.annotation.added',
        items.within(item, { ...at, annotation_index: index, annotation }),
      )
    const logprobs = block.type === 'text' ? writeTokens(tokens.splice(0)) : []
    const { message: _, ...fields } = own
    const done = { ...partOf(block, text, annotations, logprobs), ...fields }
    if (block.type === 'refusal') events.event('response.refusal.done', items.within(item, { ...at, refusal: text }))
    else events.event('response.output_text.done', items.within(item, { ...at, text, logprobs }))
    events.event('response.content_part.done', items.within(item, { ...at, part: done }))
    content.push(done)
  }

  return {
    start(block) {
      const own: Json = {}
      writeExtensions(block, ID, own, losses)
      part = { block, own, text: '', citations: [], place: undefined }
      if (block.type === 'text') for (const citation of block.citations ?? []) part.citations.push(citation)
      say(part, block.text)
    },
    add({ text, citations = [] }) {
      if (!part) return
      for (const citation of citations) part.citations.push(citation)
      if (text !== undefined) say(part, text)
    },
    stop() {
      const open = part
      part = undefined
      if (open?.place !== undefined && message) end(open, message)
    },
    logprobs(more) {
      for (const token of more) tokens.push(token)
    },
    close,
  }
}

function partOf(block: Spoken, text: string, annotations: readonly Json[], logprobs: readonly Json[]): Json {
  return block.type === 'refusal'
    ? { type: 'refusal', refusal: text }
    : { type: 'output_text', text, annotations, logprobs }
}
