import type { Block, Node, ToolCallBlock } from '../../canonical/block.ts'
import type { Json } from '../../canonical/json.ts'
import { dropped, under } from '../../canonical/loss.ts'
import { hash } from '../../canonical/names.ts'
import type { Message } from '../../canonical/request.ts'
import { original, ownFields, writeSide } from '../../canonical/side.ts'
import { strayResult, unanswered } from '../../canonical/tools.ts'
import { isPlain, writeAside, writeParts, writeResult, writeSpoken } from './blocks-write.ts'
import { ID } from './wire.ts'
import type { Writing } from './writing.ts'

/** Where a caller of this format gives the system prompt beside the input. */
const INSTRUCTIONS = 'instructions'

/** The instructions, as a caller of this format gave them, and the items of the input. */
export function writeTurns(context: Writing): { instructions?: string; input: Json[] } {
  const { request, own } = context
  const [first, ...others] = request.messages
  const apart = own && first?.at === INSTRUCTIONS
  const waiting = new Map<string, ToolCallBlock>()
  const input: Json[] = []
  for (const message of apart ? others : request.messages) {
    if (!own) pair(message, waiting)
    for (const item of writeTurn(context, message)) input.push(item)
  }
  for (const call of waiting.values()) throw unanswered(call)
  return { ...(apart && { instructions: textOf(first) }), input }
}

function textOf({ blocks }: Message): string {
  return blocks.map((block) => (block.type === 'text' ? block.text : '')).join('')
}

/**
 * The vendor refuses a call without its result, and a result without its call. What its own caller sends may stand in
 * an earlier answer.
 */
function pair({ role, blocks }: Message, waiting: Map<string, ToolCallBlock>): void {
  for (const block of blocks) {
    if (block.type === 'tool-call' && role === 'assistant') waiting.set(block.id, block)
    if (block.type === 'tool-result' && !waiting.delete(block.id)) throw strayResult(block)
  }
}

function writeTurn(context: Writing, message: Message): Json[] {
  if (message.name !== undefined) dropped(context.losses, under(message, 'name'), 'messages have no names')
  return message.role === 'assistant' ? writeAssistant(context, message) : writeOther(context, message)
}

/** Results are items of their own; what stands between them is a message. */
function writeOther(context: Writing, message: Message): Json[] {
  const items: Json[] = []
  let said: Block[] = []
  const speak = (): void => {
    if (said.length > 0) items.push(messageItem(context, message, contentOf(context, said)))
    said = []
  }
  for (const block of message.blocks) {
    const kept = original(block, ID)
    if (block.type !== 'tool-result' && !kept) {
      said.push(block)
      continue
    }
    speak()
    items.push(kept ?? writeResult(context, block as Block & { type: 'tool-result' }))
  }
  speak()
  if (message.blocks.length === 0) items.push(messageItem(context, message, ''))
  return items
}

function contentOf(context: Writing, blocks: readonly Block[]): string | Json[] {
  const parts = writeParts(context, blocks)
  const [only] = parts
  if (!only) return ''
  return parts.length === 1 && isPlain(only) ? String(only['text']) : parts
}

function messageItem(context: Writing, message: Message, content: string | Json[]): Json {
  const role = message.role === 'system' && message.developer ? 'developer' : message.role
  return withNode(context, message, { role, content })
}

function withNode({ own, losses }: Writing, node: Node, out: Json): Json {
  if (own && node.ref !== undefined) Object.assign(out, { type: 'message', id: node.ref })
  writeSide(node, ID, out, losses)
  return out
}

/** What the assistant said is one message, from its first word to the last before it did something else. */
function writeAssistant(context: Writing, message: Message): Json[] {
  const items: Json[] = []
  let said: Json[] = []
  let spoken = false
  const speak = (): void => {
    if (said.length > 0) items.push(spokenItem(context, message, said, spoken))
    spoken ||= said.length > 0
    said = []
  }
  for (const block of message.blocks) {
    if (block.type === 'text' || block.type === 'refusal') {
      if (block.text !== '' || context.own) said.push(writeSpoken(context, block))
      continue
    }
    speak()
    const item = writeAside(context, block)
    if (item) items.push(item)
  }
  speak()
  if (!spoken) {
    for (const key in ownFields(message, ID)) dropped(context.losses, under(message, key), 'the turn has no message')
    writeSide(message, ID, {}, context.losses)
  }
  return items
}

/**
 * Text that was cut into blocks, as citations do, is one text again. What is more needs an id, which the vendor demands
 * of a list.
 */
function spokenContent({ own }: Writing, { ref }: Message, parts: Json[]): Json {
  const isPlain = parts.every(isPlainSpeech)
  if (own && ref !== undefined) return { content: parts }
  if (isPlain && !(own && parts.length > 1)) return { content: parts.map((part) => part['text']).join('') }
  return { type: 'message', id: `msg_${hash(JSON.stringify(parts))}`, content: parts, status: 'completed' }
}

/** Whether a part is text and nothing else, as `writeSpoken` writes it. */
function isPlainSpeech({ type, annotations, logprobs, ...rest }: Json): boolean {
  return type === 'output_text' && Object.keys(rest).length === 1 && isEmpty(annotations) && isEmpty(logprobs)
}

function isEmpty(list: unknown): boolean {
  return Array.isArray(list) && list.length === 0
}

/** Of a turn that speaks again after a call only the first message has what was said of the whole. */
function spokenItem(context: Writing, message: Message, parts: Json[], again: boolean): Json {
  const out: Json = { role: 'assistant', ...spokenContent(context, message, parts) }
  if (again) return out
  const item = withNode(context, message, out)
  if (item['id'] !== undefined) item['status'] ??= 'completed'
  return item
}
