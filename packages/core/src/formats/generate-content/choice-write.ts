import type { Block, Citation, Signature, VendorExtensions } from '../../canonical/block.ts'
import type { Json } from '../../canonical/json.ts'
import type { Loss } from '../../canonical/loss.ts'
import type { Delta } from '../../canonical/part.ts'
import type { Finish } from '../../canonical/response.ts'
import { isOwn, writeExtensions } from '../../canonical/vendor-extensions.ts'
import { queriesOf, writeGrounding } from './citations.ts'
import { sealed, writeEnd, writeResponsePart } from './response-write.ts'
import { ID } from './wire.ts'

/** Writer of a choice's parts. */
export interface ContentChoiceWriter {
  start(index: number, block: Block): Json | undefined
  add(index: number, delta: Delta): Json | undefined
  stop(index: number): Json | undefined
  /** Closes open blocks. */
  stopAll(): Json[]
  end(finish: Finish, extensions: VendorExtensions | undefined): void
  /** Last candidate. Undefined if no finish was written. */
  last(): Json | undefined
  /** True after the first part. */
  readonly written: boolean
}

/** Open block. */
interface ContentWriteBlock {
  readonly block: Block
  /** Arguments of a call so far, since the wire sends them as a whole. */
  arguments: string
  /** Signature that is not yet written. */
  signature: Signature | undefined
  /** Offset of the block in the text of the choice. */
  readonly base: number
}

export function writeChoiceStream(number: number, losses: Loss[]): ContentChoiceWriter {
  const open = new Map<number, ContentWriteBlock>()
  /** Text so far and its citations, which are written at the end. */
  let text = ''
  const citations: Citation[] = []
  const queries: string[] = []
  let refused = false
  let written = false
  let ending: { finish: Finish; extensions?: VendorExtensions } | undefined

  /** Adds citations. Their spans refer to the choice's text, which clients concatenate. */
  const cite = (base: number, added: readonly Citation[] | undefined): void => {
    for (const citation of added ?? []) {
      const { start, end } = citation
      const spans = start !== undefined && end !== undefined
      citations.push(spans ? { ...citation, start: start + base, end: end + base } : { ...citation, start: base })
    }
  }

  const part = (out: Json | undefined): Json | undefined => {
    if (out) written = true
    return out
  }

  const close = ({ block, signature, arguments: args }: ContentWriteBlock): Json | undefined => {
    if (block.type === 'refusal') return undefined
    if (block.type === 'text' || block.type === 'reasoning') {
      if (!signature) return undefined
      return part({
        text: '',
        ...(block.type === 'reasoning' && { thought: true }),
        thoughtSignature: sealed(signature, block),
      })
    }
    const whole = block.type === 'tool-call' ? { ...block, arguments: args } : block
    return part(
      writeResponsePart('signature' in whole || !signature ? whole : ({ ...whole, signature } as Block), losses),
    )
  }

  return {
    start(index, block) {
      const base = text.length
      const entry: ContentWriteBlock = {
        block,
        arguments: 'arguments' in block ? block.arguments : '',
        signature: undefined,
        base,
      }
      open.set(index, entry)
      if (block.type === 'refusal') refused = true
      queries.push(...queriesOf([block]))
      if (block.type === 'text') cite(base, block.citations)
      if (block.type !== 'text' && block.type !== 'reasoning' && block.type !== 'refusal') {
        entry.signature = 'signature' in block ? block.signature : undefined
        return undefined
      }
      if (block.type === 'text') text += block.text
      return part(writeResponsePart(block, losses))
    },
    add(index, delta) {
      const entry = open.get(index)
      if (!entry) return undefined
      if (delta.signature) entry.signature = delta.signature
      if (delta.arguments !== undefined) entry.arguments += delta.arguments
      cite(entry.base, delta.citations)
      if (!delta.text) return undefined
      const { type } = entry.block
      if (type === 'reasoning') return part({ text: delta.text, thought: true })
      if (type === 'text') text += delta.text
      return type === 'text' || type === 'refusal' ? part({ text: delta.text }) : undefined
    },
    stop(index) {
      const entry = open.get(index)
      open.delete(index)
      return entry && close(entry)
    },
    stopAll() {
      return [...open.values()].map(close).filter((out) => out !== undefined)
    },
    end(finish, extensions) {
      ending = { finish, ...(extensions && { extensions }) }
    },
    last() {
      if (!ending) return undefined
      const candidate: Json = {
        content: { parts: [{ text: '' }], role: 'model' },
        ...writeEnd(ending.finish, refused, {}, losses),
        index: number,
      }
      const grounding = isOwn(ending, ID) ? undefined : writeGrounding([{ text, citations }], queries, losses)
      if (grounding) candidate['groundingMetadata'] = grounding
      writeExtensions(ending, ID, candidate, losses)
      return candidate
    },
    get written() {
      return written
    },
  }
}
