import type { Block, Node, ToolCallBlock } from '../../canonical/block.ts'
import type { Json } from '../../canonical/json.ts'
import { dropped, under } from '../../canonical/loss.ts'
import { hash } from '../../canonical/names.ts'
import type { Message } from '../../canonical/request.ts'
import { missingResult, strayResult } from '../../canonical/tools.ts'
import { original, ownFields, writeExtensions } from '../../canonical/vendor-extensions.ts'
import { isPlain, writeAside, writeParts, writeResult, writeSpoken } from './blocks-write.ts'
import { ID } from './wire.ts'
import type { ResponsesWriteState } from './write-state.ts'

/** Path of a system prompt outside of the input, for callers of this format. */
const INSTRUCTIONS = 'instructions'

/** Instructions of a caller of this format, and the items of the input. */
export function writeTurns(context: ResponsesWriteState): { instructions?: string; input: Json[] } {
  const { request, own } = context
  const [first, ...others] = request.messages
  const apart = own && first?.at === INSTRUCTIONS
  const waiting = new Map<string, ToolCallBlock>()
  const input: Json[] = []
  for (const message of apart ? others : request.messages) {
    if (!own) pair(message, waiting)
    for (const item of writeTurn(context, message)) input.push(item)
  }
  for (const call of waiting.values()) throw missingResult(call)
  return { ...(apart && { instructions: textOf(first) }), input }
}

function textOf({ blocks }: Message): string {
  return blocks.map((block) => (block.type === 'text' ? block.text : '')).join('')
}

/**
 * Matches calls and results, since the vendor rejects a call without a result and vice versa. Requests of callers of
 * this format are not checked, since the counterpart may be in an earlier response.
 */
function pair({ role, blocks }: Message, waiting: Map<string, ToolCallBlock>): void {
  for (const block of blocks) {
    if (block.type === 'tool-call' && role === 'assistant') waiting.set(block.id, block)
    if (block.type === 'tool-result' && !waiting.delete(block.id)) throw strayResult(block)
  }
}

function writeTurn(context: ResponsesWriteState, message: Message): Json[] {
  if (message.name !== undefined)
    dropped(context.losses, under(message, 'name'), 'messages have no names in this format')
  return message.role === 'assistant' ? writeAssistant(context, message) : writeOther(context, message)
}

/** Items of a turn other than the assistant's. Results are separate items, and other blocks become messages. */
function writeOther(context: ResponsesWriteState, message: Message): Json[] {
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

function contentOf(context: ResponsesWriteState, blocks: readonly Block[]): string | Json[] {
  const parts = writeParts(context, blocks)
  const [only] = parts
  if (!only) return ''
  return parts.length === 1 && isPlain(only) ? String(only['text']) : parts
}

function messageItem(context: ResponsesWriteState, message: Message, content: string | Json[]): Json {
  const role = message.role === 'system' && message.developer ? 'developer' : message.role
  return withNode(context, message, { role, content })
}

function withNode({ own, losses }: ResponsesWriteState, node: Node, out: Json): Json {
  if (own && node.ref !== undefined) Object.assign(out, { type: 'message', id: node.ref })
  writeExtensions(node, ID, out, losses)
  return out
}

/** Items of an assistant's turn. Consecutive text becomes one message. */
function writeAssistant(context: ResponsesWriteState, message: Message): Json[] {
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
    writeExtensions(message, ID, {}, context.losses)
  }
  return items
}

/**
 * Content of an assistant's message. Text in several blocks becomes one string. Other content requires an id, as the
 * vendor demands for lists.
 */
function spokenContent({ own }: ResponsesWriteState, { ref }: Message, parts: Json[]): Json {
  const isPlain = parts.every(isPlainSpeech)
  if (own && ref !== undefined) return { content: parts }
  if (isPlain && !(own && parts.length > 1)) return { content: parts.map((part) => part['text']).join('') }
  return { type: 'message', id: `msg_${hash(JSON.stringify(parts))}`, content: parts, status: 'completed' }
}

/** True for a part of `writeSpoken` with only text. */
function isPlainSpeech({ type, annotations, logprobs, ...rest }: Json): boolean {
  return type === 'output_text' && Object.keys(rest).length === 1 && isEmpty(annotations) && isEmpty(logprobs)
}

function isEmpty(list: unknown): boolean {
  return Array.isArray(list) && list.length === 0
}

/**
 * Item for an assistant's message. If a turn has several messages, only the first has the vendor extensions of the
 * turn.
 */
function spokenItem(context: ResponsesWriteState, message: Message, parts: Json[], again: boolean): Json {
  const out: Json = { role: 'assistant', ...spokenContent(context, message, parts) }
  if (again) return out
  const item = withNode(context, message, out)
  if (item['id'] !== undefined) item['status'] ??= 'completed'
  return item
}
