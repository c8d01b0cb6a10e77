import type { Block, ReasoningBlock, TextBlock, ToolCallBlock, ToolResultBlock } from '../../canonical/block.ts'
import type { Json } from '../../canonical/json.ts'
import { changed, dropped, under } from '../../canonical/loss.ts'
import { hash } from '../../canonical/names.ts'
import { loseSignature, verifiable } from '../../canonical/signature.ts'
import { misplaced, saidAsError } from '../../canonical/tools.ts'
import { original, writeExtensions } from '../../canonical/vendor-extensions.ts'
import { sentName } from '../../canonical/write-state.ts'
import { writtenArguments } from '../chat-completions/write-state.ts'
import { writeAnnotations } from './citations.ts'
import { writeHosted } from './hosted.ts'
import { isGatewayImage, writeGenerated, writeMedia, writeShown } from './media-write.ts'
import { bare, writeThought } from './reasoning.ts'
import { ID, NAMESPACE_JOINT } from './wire.ts'
import { loseCache, putCache, type ResponsesWriteState } from './write-state.ts'

/** Parts of a message other than the assistant's, or of a tool's result. */
export function writeParts(context: ResponsesWriteState, blocks: readonly Block[]): Json[] {
  return blocks.map((block) => writePart(context, block)).filter((part) => part !== undefined)
}

function writePart(context: ResponsesWriteState, block: Block): Json | undefined {
  if (block.type === 'media') return writeMedia(context, block)
  if (block.type === 'text') {
    if (block.citations && !context.own)
      dropped(context.losses, under(block, 'citations'), 'only responses have citations')
    const part: Json = { type: 'input_text', text: block.text }
    loseSignature(block, context.losses)
    writeExtensions(block, ID, part, context.losses)
    putCache(context, block, part)
    return part
  }
  if (block.type === 'tool-call' || block.type === 'tool-result') throw misplaced(block, 'this place')
  dropped(context.losses, block.at ?? block.type, 'messages of this role cannot contain it')
  return undefined
}

/** True for a part with only text. */
export function isPlain(part: Json): boolean {
  return part['type'] === 'input_text' && Object.keys(part).length === 2
}

/** Part of an assistant's message. */
export function writeSpoken(context: ResponsesWriteState, block: Block & { type: 'text' | 'refusal' }): Json {
  const { losses, own } = context
  if (block.type === 'refusal') {
    const part: Json = { type: 'refusal', refusal: block.text }
    writeExtensions(block, ID, part, losses)
    return part
  }
  if (block.citations && !own) dropped(losses, under(block, 'citations'), 'citations are not part of a request')
  const annotations = own ? writeAnnotations(block, block.citations ?? [], block.text.length, losses) : []
  const part: Json = { type: 'output_text', text: block.text, annotations, logprobs: [] }
  loseSignature(block, losses)
  loseCache(block, losses)
  writeExtensions(block, ID, part, losses)
  return part
}

/** Reasoning item, for its signer or for the caller's provider. Undefined if it cannot be sent. */
export function writeReasoning(context: ResponsesWriteState, block: ReasoningBlock): Json | undefined {
  const { own, losses, target } = context
  const signature = verifiable(block.signature, target)
  if (!signature && !(own && block.signature === undefined)) {
    dropped(
      losses,
      block.at ?? 'reasoning',
      block.signature ? 'only its signer accepts reasoning' : 'the provider accepts only signed reasoning',
    )
    return undefined
  }
  const proof = signature && bare(signature)
  const id = proof?.id ?? block.ref ?? `rs_${hash(proof?.encrypted_content ?? block.text)}`
  const out: Json = { type: 'reasoning', ...writeThought(block), ...proof, id }
  writeExtensions(block, ID, out, losses)
  return out
}

export function writeCall(context: ResponsesWriteState, block: ToolCallBlock): Json {
  const callId = context.ids.get(block.id) ?? block.id
  const ref = context.own && block.ref !== undefined ? { id: block.ref } : {}
  const name = calledName(context, block)
  const out: Json = block.custom
    ? { type: 'custom_tool_call', ...ref, call_id: callId, ...name, input: block.arguments }
    : { type: 'function_call', ...ref, call_id: callId, ...name, arguments: writtenArguments(context, block) }
  loseSignature(block, context.losses)
  loseCache(block, context.losses)
  writeExtensions(block, ID, out, context.losses)
  return out
}

/** Name of a called tool. Callers of this format get its namespace back. */
function calledName(context: ResponsesWriteState, block: ToolCallBlock): Json {
  return context.own ? splitName(block.name, block.namespace) : { name: sentName(context, block.name) }
}

/** Splits the namespace from a tool's name. */
export function splitName(name: string, namespace: string | undefined): { name: string; namespace?: string } {
  if (namespace === name) return { name, namespace }
  const prefix = `${namespace}${NAMESPACE_JOINT}`
  if (namespace === undefined || !name.startsWith(prefix)) return { name }
  return { name: name.slice(prefix.length), namespace }
}

export function writeResult(context: ResponsesWriteState, block: ToolResultBlock): Json {
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
  writeExtensions(block, ID, out, losses)
  return out
}

/** Output of a result. An error becomes part of the text, since the format has no field for it. */
function outputOf(context: ResponsesWriteState, block: ToolResultBlock): string | Json[] {
  const parts = writeParts(context, block.blocks)
  if (block.error) {
    changed(context.losses, under(block, 'is_error'), 'included in the text of the result')
    const first = parts.find((part) => part['type'] === 'input_text')
    const text = saidAsError(String(first?.['text'] ?? ''))
    if (first) first['text'] = text
    else parts.unshift({ type: 'input_text', text })
  }
  const apart = (context.own && parts.length > 1) || !parts.every(isPlain)
  return apart ? parts : parts.map((part) => part['text']).join('\n')
}

/** Separate item for an assistant's block other than text. Undefined if it cannot be sent. */
export function writeAside(
  context: ResponsesWriteState,
  block: Exclude<Block, TextBlock | { type: 'refusal' }>,
): Json | undefined {
  switch (block.type) {
    case 'reasoning':
      return writeReasoning(context, block)
    case 'tool-call':
      return writeCall(context, block)
    case 'media': {
      const write = isGatewayImage(block.ref) ? writeShown : writeGenerated
      const generated = context.own ? write(block, '') : undefined
      if (!generated) {
        dropped(context.losses, block.at ?? 'media', 'assistant messages contain only text and calls')
        return undefined
      }
      const { output_format: _, ...out } = generated
      return out
    }
    case 'hosted-call':
    case 'hosted-result': {
      const out = original(block, ID) && writeHosted(block, block.id)
      if (!out) dropped(context.losses, block.at ?? block.type, 'a hosted tool of another provider')
      return out
    }
    default:
      throw misplaced(block, 'a turn of the assistant')
  }
}
