import { argumentsObject } from '../../canonical/arguments.ts'
import type { Block, Citation, TextBlock, ToolCallBlock } from '../../canonical/block.ts'
import { loseCitation, loseDetails } from '../../canonical/citations.ts'
import { loseDetail, seenIn } from '../../canonical/finish.ts'
import type { Reply } from '../../canonical/format.ts'
import type { Json } from '../../canonical/json.ts'
import { changed, dropped, type Loss, under } from '../../canonical/loss.ts'
import type { ChatResponse } from '../../canonical/response.ts'
import { writeSide } from '../../canonical/side.ts'
import { writeCitation } from './citations.ts'
import { writeFinish } from './finish.ts'
import { writeHosted } from './hosted.ts'
import { carrier, sealed, writeSealedReasoning } from './reasoning.ts'
import { writeUsage } from './usage.ts'
import { ID } from './wire.ts'

/**
 * Writes a whole answer: the first choice, since the format has one. Of what is null only the fields that the format
 * has had from its first day are written: clients check the younger ones, and some refuse a null that they do not
 * expect.
 */
export function writeResponse(response: ChatResponse, reply: Reply, losses: Loss[]): Json {
  const [choice, ...others] = response.choices
  for (const other of others) dropped(losses, other.at ?? 'choices', 'the messages format has one answer')
  if (choice?.logprobs) dropped(losses, under(choice, 'logprobs'), 'the messages format has no log probabilities')
  const blocks = choice?.blocks ?? []
  const out: Json = {
    id: response.id ?? `msg_${reply.id}`,
    type: 'message',
    role: 'assistant',
    model: response.model ?? reply.model,
    content: blocks.flatMap((block, index) => writeAnswerBlock(block, `${reply.id}_${index}`, losses)),
    ...writeFinish(choice?.finish ?? { reason: 'stop' }, seenIn(blocks)),
    usage: writeUsage(response.usage, losses),
  }
  if (choice) {
    loseDetail(choice.finish, choice, losses)
    writeSide(choice, ID, out, losses)
  }
  writeSide(response, ID, out, losses)
  return out
}

/** The block, with the carrier of a signature that the format has no place for beside it. */
function writeAnswerBlock(block: Block, unique: string, losses: Loss[]): Json[] {
  const out = writeKnown(block, unique, losses)
  if (!out) {
    if (block.type === 'reasoning' || block.type === 'text') writeSide(block, ID, {}, losses)
    return []
  }
  if (block.type !== 'hosted-call' && block.type !== 'hosted-result') writeSide(block, ID, out, losses)
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
      if (!out) dropped(losses, block.at ?? block.name, 'a tool that another provider ran')
      return out
    }
    default:
      dropped(losses, block.at ?? block.type, `answers of the messages format hold no ${block.type}`)
      return undefined
  }
}

function writeText(block: TextBlock, losses: Loss[]): Json | undefined {
  if (block.text === '' && !block.citations) return undefined
  const citations = writeCitations(block, block.citations ?? [], losses)
  return { type: 'text', text: block.text, ...(citations.length > 0 && { citations }) }
}

/** The citations of a block that have a place. */
export function writeCitations(block: Block, citations: readonly Citation[], losses: Loss[]): Json[] {
  const written = citations.map(writeCitation).filter((citation) => citation !== undefined)
  if (written.length < citations.length) loseCitation(block, losses)
  loseDetails(block, citations, ID, (citation) => isPassage(citation, block), losses)
  return written
}

/** Whether a citation is of less than the whole block; the text of a block that is streamed is not known. */
function isPassage({ start = 0, end }: Citation, block: Block): boolean {
  const length = block.type === 'text' ? block.text.length : 0
  return start > 0 || (end !== undefined && end < length)
}

/** The id of a call as the vendor would take it back; one of its own where the upstream gave none. */
export function callId(block: ToolCallBlock, unique: string, losses: Loss[]): string {
  const id = (block.id || `toolu_${unique}`).replace(/[^a-zA-Z0-9_-]/g, '_')
  if (block.id !== '' && id !== block.id) changed(losses, under(block, 'id'), 'ids hold letters, digits, _ and - only')
  return id
}
