import {
  type Block,
  type Citation,
  isOwnSearch,
  type ReasoningBlock,
  type Signature,
  type ToolCallBlock,
} from '../../canonical/block.ts'
import { loseCitation, loseDetails } from '../../canonical/citations.ts'
import { loseDetail, loseEnd } from '../../canonical/finish.ts'
import type { Json } from '../../canonical/json.ts'
import { dropped, type Loss, under } from '../../canonical/loss.ts'
import type { Delta } from '../../canonical/part.ts'
import type { Finish } from '../../canonical/response.ts'
import { isOwn, writeExtensions } from '../../canonical/vendor-extensions.ts'
import { writeAnnotation } from './citations.ts'
import { isImage, writeSealedImages } from './media-write.ts'
import { sealedExtraContent, writeSealedThinking } from './reasoning.ts'
import { loseFunctionCallSignature, ONE_TEXT } from './response-write.ts'
import { ID } from './wire.ts'

/** Writer of a choice's deltas. */
export interface ChatChoiceWriter {
  start(index: number, block: Block): Json | undefined
  delta(index: number, delta: Delta): Json | undefined
  end(index: number): Json | undefined
  /** Content that is known only at the end: citations, and the reason for a refusal. */
  finish(finish: Finish): Json | undefined
}

/** Block that is being written. */
interface ChatOpenBlock {
  readonly block: Block
  /** Ordinal of a tool call; -1 if it is left out. */
  readonly call: number
  /** Text or arguments so far. Complete only for signed reasoning. */
  text: string
  length: number
  /** Offset of the block in the text of the response. */
  readonly offset: number
  readonly citations: Citation[]
  signature: Signature | undefined
}

export function writeChoiceStream(asFunctionCall: boolean, losses: Loss[]): ChatChoiceWriter {
  const blocks = new Map<number, ChatOpenBlock>()
  const annotations: Json[] = []
  let length = 0
  let calls = 0
  let thoughts = 0
  let images = 0
  let refused = false
  let signed = false

  const startOther = (block: Block): Json | undefined => {
    if (block.type === 'media' && isImage(block)) return { images: writeSealedImages([block], images++) }
    if (isOwnSearch(block)) return undefined
    dropped(losses, block.type, 'responses of this format cannot contain it')
    return undefined
  }

  /** Clients keep only the last of several signatures. */
  const signText = (block: Block, signature: Signature): Json => {
    if (signed) dropped(losses, under(block, 'signature'), ONE_TEXT)
    signed = true
    return { extra_content: sealedExtraContent(signature) }
  }

  const feed = (open: ChatOpenBlock, text: string): Json | undefined => {
    if (text === '') return undefined
    open.length += text.length
    switch (open.block.type) {
      case 'text':
        length += text.length
        return { content: text }
      case 'reasoning':
        open.text += text
        return { reasoning_content: text }
      case 'refusal':
        refused = true
        return { refusal: text }
      default:
        return undefined
    }
  }

  return {
    start(index, block) {
      const call = block.type === 'tool-call' ? calls++ : -1
      const open: ChatOpenBlock = {
        block,
        call,
        text: '',
        length: 0,
        offset: length,
        citations: [],
        signature: undefined,
      }
      blocks.set(index, open)
      if (!isOwn(block, ID)) writeExtensions(block, ID, {}, losses)
      if (block.type === 'tool-call') {
        open.length = block.arguments.length
        return startCall(block, call, asFunctionCall, losses)
      }
      if (block.type !== 'text' && block.type !== 'reasoning' && block.type !== 'refusal') return startOther(block)
      if (block.type === 'text') for (const citation of block.citations ?? []) open.citations.push(citation)
      const first = feed(open, block.text)
      const signature = block.type === 'refusal' ? undefined : block.signature
      if (!signature) return first
      if (block.type === 'text') return { ...first, ...signText(block, signature) }
      open.signature = signature
      return first
    },
    delta(index, delta) {
      const open = blocks.get(index)
      if (!open) return undefined
      if (open.block.type === 'tool-call') {
        const extra =
          delta.signature && !asFunctionCall ? { extra_content: sealedExtraContent(delta.signature) } : undefined
        if (extra) return fragment({ index: open.call, ...extra, function: { arguments: delta.arguments ?? '' } })
        return feedCall(open, open.block, delta.arguments ?? '', asFunctionCall)
      }
      for (const citation of delta.citations ?? []) open.citations.push(citation)
      const out = feed(open, delta.text ?? '')
      if (!delta.signature) return out
      if (open.block.type === 'text') return { ...out, ...signText(open.block, delta.signature) }
      open.signature = delta.signature
      return out
    },
    end(index) {
      const open = blocks.get(index)
      if (!open) return undefined
      blocks.delete(index)
      const { block } = open
      if (block.type === 'tool-call')
        return open.length === 0 && !block.custom ? feedCall(open, block, '{}', asFunctionCall) : undefined
      if (block.type === 'reasoning' && open.signature) {
        const whole: ReasoningBlock = { ...block, text: open.text, signature: open.signature }
        return { thinking_blocks: [{ ...writeSealedThinking(whole), index: thoughts++ }] }
      }
      if (block.type === 'media' && open.signature)
        dropped(losses, under(block, 'signature'), 'it arrived after its image')
      loseDetails(block, open.citations, ID, () => false, losses)
      for (const citation of open.citations) {
        const annotation = writeAnnotation(citation, open.offset, open.length)
        if (annotation) annotations.push(annotation)
        else loseCitation(block, losses)
      }
      return undefined
    },
    finish(finish) {
      loseEnd(finish, {}, losses)
      loseDetail(finish, {}, losses)
      const refusal = finish.reason === 'content-filter' && !refused ? finish.detail : undefined
      if (annotations.length === 0 && !refusal) return undefined
      return { ...(refusal ? { refusal } : {}), ...(annotations.length > 0 ? { annotations } : {}) }
    },
  }
}

/** First fragment of a call. The `function_call` format allows only one call. */
function startCall(block: ToolCallBlock, call: number, asFunctionCall: boolean, losses: Loss[]): Json | undefined {
  const { id, name } = block
  if (asFunctionCall) {
    loseFunctionCallSignature(block, losses)
    if (call === 0) return { function_call: { name, arguments: block.arguments } }
    dropped(losses, 'function_call', 'the function_call format has one call')
    return undefined
  }
  const inner = block.custom
    ? { type: 'custom', custom: { name, input: block.arguments } }
    : { type: 'function', function: { name, arguments: block.arguments } }
  return fragment({
    index: call,
    id,
    ...inner,
    ...(block.signature ? { extra_content: sealedExtraContent(block.signature) } : {}),
  })
}

/** Fragment of a call's arguments. */
function feedCall(open: ChatOpenBlock, block: ToolCallBlock, text: string, asFunctionCall: boolean): Json | undefined {
  if (text === '') return undefined
  open.length += text.length
  if (asFunctionCall) return open.call === 0 ? { function_call: { arguments: text } } : undefined
  return fragment({
    index: open.call,
    ...(block.custom ? { custom: { input: text } } : { function: { arguments: text } }),
  })
}

function fragment(call: Json): Json {
  return { tool_calls: [call] }
}
