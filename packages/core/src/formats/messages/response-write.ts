import { argumentsObject } from '../../canonical/arguments.ts'
import type { Block, Citation, TextBlock, ToolCallBlock } from '../../canonical/block.ts'
import { loseCitation, loseDetails } from '../../canonical/citations.ts'
import { loseDetail, seenIn } from '../../canonical/finish.ts'
import type { Reply } from '../../canonical/format.ts'
import type { Json } from '../../canonical/json.ts'
import { changed, dropped, type Loss, under } from '../../canonical/loss.ts'
import type { ChatResponse } from '../../canonical/response.ts'
import { writeExtensions } from '../../canonical/vendor-extensions.ts'
import { writeCitation } from './citations.ts'
import { writeFinish } from './finish.ts'
import { writeHosted } from './hosted.ts'
import { carrier, sealed, writeSealedReasoning } from './reasoning.ts'
import { writeUsage } from './usage.ts'
import { ID } from './wire.ts'

/**
 * Writes the first choice of a response, since the format has only one. Null is written only for fields of the format's
 * first version, since some clients reject unexpected nulls in newer ones.
 */
export function writeResponse(response: ChatResponse, reply: Reply, losses: Loss[]): Json {
  const [choice, ...others] = response.choices
  for (const other of others) dropped(losses, other.at ?? 'choices', 'the messages format has only one choice')
  if (choice?.logprobs) dropped(losses, under(choice, 'logprobs'), 'the messages format has no log probabilities')
  const blocks = choice?.blocks ?? []
  const out: Json = {
    id: response.id ?? `msg_${reply.id}`,
    type: 'message',
    role: 'assistant',
    model: response.model ?? reply.model,
    content: blocks.flatMap((block, index) => writeResponseBlock(block, `${reply.id}_${index}`, losses)),
    ...writeFinish(choice?.finish ?? { reason: 'stop' }, seenIn(blocks)),
    usage: writeUsage(response.usage, losses),
  }
  if (choice) {
    loseDetail(choice.finish, choice, losses)
    writeExtensions(choice, ID, out, losses)
  }
  writeExtensions(response, ID, out, losses)
  return out
}

/** Block of a response, with a separate block for a signature for which the format has no field. */
function writeResponseBlock(block: Block, unique: string, losses: Loss[]): Json[] {
  const out = writeKnown(block, unique, losses)
  if (!out) {
    if (block.type === 'reasoning' || block.type === 'text') writeExtensions(block, ID, {}, losses)
    return []
  }
  if (block.type !== 'hosted-call' && block.type !== 'hosted-result') writeExtensions(block, ID, out, losses)
  if (block.type === 'tool-call' && block.signature) return [carrier(sealed(block.signature)), out]
  if (block.type === 'text' && block.signature) return [out, carrier(sealed(block.signature))]
  return [out]
}

function writeKnown(block: Block, unique: string, losses: Loss[]): Json | undefined {
  switch (block.type) {
    case 'text':
      return writeText(block, losses)
    case 'refusal':
      return block.text === '' ? undefined : { type: 'text', text: block.text }
    case 'reasoning':
      return writeSealedReasoning(block, losses)
    case 'tool-call': {
      const input = argumentsObject(block, losses)
      return { type: 'tool_use', id: callId(block, unique, losses), name: block.name, input }
    }
    case 'hosted-call':
    case 'hosted-result': {
      const out = writeHosted(block, losses)
      if (!out) dropped(losses, block.at ?? block.name, 'a hosted tool of another provider')
      return out
    }
    default:
      dropped(losses, block.at ?? block.type, `responses in the messages format cannot contain ${block.type} blocks`)
      return undefined
  }
}

function writeText(block: TextBlock, losses: Loss[]): Json | undefined {
  if (block.text === '' && !block.citations) return undefined
  const citations = writeCitations(block, block.citations ?? [], losses)
  return { type: 'text', text: block.text, ...(citations.length > 0 && { citations }) }
}

/** Written citations of a block. */
export function writeCitations(block: Block, citations: readonly Citation[], losses: Loss[]): Json[] {
  const written = citations.map(writeCitation).filter((citation) => citation !== undefined)
  if (written.length < citations.length) loseCitation(block, losses)
  loseDetails(block, citations, ID, (citation) => isPassage(citation, block), losses)
  return written
}

/** True if a citation applies to a part of the block. The text of a streamed block is unknown. */
function isPassage({ start = 0, end }: Citation, block: Block): boolean {
  const length = block.type === 'text' ? block.text.length : 0
  return start > 0 || (end !== undefined && end < length)
}

/** Id of a call that the vendor accepts. Generated if the upstream sent none. */
export function callId(block: ToolCallBlock, unique: string, losses: Loss[]): string {
  const id = (block.id || `toolu_${unique}`).replace(/[^a-zA-Z0-9_-]/g, '_')
  if (block.id !== '' && id !== block.id)
    changed(losses, under(block, 'id'), 'ids can contain only letters, digits, _ and -')
  return id
}
