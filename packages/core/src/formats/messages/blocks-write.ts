import { argumentsObject } from '../../canonical/arguments.ts'
import type { Block, TextBlock, ToolCallBlock, ToolResultBlock } from '../../canonical/block.ts'
import type { Json } from '../../canonical/json.ts'
import { changed, dropped, under } from '../../canonical/loss.ts'
import { loseSignature } from '../../canonical/signature.ts'
import { misplaced } from '../../canonical/tools.ts'
import { original, writeExtensions } from '../../canonical/vendor-extensions.ts'
import { sentName } from '../../canonical/write-state.ts'
import { isReturnable, writeCitation } from './citations.ts'
import { writeHosted } from './hosted.ts'
import { writeMedia } from './media-write.ts'
import { writeReasoning } from './reasoning.ts'
import { ID } from './wire.ts'
import { type MessagesWriteState, putCache } from './write-state.ts'

/** Written blocks, without blocks that cannot be sent. */
export function writeBlocks(context: MessagesWriteState, blocks: readonly Block[]): Json[] {
  return blocks.map((block) => writeBlock(context, block)).filter((block) => block !== undefined)
}

/** Block other than a call or result of a caller's tool. Undefined if it cannot be sent. */
export function writeBlock(context: MessagesWriteState, block: Block): Json | undefined {
  const kept = original(block, ID)
  const out = kept ? { ...kept } : writeKnown(context, block)
  if (!out) {
    if (block.type === 'text') writeExtensions(block, ID, {}, context.losses)
    return undefined
  }
  if (!kept && block.type !== 'hosted-call') writeExtensions(block, ID, out, context.losses)
  putCache(context, block, out)
  return out
}

function writeKnown(context: MessagesWriteState, block: Block): Json | undefined {
  switch (block.type) {
    case 'text':
      return writeText(context, block)
    case 'refusal':
      if (block.text.trim() === '') return undefined
      changed(context.losses, block.at, 'a refusal is sent as text')
      return { type: 'text', text: block.text }
    case 'reasoning':
      return writeReasoning(context, block)
    case 'media':
      return writeMedia(context, block)
    case 'hosted-call':
    case 'hosted-result': {
      const out = writeHosted(block, context.losses)
      if (!out) dropped(context.losses, block.at ?? block.name, 'a hosted tool of another provider')
      return out
    }
    default:
      throw misplaced(block, 'this place')
  }
}

/** Text block. Undefined for blank text, which the vendor rejects. */
function writeText({ losses }: MessagesWriteState, block: TextBlock): Json | undefined {
  if (block.text.trim() === '') return undefined
  const out: Json = { type: 'text', text: block.text }
  loseSignature(block, losses)
  if (!block.citations) return out
  const written = block.citations.map(writeCitation)
  const citations = written.filter((citation) => citation !== undefined && isReturnable(citation))
  if (citations.length < written.length)
    dropped(losses, under(block, 'citations'), 'the provider accepts only its own citations')
  if (citations.length > 0) out['citations'] = citations
  return out
}

/** Blocks of a system prompt or turn, which contain only text. */
export function writeSystem(context: MessagesWriteState, blocks: readonly Block[]): Json[] {
  for (const block of blocks)
    if (block.type !== 'text') throw misplaced(block, 'a system message, which contains only text')
  return writeBlocks(context, blocks)
}

export function writeCall(context: MessagesWriteState, block: ToolCallBlock, id: string): Json {
  const { losses } = context
  const out: Json = { type: 'tool_use', id, name: sentName(context, block.name), input: argumentsObject(block, losses) }
  loseSignature(block, losses)
  writeExtensions(block, ID, out, losses)
  putCache(context, block, out)
  return out
}

export function writeResult(context: MessagesWriteState, block: ToolResultBlock, id: string): Json {
  const content = writeBlocks(context, block.blocks)
  const out: Json = { type: 'tool_result', tool_use_id: id }
  if (content.length > 0) out['content'] = content
  if (block.error) out['is_error'] = true
  writeExtensions(block, ID, out, context.losses)
  putCache(context, block, out)
  return out
}
