import type { Block, MediaBlock, ReasoningBlock, TextBlock, ToolCallBlock, ToolResultBlock } from '../../chat/block.ts'
import type { Json } from '../../chat/json.ts'
import { changed, dropped, under } from '../../chat/loss.ts'
import type { Message } from '../../chat/request.ts'
import { invalid } from '../../errors.ts'
import { ofType, writeAnnotations, writeImages } from './answer-parts.ts'
import { writeMedia } from './media-write.ts'
import { verifiable, writeDetail, writeExtraContent, writeThinking } from './reasoning.ts'
import { putSide } from './side.ts'
import { putCache, putCacheControl, type Writing } from './writing.ts'

/**
 * Writes the conversation. The results of a turn's calls come right after it, and what the caller put between them follows;
 * every call needs its result, and every result its call.
 */
export function writeMessages(context: Writing): Json[] {
  const out: Json[] = []
  const held: Json[] = []
  const waiting = new Map<string, ToolCallBlock>()
  const settle = () => {
    for (const call of waiting.values()) throw missingResult(call)
    out.push(...held.splice(0))
  }
  const { system, turns } = splitSystem(context)
  if (system) out.push(system)
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

function missingResult(call: ToolCallBlock): Error {
  const path = call.at ?? 'messages'
  return invalid(path, `${path}: the tool call "${call.id}" has no result. Send its result in the turn that follows.`)
}

/** The system prompt as one text, where the server knows no more; the turns with calls that belong together in one. */
function splitSystem({ request, target, losses }: Writing): { system: Json | undefined; turns: Message[] } {
  const turns = mergeCalls(request.messages)
  if (!target.facts?.plainSystem) return { system: undefined, turns }
  const end = turns.findIndex((message) => message.role !== 'system')
  const leading = turns.slice(0, end === -1 ? turns.length : end)
  if (leading.length === 0) return { system: undefined, turns }
  for (const message of leading) {
    for (const block of message.blocks)
      if ('cache' in block && block.cache) dropped(losses, under(block, 'cache_control'), 'the system prompt is plain text')
  }
  const content = leading.flatMap(textsOf).join('\n\n')
  return { system: content === '' ? undefined : { role: 'system', content }, turns: turns.slice(leading.length) }
}

/** Neighbouring assistant turns are one turn; the vendor needs them as one message when the first has calls. */
function mergeCalls(messages: readonly Message[]): Message[] {
  const turns: Message[] = []
  for (const message of messages) {
    const last = turns.at(-1)
    const merge = message.role === 'assistant' && last?.role === 'assistant' && last.blocks.some((block) => block.type === 'tool-call')
    if (merge) turns[turns.length - 1] = { ...last, blocks: [...last.blocks, ...message.blocks] }
    else turns.push(message)
  }
  return turns
}

/** A system turn in its place; where the server knows only a leading one, a marked user turn. */
function writeSystem(context: Writing, message: Message): Json {
  if (context.target.facts?.plainSystem) {
    changed(context.losses, message.at, 'a later system message becomes a marked user message')
    return { role: 'user', content: `<system-reminder>\n${textsOf(message).join('\n\n')}\n</system-reminder>` }
  }
  const out: Json = { role: message.developer ? 'developer' : 'system', content: writeContent(context, message.blocks) }
  return withName(context, message, out)
}

function withName(context: Writing, message: Message, out: Json): Json {
  if (message.name !== undefined) out['name'] = message.name
  putSide(message, out, context.losses)
  return out
}

interface Turn {
  readonly out: Json[]
  readonly held: Json[]
  readonly waiting: Map<string, ToolCallBlock>
}

function writeUserTurn(context: Writing, message: Message, { out, held, waiting }: Turn): void {
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

function strayResult(block: ToolResultBlock): Error {
  const path = block.at ?? 'messages'
  return invalid(path, `${path}: the id "${block.id}" is of no tool call in the turn before. Send the call, or leave the result out.`)
}

/** A tool message holds text only: media follow in a user message, and the text says so. */
function writeResult(context: Writing, block: ToolResultBlock, attached: Json[]): Json {
  const id = context.ids.get(block.id) ?? block.id
  const parts: Json[] = []
  for (const inner of block.blocks) {
    const part = writePart(context, inner)
    if (!part) continue
    if (part['type'] === 'text') {
      parts.push(part)
      continue
    }
    changed(context.losses, inner.at ?? block.at, 'moved out of the tool result into a user message')
    parts.push({ type: 'text', text: `[${(inner as MediaBlock).kind} attached below: ${id}]` })
    attached.push({ type: 'text', text: `Attachment of tool result ${id}:` }, part)
  }
  const out: Json = { role: 'tool', tool_call_id: id, content: resultContent(context, block, parts) }
  if (context.own && block.name !== undefined) out['name'] = block.name
  putSide(block, out, context.losses)
  putCacheControl(context, block, out)
  return out
}

/** An error is told in the text, as the format has no field for it. */
function resultContent(context: Writing, block: ToolResultBlock, parts: Json[]): string | Json[] {
  if (block.error) {
    changed(context.losses, under(block, 'is_error'), 'said in the text of the result')
    const [first] = parts
    const text = String(first?.['text'] ?? '')
    if (!first) parts.push({ type: 'text', text: 'Error' })
    else if (!/^error/i.test(text)) first['text'] = `Error: ${text}`
  }
  const apart = (context.own && parts.length > 1) || !parts.every(isPlain)
  return apart ? parts : parts.map((part) => part['text']).join('\n')
}

/** One plain text as a string, anything else as a list of parts. */
function writeContent(context: Writing, blocks: readonly Block[]): string | Json[] {
  const parts = blocks.map((block) => writePart(context, block)).filter((part) => part !== undefined)
  const [only] = parts
  if (!only) return ''
  return parts.length === 1 && isPlain(only) ? String(only['text']) : parts
}

function isPlain(part: Json): boolean {
  return part['type'] === 'text' && Object.keys(part).length === 2
}

function writePart(context: Writing, block: Block): Json | undefined {
  if (block.type === 'text') return writeText(context, block)
  if (block.type === 'media') return writeMedia(context, block)
  dropped(context.losses, block.at ?? block.type, 'no place for it in this role')
  return undefined
}

function writeText(context: Writing, block: TextBlock): Json {
  const part: Json = { type: 'text', text: block.text }
  putSide(block, part, context.losses)
  putCache(context, block, part)
  return part
}

function textsOf(message: Message): string[] {
  return message.blocks.flatMap((block) => (block.type === 'text' && block.text !== '' ? block.text : []))
}

function writeAssistant(context: Writing, message: Message): Json {
  const calls = ofType(message.blocks, 'tool-call')
  const refusals = ofType(message.blocks, 'refusal')
  const texts = ofType(message.blocks, 'text')
  const content = writeAnswerText(context, texts)
  const out: Json = { role: 'assistant', content: content === '' && (calls.length > 0 || refusals.length > 0) ? null : content }
  if (refusals.length > 0) out['refusal'] = refusals.map((block) => block.text).join('')
  putReasoning(context, ofType(message.blocks, 'reasoning'), out)
  putTextMarks(context, texts, out)
  putAnswerMedia(context, ofType(message.blocks, 'media'), out)
  if (calls.length > 0) out['tool_calls'] = calls.map((call) => writeCall(context, call))
  if (isInterleaved(message.blocks)) changed(context.losses, message.at, 'text and tool calls are not interleaved here')
  for (const block of [...ofType(message.blocks, 'hosted-call'), ...ofType(message.blocks, 'hosted-result')])
    dropped(context.losses, block.at ?? block.type, "another provider's own tool")
  return withName(context, message, out)
}

/** Text that was cut into blocks, as citations do, is one text again; marked parts stay apart. */
function writeAnswerText(context: Writing, blocks: readonly TextBlock[]): string | Json[] {
  const parts = blocks.map((block) => writeText(context, block))
  const apart = (context.own && parts.length > 1) || !parts.every(isPlain)
  return apart ? parts : blocks.map((block) => block.text).join('')
}

function isInterleaved(blocks: readonly Block[]): boolean {
  const call = blocks.findIndex((block) => block.type === 'tool-call')
  return call !== -1 && blocks.slice(call).some((block) => block.type === 'text' && block.text !== '')
}

function putTextMarks({ own, target, losses }: Writing, blocks: readonly TextBlock[], out: Json): void {
  for (const block of blocks) {
    if (block.citations && !own) dropped(losses, under(block, 'citations'), 'citations are not sent back')
    if (!block.signature) continue
    if (block.signature.signer === target.signer) out['extra_content'] = writeExtraContent(block.signature, block.signature.value)
    else dropped(losses, under(block, 'signature'), 'only its signer can read it')
  }
  const annotations = own ? writeAnnotations(blocks, []) : []
  if (annotations.length > 0) out['annotations'] = annotations
}

function putAnswerMedia(context: Writing, blocks: readonly MediaBlock[], out: Json): void {
  const images: MediaBlock[] = []
  for (const block of blocks) {
    if (!context.own) dropped(context.losses, block.at ?? 'media', 'answers that are sent back hold text and calls only')
    else if (block.kind === 'audio' && block.source.type === 'file') out['audio'] = { id: block.source.id }
    else images.push(block)
  }
  if (images.length > 0) out['images'] = writeImages(images)
}

function writeCall(context: Writing, block: ToolCallBlock): Json {
  const id = context.ids.get(block.id) ?? block.id
  const name = context.names.get(block.name) ?? block.name
  const text = context.own || block.custom ? block.arguments : block.arguments || '{}'
  const out: Json = block.custom
    ? { id, type: 'custom', custom: { name, input: text } }
    : { id, type: 'function', function: { name, arguments: text } }
  putSide(block, out, context.losses)
  putCacheControl(context, block, out)
  if (!block.signature) return out
  if (block.signature.signer === context.target.signer) out['extra_content'] = writeExtraContent(block.signature, block.signature.value)
  else dropped(context.losses, under(block, 'signature'), 'only its signer can read it')
  return out
}

type Carrier = 'reasoning_content' | 'reasoning' | 'reasoning_details' | 'thinking_blocks'

/** Where the upstream takes reasoning: as the caller carried it, else as the provider says. */
function carrierOf({ own, target }: Writing, block: ReasoningBlock): Carrier | undefined {
  const named = own ? /\.(reasoning_content|reasoning_details|reasoning|thinking_blocks)\b/.exec(block.at ?? '')?.[1] : undefined
  return (named as Carrier | undefined) ?? target.facts?.reasoning
}

function putReasoning(context: Writing, blocks: readonly ReasoningBlock[], out: Json): void {
  for (const [index, block] of blocks.entries()) {
    const carrier = carrierOf(context, block)
    const value = carrier && reasoningValue(context, block, carrier, index)
    if (!carrier || value === undefined) {
      dropped(context.losses, block.at ?? 'reasoning', carrier ? 'only its signer can read it' : 'the model takes no reasoning back')
    } else if (typeof value === 'string') out[carrier] = `${out[carrier] ?? ''}${value}`
    else out[carrier] = [...((out[carrier] as Json[] | undefined) ?? []), value]
  }
}

function reasoningValue({ target, losses }: Writing, block: ReasoningBlock, carrier: Carrier, index: number): string | Json | undefined {
  const signature = verifiable(block.signature, target.signer)
  if (carrier === 'reasoning_details') return block.redacted && !signature ? undefined : writeDetail(block, signature, index)
  if (carrier === 'thinking_blocks') return signature && writeThinking(block, signature.value)
  if (block.redacted) return undefined
  if (block.signature) dropped(losses, under(block, 'signature'), 'no place for it')
  return block.text
}
