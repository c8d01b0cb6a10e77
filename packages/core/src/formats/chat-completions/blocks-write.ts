import type { Block, MediaBlock, ReasoningBlock, TextBlock, ToolCallBlock } from '../../canonical/block.ts'
import type { Json } from '../../canonical/json.ts'
import { dropped, under } from '../../canonical/loss.ts'
import type { Message } from '../../canonical/request.ts'
import { loseSignature, sendSignature, verifiable } from '../../canonical/signature.ts'
import { writeExtensions } from '../../canonical/vendor-extensions.ts'
import { sentName } from '../../canonical/write-state.ts'
import { writeAnnotations } from './citations.ts'
import { writeImages, writeMedia } from './media-write.ts'
import { hasFunctionsOnly } from './models.ts'
import { writeDetail, writeExtraContent, writeThinking } from './reasoning.ts'
import { ID } from './wire.ts'
import { type ChatWriteState, putCache, putCacheControl, writtenArguments } from './write-state.ts'

/** Content as a string if it is plain text, else as a list of parts. */
export function writeContent(context: ChatWriteState, blocks: readonly Block[]): string | Json[] {
  const parts = blocks.map((block) => writePart(context, block)).filter((part) => part !== undefined)
  const [only] = parts
  if (!only) return ''
  return parts.length === 1 && isPlain(only) ? String(only['text']) : parts
}

/** True for a part with only text. */
export function isPlain(part: Json): boolean {
  return part['type'] === 'text' && Object.keys(part).length === 2
}

/** Content part for a block. Undefined if the block cannot be sent. */
export function writePart(context: ChatWriteState, block: Block): Json | undefined {
  if (block.type === 'text') {
    if (block.citations && !context.own)
      dropped(context.losses, under(block, 'citations'), 'only responses have citations')
    return writeText(context, block)
  }
  if (block.type === 'media') return writeMedia(context, block)
  dropped(context.losses, block.at ?? block.type, 'messages of this role cannot contain it')
  return undefined
}

function writeText(context: ChatWriteState, block: TextBlock): Json {
  const part: Json = { type: 'text', text: block.text }
  writeExtensions(block, ID, part, context.losses)
  putCache(context, block, part)
  return part
}

/** Non-empty strings of a turn. */
export function textsOf({ blocks }: Message): string[] {
  return blocks.flatMap((block) => (block.type === 'text' && block.text !== '' ? block.text : []))
}

/** Text of a response as one string. Parts with cache marks or other fields stay separate. */
export function writeAssistantText(context: ChatWriteState, blocks: readonly TextBlock[]): string | Json[] {
  const parts = blocks.map((block) => writeText(context, block))
  const apart = (context.own && parts.length > 1) || !parts.every(isPlain)
  return apart ? parts : blocks.map((block) => block.text).join('')
}

/** Writes citations and the signature of a response's text, which the format has only for the whole text. */
export function putTextMarks(context: ChatWriteState, blocks: readonly TextBlock[], out: Json): void {
  for (const block of blocks) {
    if (block.citations && !context.own)
      dropped(context.losses, under(block, 'citations'), 'citations are not part of a request')
    putSignature(context, block, out)
  }
  const annotations = context.own ? writeAnnotations(blocks, []) : []
  if (annotations.length > 0) out['annotations'] = annotations
}

function putSignature(context: ChatWriteState, block: TextBlock | ToolCallBlock, out: Json): void {
  const value = sendSignature(block, context)
  if (value !== undefined) out['extra_content'] = writeExtraContent(value)
}

export function putAssistantMedia(context: ChatWriteState, blocks: readonly MediaBlock[], out: Json): void {
  const images: MediaBlock[] = []
  for (const block of blocks) {
    if (!context.own) dropped(context.losses, block.at ?? 'media', 'assistant messages contain only text and calls')
    else if (block.kind === 'audio' && block.source.type === 'file') out['audio'] = { id: block.source.id }
    else images.push(block)
  }
  if (images.length > 0) out['images'] = writeImages(images, (block) => sendSignature(block, context))
}

export function writeCall(context: ChatWriteState, block: ToolCallBlock): Json {
  const id = context.ids.get(block.id) ?? block.id
  const name = sentName(context, block.name)
  const text = block.custom ? block.arguments : writtenArguments(context, block)
  const out: Json =
    block.custom && hasFunctionsOnly(context.target)
      ? { id, type: 'function', function: { name, arguments: JSON.stringify({ input: text }) } }
      : block.custom
        ? { id, type: 'custom', custom: { name, input: text } }
        : { id, type: 'function', function: { name, arguments: text } }
  writeExtensions(block, ID, out, context.losses)
  putCacheControl(context, block.cache, under(block, 'cache_control'), out)
  putSignature(context, block, out)
  return out
}

type ReasoningField = 'reasoning_content' | 'reasoning' | 'reasoning_details' | 'thinking_blocks'

/** Field for reasoning: the caller's field, else the provider's. */
function carrierOf({ own, target }: ChatWriteState, block: ReasoningBlock): ReasoningField | undefined {
  const named = own
    ? /\.(reasoning_content|reasoning_details|reasoning|thinking_blocks)\b/.exec(block.at ?? '')?.[1]
    : undefined
  return (named as ReasoningField | undefined) ?? target.facts?.reasoning
}

export function putReasoning(context: ChatWriteState, blocks: readonly ReasoningBlock[], out: Json): void {
  const plain = new Map<ReasoningField, string>()
  const listed = new Map<ReasoningField, Json[]>()
  for (const [index, block] of blocks.entries()) {
    const carrier = carrierOf(context, block)
    const value = carrier && reasoningValue(context, block, carrier, index)
    if (!carrier || value === undefined) {
      dropped(
        context.losses,
        block.at ?? 'reasoning',
        carrier ? 'only its signer can verify it' : 'the model does not accept reasoning',
      )
    } else if (typeof value === 'string') plain.set(carrier, (plain.get(carrier) ?? '') + value)
    else if (listed.get(carrier)?.push(value) === undefined) listed.set(carrier, [value])
  }
  for (const [carrier, value] of [...plain, ...listed]) out[carrier] = value
}

function reasoningValue(
  { target, losses }: ChatWriteState,
  block: ReasoningBlock,
  carrier: ReasoningField,
  index: number,
): string | Json | undefined {
  const signature = verifiable(block.signature, target)
  if (carrier === 'reasoning_details') {
    if (block.redacted && !signature) return undefined
    if (!signature) loseSignature(block, losses)
    return writeDetail(block, signature, index)
  }
  if (carrier === 'thinking_blocks') return signature && writeThinking(block, signature.value)
  if (block.redacted) return undefined
  loseSignature(block, losses)
  return block.text
}
