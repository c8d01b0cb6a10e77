import type { Block, Signature } from '../../chat/block.ts'
import { seal } from '../../chat/envelope.ts'
import type { Json } from '../../chat/json.ts'
import { dropped, type Loss, under } from '../../chat/loss.ts'
import { writeArguments } from './json-text.ts'
import { writeMedia } from './media.ts'
import { isGoogleFile } from './media-read.ts'
import { isOwn, restoreSide } from './side.ts'
import { SIGNER } from './wire.ts'

/** The field is bytes in the vendor's schema, so a foreign signature is sealed as base64. */
export function sealed(signature: Signature): string {
  return seal(signature, SIGNER, 'base64')
}

/** The part of one block of an answer; undefined for a block that says nothing, or has no place. */
export function writeAnswerPart(block: Block, losses: Loss[]): Json | undefined {
  const part = bare(block, losses)
  if (!part) return undefined
  if ('signature' in block && block.signature) part['thoughtSignature'] = sealed(block.signature)
  if (block.type !== 'hosted-call' && block.type !== 'hosted-result') restoreSide(block, part, losses)
  return part
}

function bare(block: Block, losses: Loss[]): Json | undefined {
  switch (block.type) {
    case 'text':
      return block.text === '' && !block.signature ? undefined : { text: block.text }
    case 'reasoning':
      return block.text === '' && !block.signature ? undefined : { text: block.text, thought: true }
    case 'refusal':
      return block.text === '' ? undefined : { text: block.text }
    case 'tool-call':
      return { functionCall: { id: block.id, name: block.name, args: argumentsOf(block, losses) } }
    case 'media':
      if (block.source.type === 'file' && !isGoogleFile(block.source.id)) break
      if (block.transcript !== undefined) dropped(losses, under(block, 'transcript'), 'sound has no transcript')
      return writeMedia(block, undefined)
    case 'hosted-call':
    case 'hosted-result':
      if (isOwn(block)) return { ...block.side?.fields }
  }
  dropped(losses, block.at ?? block.type, block.type === 'media' ? 'a file at another provider' : "another provider's own tool")
  return undefined
}

function argumentsOf(block: Block & { type: 'tool-call' }, losses: Loss[]): Json {
  return block.custom ? { input: block.arguments } : writeArguments(block.arguments, under(block, 'arguments'), losses)
}
