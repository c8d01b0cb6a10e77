import {
  argumentsObject,
  type Block,
  changed,
  dropped,
  type Json,
  loseSignature,
  misplaced,
  type ReasoningBlock,
  sendSignature,
  sentName,
  type ToolCallBlock,
  type ToolResultBlock,
  under,
  writeExtensions,
} from '@headgate/core/codec'
import { writeMedia } from './media.ts'
import { cachePoint, ID, type Writing } from './writing.ts'

/** Writes a block other than a call or a result, followed by its cache point. Empty if nothing is sent. */
export function writeBlock(context: Writing, block: Block): Json[] {
  const out = writeKnown(context, block)
  writeExtensions(block, ID, out ?? {}, context.losses)
  if (!out) return []
  return [out, ...('cache' in block ? cachePoint(context, block) : [])]
}

function writeKnown(context: Writing, block: Block): Json | undefined {
  const { losses } = context
  switch (block.type) {
    case 'text':
      loseSignature(block, losses)
      if (block.citations) dropped(losses, under(block, 'citations'), 'citations are not accepted in requests')
      // Blank text is rejected.
      return block.text.trim() === '' ? undefined : { text: block.text }
    case 'refusal':
      changed(losses, block.at, 'the refusal is sent as text')
      return block.text.trim() === '' ? undefined : { text: block.text }
    case 'media':
      return writeMedia(context, block)
    case 'reasoning':
      return writeReasoning(context, block)
    case 'hosted-call':
    case 'hosted-result':
      dropped(losses, block.at ?? block.name, 'a tool that a provider ran')
      return undefined
    default:
      throw misplaced(block, 'this place')
  }
}

/** Reasoning is returned to the model that created it, with its signature. */
function writeReasoning(context: Writing, block: ReasoningBlock): Json | undefined {
  if (!block.signature) {
    dropped(context.losses, block.at ?? 'reasoning', 'only signed reasoning is accepted')
    return undefined
  }
  const signature = sendSignature(block, context)
  if (signature === undefined) {
    dropped(context.losses, block.at ?? 'reasoning', 'only its signer accepts reasoning')
    return undefined
  }
  if (block.redacted) return { reasoningContent: { redactedContent: signature } }
  return { reasoningContent: { reasoningText: { text: block.text, signature } } }
}

export function writeCall(context: Writing, block: ToolCallBlock, toolUseId: string): Json[] {
  const { losses } = context
  loseSignature(block, losses)
  writeExtensions(block, ID, {}, losses)
  const toolUse = { toolUseId, name: sentName(context, block.name), input: argumentsObject(block, losses) }
  return [{ toolUse }, ...cachePoint(context, block)]
}

export function writeResult(context: Writing, block: ToolResultBlock, toolUseId: string): Json[] {
  writeExtensions(block, ID, {}, context.losses)
  const content = block.blocks.flatMap((one) => writeBlock(context, one))
  const points = cachePoint(context, block)
  // The content must not be empty.
  const toolResult = {
    toolUseId,
    content: content.length > 0 ? content : [{ text: '(no content)' }],
    ...(block.error && { status: 'error' }),
  }
  return [{ toolResult }, ...points]
}
