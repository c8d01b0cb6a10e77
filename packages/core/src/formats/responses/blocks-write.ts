import type { Block, ReasoningBlock, TextBlock, ToolCallBlock, ToolResultBlock } from '../../canonical/block.ts'
import type { Json } from '../../canonical/json.ts'
import { changed, dropped, under } from '../../canonical/loss.ts'
import { hash } from '../../canonical/names.ts'
import { original, writeSide } from '../../canonical/side.ts'
import { loseSignature, verifiable } from '../../canonical/signature.ts'
import { misplaced, saidAsError } from '../../canonical/tools.ts'
import { sentName } from '../../canonical/writing.ts'
import { writtenArguments } from '../chat-completions/writing.ts'
import { writeAnnotations } from './citations.ts'
import { writeHosted } from './hosted.ts'
import { writeGenerated, writeMedia } from './media-write.ts'
import { bare, writeThought } from './reasoning.ts'
import { ID, NAMESPACE_JOINT } from './wire.ts'
import { loseCache, putCache, type Writing } from './writing.ts'

/** Parts of a message of anybody but the assistant, or of a tool's result. */
export function writeParts(context: Writing, blocks: readonly Block[]): Json[] {
  return blocks.map((block) => writePart(context, block)).filter((part) => part !== undefined)
}

function writePart(context: Writing, block: Block): Json | undefined {
  if (block.type === 'media') return writeMedia(context, block)
  if (block.type === 'text') {
    if (block.citations && !context.own)
      dropped(context.losses, under(block, 'citations'), 'citations are of answers only')
    const part: Json = { type: 'input_text', text: block.text }
    loseSignature(block, context.losses)
    writeSide(block, ID, part, context.losses)
    putCache(context, block, part)
    return part
  }
  if (block.type === 'tool-call' || block.type === 'tool-result') throw misplaced(block, 'this place')
  dropped(context.losses, block.at ?? block.type, 'no place for it in this role')
  return undefined
}

/** Whether a part is text and nothing else. */
export function isPlain(part: Json): boolean {
  return part['type'] === 'input_text' && Object.keys(part).length === 2
}

/** What an assistant said, as a part of its message. */
export function writeSpoken(context: Writing, block: Block & { type: 'text' | 'refusal' }): Json {
  const { losses, own } = context
  if (block.type === 'refusal') {
    const part: Json = { type: 'refusal', refusal: block.text }
    writeSide(block, ID, part, losses)
    return part
  }
  if (block.citations && !own) dropped(losses, under(block, 'citations'), 'citations are not sent back')
  const annotations = own ? writeAnnotations(block, block.citations ?? [], block.text.length, losses) : []
  const part: Json = { type: 'output_text', text: block.text, annotations, logprobs: [] }
  loseSignature(block, losses)
  loseCache(block, losses)
  writeSide(block, ID, part, losses)
  return part
}

/** Reasoning goes to who made it, and back to the caller's own provider; undefined where nothing of it is sent. */
export function writeReasoning(context: Writing, block: ReasoningBlock): Json | undefined {
  const { own, losses, target } = context
  const signature = verifiable(block.signature, target)
  if (!signature && !(own && block.signature === undefined)) {
    dropped(
      losses,
      block.at ?? 'reasoning',
      block.signature ? 'only its signer takes reasoning back' : 'only signed reasoning is taken back',
    )
    return undefined
  }
  const proof = signature && bare(signature)
  const id = proof?.id ?? block.ref ?? `rs_${hash(proof?.encrypted_content ?? block.text)}`
  const out: Json = { type: 'reasoning', ...writeThought(block), ...proof, id }
  writeSide(block, ID, out, losses)
  return out
}

export function writeCall(context: Writing, block: ToolCallBlock): Json {
  const callId = context.ids.get(block.id) ?? block.id
  const ref = context.own && block.ref !== undefined ? { id: block.ref } : {}
  const name = calledName(context, block)
  const out: Json = block.custom
    ? { type: 'custom_tool_call', ...ref, call_id: callId, ...name, input: block.arguments }
    : { type: 'function_call', ...ref, call_id: callId, ...name, arguments: writtenArguments(context, block) }
  loseSignature(block, context.losses)
  loseCache(block, context.losses)
  writeSide(block, ID, out, context.losses)
  return out
}

/** A caller of this format declared the namespace, and has it again. */
function calledName(context: Writing, block: ToolCallBlock): Json {
  return context.own ? splitName(block.name, block.namespace) : { name: sentName(context, block.name) }
}

/** The name of a tool within its namespace. */
export function splitName(name: string, namespace: string | undefined): { name: string; namespace?: string } {
  if (namespace === name) return { name, namespace }
  const prefix = `${namespace}${NAMESPACE_JOINT}`
  if (namespace === undefined || !name.startsWith(prefix)) return { name }
  return { name: name.slice(prefix.length), namespace }
}

export function writeResult(context: Writing, block: ToolResultBlock): Json {
  const { own, losses } = context
  const custom = block.custom ?? context.customCalls.has(block.id)
  const out: Json = {
    type: custom ? 'custom_tool_call_output' : 'function_call_output',
    ...(own && block.ref !== undefined && { id: block.ref }),
    call_id: context.ids.get(block.id) ?? block.id,
    output: outputOf(context, block),
    ...(own && block.name !== undefined && { name: block.name }),
  }
  loseCache(block, losses)
  writeSide(block, ID, out, losses)
  return out
}

/** An error is told in the text, as the format has no field for it. */
function outputOf(context: Writing, block: ToolResultBlock): string | Json[] {
  const parts = writeParts(context, block.blocks)
  if (block.error) {
    changed(context.losses, under(block, 'is_error'), 'said in the text of the result')
    const first = parts.find((part) => part['type'] === 'input_text')
    const text = saidAsError(String(first?.['text'] ?? ''))
    if (first) first['text'] = text
    else parts.unshift({ type: 'input_text', text })
  }
  const apart = (context.own && parts.length > 1) || !parts.every(isPlain)
  return apart ? parts : parts.map((part) => part['text']).join('\n')
}

/** What stands beside the messages of an assistant, as an item of its own; undefined where nothing of it is sent. */
export function writeAside(context: Writing, block: Exclude<Block, TextBlock | { type: 'refusal' }>): Json | undefined {
  switch (block.type) {
    case 'reasoning':
      return writeReasoning(context, block)
    case 'tool-call':
      return writeCall(context, block)
    case 'media': {
      const generated = context.own ? writeGenerated(block, '') : undefined
      if (!generated) {
        dropped(context.losses, block.at ?? 'media', 'answers that are sent back hold text and calls only')
        return undefined
      }
      const { output_format: _, ...out } = generated
      return out
    }
    case 'hosted-call':
    case 'hosted-result': {
      const out = original(block, ID) && writeHosted(block, block.id)
      if (!out) dropped(context.losses, block.at ?? block.type, "another provider's own tool")
      return out
    }
    default:
      throw misplaced(block, 'a turn of the assistant')
  }
}
