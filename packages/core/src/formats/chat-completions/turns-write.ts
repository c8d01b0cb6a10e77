import { type Block, blocksOf, type Node, type ToolCallBlock, type ToolResultBlock } from '../../canonical/block.ts'
import type { Json } from '../../canonical/json.ts'
import { changed, dropped, type Loss, under } from '../../canonical/loss.ts'
import type { Message } from '../../canonical/request.ts'
import { misplaced, missingResult, saidAsError, strayResult } from '../../canonical/tools.ts'
import { reminder, splitSystem } from '../../canonical/turns.ts'
import { ownFields, writeExtensions } from '../../canonical/vendor-extensions.ts'
import {
  isPlain,
  putAssistantMedia,
  putReasoning,
  putTextMarks,
  textsOf,
  writeAssistantText,
  writeCall,
  writeContent,
  writePart,
} from './blocks-write.ts'
import { ID } from './wire.ts'
import { type ChatWriteState, putCacheControl } from './write-state.ts'

/**
 * Writes the conversation. Results directly follow the turn with their calls, and other messages between them come
 * later. Every call needs a result, and every result a call.
 */
export function writeTurns(context: ChatWriteState): Json[] {
  const out: Json[] = []
  let held: Json[] = []
  const waiting = new Map<string, ToolCallBlock>()
  const settle = (): void => {
    for (const call of waiting.values()) throw missingResult(call)
    for (const turn of held) out.push(turn)
    held = []
  }
  const turns = mergeCalls(context.target.facts?.plainSystem ? withoutSystem(context, out) : context.request.messages)
  for (const message of turns) {
    if (message.role === 'assistant') {
      settle()
      for (const block of message.blocks) if (block.type === 'tool-call') waiting.set(block.id, block)
      out.push(writeAssistant(context, message))
    } else if (message.role === 'system') {
      held.push(writeSystem(context, message))
    } else {
      writeUserTurn(context, message, { out, held, waiting })
    }
  }
  settle()
  return out
}

/** Writes the system prompt as one string, for servers that support only this, and returns the other turns. */
function withoutSystem(context: ChatWriteState, out: Json[]): readonly Message[] {
  const { system, turns } = splitSystem(context.request.messages)
  for (const message of system) loseMarks(context, message)
  const content = system.flatMap(textsOf).join('\n\n')
  if (content !== '') out.push({ role: 'system', content })
  return turns
}

/** Merges consecutive assistant turns if the first has calls, since the vendor requires one message. */
function mergeCalls(messages: readonly Message[]): Message[] {
  const turns: Message[] = []
  let merged: Message | undefined
  for (const message of messages) {
    const last = turns.at(-1)
    if (message.role !== 'assistant' || last?.role !== 'assistant' || (last !== merged && !hasCalls(last))) {
      turns.push(message)
      continue
    }
    if (last !== merged) {
      merged = { ...last, blocks: [...last.blocks] }
      turns[turns.length - 1] = merged
    }
    for (const block of message.blocks) merged?.blocks.push(block)
  }
  return turns
}

const PLAIN = 'the system prompt is plain text'

/** Declares the loss of everything except the text of a system message. */
function loseMarks({ losses }: ChatWriteState, message: Message): void {
  if (message.name !== undefined) dropped(losses, under(message, 'name'), PLAIN)
  loseExtensions(message, losses)
  for (const block of message.blocks) {
    if (block.type !== 'text') {
      dropped(losses, block.at ?? block.type, PLAIN)
      continue
    }
    if (block.cache) dropped(losses, under(block, 'cache_control'), PLAIN)
    if (block.citations) dropped(losses, under(block, 'citations'), PLAIN)
    loseExtensions(block, losses)
  }
}

function loseExtensions(node: Node, losses: Loss[]): void {
  const own = ownFields(node, ID)
  for (const key in own) dropped(losses, under(node, key), PLAIN)
  if (!own) writeExtensions(node, ID, {}, losses)
}

function hasCalls({ blocks }: Message): boolean {
  return blocks.some((block) => block.type === 'tool-call')
}

/** Writes a later system turn, or a marked user turn if the server supports only a leading system message. */
function writeSystem(context: ChatWriteState, message: Message): Json {
  if (context.target.facts?.plainSystem) {
    changed(context.losses, message.at, 'a later system message becomes a marked user message')
    loseMarks(context, message)
    return { role: 'user', content: reminder(textsOf(message).join('\n\n')) }
  }
  const media = blocksOf(message.blocks, 'media')[0]
  if (media && !context.own) throw misplaced(media, 'a system message, which contains only text')
  return withName(context, message, {
    role: message.developer ? 'developer' : 'system',
    content: writeContent(context, message.blocks),
  })
}

function withName(context: ChatWriteState, message: Message, out: Json): Json {
  if (message.name !== undefined) out['name'] = message.name
  writeExtensions(message, ID, out, context.losses)
  return out
}

interface TurnWriter {
  readonly out: Json[]
  readonly held: Json[]
  readonly waiting: Map<string, ToolCallBlock>
}

function writeUserTurn(context: ChatWriteState, message: Message, { out, held, waiting }: TurnWriter): void {
  const rest: Block[] = []
  for (const block of message.blocks) {
    if (block.type !== 'tool-result') {
      rest.push(block)
      continue
    }
    if (!waiting.delete(block.id)) throw strayResult(block)
    const attached: Json[] = []
    out.push(writeResult(context, block, attached))
    if (attached.length > 0) held.push({ role: 'user', content: attached })
  }
  if (message.blocks.length > 0 && rest.length === 0) return
  held.push(withName(context, message, { role: 'user', content: writeContent(context, rest) }))
}

/** Tool message. It contains only text: media follow in a user message, to which the text refers. */
function writeResult(context: ChatWriteState, block: ToolResultBlock, attached: Json[]): Json {
  const id = context.ids.get(block.id) ?? block.id
  const parts: Json[] = []
  for (const inner of block.blocks) {
    const part = writePart(context, inner)
    if (!part) continue
    if (part['type'] === 'text' || inner.type !== 'media') {
      parts.push(part)
      continue
    }
    changed(context.losses, inner.at ?? block.at, 'moved from the tool result to a user message')
    parts.push({ type: 'text', text: `[${inner.kind} attached below: ${id}]` })
    attached.push({ type: 'text', text: `Attachment of tool result ${id}:` }, part)
  }
  const out: Json = { role: 'tool', tool_call_id: id, content: resultContent(context, block, parts) }
  if (context.own && block.name !== undefined) out['name'] = block.name
  writeExtensions(block, ID, out, context.losses)
  putCacheControl(context, block.cache, under(block, 'cache_control'), out)
  return out
}

/** Content of a result. An error becomes part of the text, since the format has no field for it. */
function resultContent(context: ChatWriteState, block: ToolResultBlock, parts: Json[]): string | Json[] {
  if (block.error) {
    changed(context.losses, under(block, 'is_error'), 'included in the text of the result')
    const [first] = parts
    const text = saidAsError(String(first?.['text'] ?? ''))
    if (first) first['text'] = text
    else parts.push({ type: 'text', text })
  }
  const apart = (context.own && parts.length > 1) || !parts.every(isPlain)
  return apart ? parts : parts.map((part) => part['text']).join('\n')
}

function writeAssistant(context: ChatWriteState, message: Message): Json {
  const calls = blocksOf(message.blocks, 'tool-call')
  const refusals = blocksOf(message.blocks, 'refusal')
  const texts = blocksOf(message.blocks, 'text')
  const content = writeAssistantText(context, texts)
  const out: Json = {
    role: 'assistant',
    content: content === '' && (calls.length > 0 || refusals.length > 0) ? null : content,
  }
  if (refusals.length > 0) out['refusal'] = refusals.map((block) => block.text).join('')
  putReasoning(context, blocksOf(message.blocks, 'reasoning'), out)
  putTextMarks(context, texts, out)
  putAssistantMedia(context, blocksOf(message.blocks, 'media'), out)
  if (calls.length > 0) out['tool_calls'] = calls.map((call) => writeCall(context, call))
  if (isInterleaved(message.blocks))
    changed(context.losses, message.at, 'the format does not interleave text and tool calls')
  for (const block of message.blocks) {
    if (block.type === 'hosted-call' || block.type === 'hosted-result')
      dropped(context.losses, block.at ?? block.type, 'a hosted tool of another provider')
  }
  return withName(context, message, out)
}

function isInterleaved(blocks: readonly Block[]): boolean {
  const call = blocks.findIndex((block) => block.type === 'tool-call')
  return call !== -1 && blocks.some((block, index) => index > call && block.type === 'text' && block.text !== '')
}
