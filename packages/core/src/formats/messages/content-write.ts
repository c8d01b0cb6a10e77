import type { Block, ReasoningBlock, TextBlock } from '../../chat/block.ts'
import type { Json } from '../../chat/json.ts'
import { changed, dropped, under, writeSide } from '../../chat/loss.ts'
import { invalid } from '../../errors.ts'
import { isReturnable, writeCitation } from './citations.ts'
import { type Draft, mark } from './draft.ts'
import { writeHosted } from './hosted.ts'
import { writeMedia } from './media-write.ts'
import { original } from './side.ts'

/** A block that is neither call nor result of a caller's tool; undefined where nothing of it is sent. */
export function writeContent(block: Block, draft: Draft): Json | undefined {
  const kept = original(block)
  const out = kept ? { ...kept } : writeKnown(block, draft)
  if (!out) {
    if (block.type === 'text') writeSide(block, 'messages', {}, draft.losses)
    return undefined
  }
  if (!kept && block.type !== 'hosted-call') writeSide(block, 'messages', out, draft.losses)
  mark(block, out, draft)
  return out
}

function writeKnown(block: Block, draft: Draft): Json | undefined {
  switch (block.type) {
    case 'text':
      return writeText(block, draft)
    case 'refusal':
      if (block.text.trim() === '') return undefined
      changed(draft.losses, block.at, 'a refusal is sent as text')
      return { type: 'text', text: block.text }
    case 'reasoning':
      return writeReasoning(block, draft)
    case 'media':
      return writeMedia(block, draft)
    case 'hosted-call':
    case 'hosted-result': {
      const out = writeHosted(block)
      if (!out) dropped(draft.losses, block.at ?? block.name, 'a tool that another provider ran')
      return out
    }
    default:
      throw invalid(block.at, `A block of the type ${block.type} can not stand here.`)
  }
}

/** The vendor refuses text without a character that is no space. */
function writeText(block: TextBlock, draft: Draft): Json | undefined {
  if (block.text.trim() === '') return undefined
  const out: Json = { type: 'text', text: block.text }
  if (block.signature) dropped(draft.losses, under(block, 'signature'), 'only its signer can read a signature')
  if (!block.citations) return out
  const written = block.citations.map(writeCitation)
  const citations = written.filter((citation) => citation !== undefined && isReturnable(citation))
  if (citations.length < written.length) dropped(draft.losses, under(block, 'citations'), 'the provider takes back only its own citations')
  if (citations.length > 0) out['citations'] = citations
  return out
}

/** Reasoning goes only to who signed it; without a signature the vendor refuses it. */
function writeReasoning(block: ReasoningBlock, draft: Draft): Json | undefined {
  const { signature } = block
  if (!signature) {
    dropped(draft.losses, block.at ?? 'reasoning', 'the provider takes back only reasoning that is signed')
    return undefined
  }
  if (signature.signer !== draft.target.signer) {
    dropped(draft.losses, block.at ?? 'reasoning', 'only its signer takes reasoning back')
    return undefined
  }
  if (block.redacted) return { type: 'redacted_thinking', data: signature.value }
  return { type: 'thinking', thinking: block.text, signature: signature.value }
}

/** The blocks of a system prompt or turn: text and nothing else. */
export function writeSystem(blocks: readonly Block[], draft: Draft): Json[] {
  for (const block of blocks) {
    if (block.type !== 'text') throw invalid(block.at, `A system message holds text only, but a ${block.type} block was found.`)
  }
  return writeContents(blocks, draft)
}

/** The blocks of which something is sent. */
export function writeContents(blocks: readonly Block[], draft: Draft): Json[] {
  return blocks.map((block) => writeContent(block, draft)).filter((block) => block !== undefined)
}
