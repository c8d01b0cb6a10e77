import { argumentsObject } from '../../canonical/arguments.ts'
import type { Block, ReasoningBlock, Signature } from '../../canonical/block.ts'
import type { SeenBlocks } from '../../canonical/finish.ts'
import type { Json } from '../../canonical/json.ts'
import { dropped, type Loss, under } from '../../canonical/loss.ts'
import type { Delta } from '../../canonical/part.ts'
import { writeExtensions } from '../../canonical/vendor-extensions.ts'
import { writeHosted } from './hosted.ts'
import { carrier, loseRedacted, sealed } from './reasoning.ts'
import { callId, writeCitations } from './response-write.ts'
import { ID } from './wire.ts'

/** Writer of the choice's blocks, in sequence. */
export interface MessagesChoiceWriter {
  start(block: Block): string
  add(delta: Delta): string
  stop(): string
  /** Types of blocks so far. */
  readonly seen: SeenBlocks
}

/** Block that is being written. */
interface Current {
  readonly block: Block
  /** Index. Undefined until the start is written, since empty blocks are left out. */
  index: number | undefined
  signature: Signature | undefined
  /**
   * Arguments of a call that do not begin like an object, so far, since they must become one. Undefined before the
   * first character, null for an object.
   */
  odd: string | null | undefined
}

/** Event of the stream. */
export function event(type: string, fields: Json): string {
  return `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`
}

/**
 * Writer of a choice's blocks.
 * @param unique prefix of ids for calls without an id
 */
export function writeChoiceStream(unique: string, losses: Loss[]): MessagesChoiceWriter {
  const seen: SeenBlocks = { calls: false, refusal: false }
  let count = 0
  let current: Current | undefined

  const open = (content: Json): string => {
    const index = count
    count += 1
    if (current) current.index = index
    return event('content_block_start', { index, content_block: content })
  }

  /** Separate block with a signature for which the format has no field. */
  const carried = (signature: Signature): string => {
    const index = count
    count += 1
    const delta = signatureOf(sealed(signature))
    return (
      event('content_block_start', { index, content_block: carrier('') }) +
      deltaEvent(index, delta) +
      event('content_block_stop', { index })
    )
  }

  const start = (block: Block): string => {
    current = { block, index: undefined, signature: undefined, odd: undefined }
    if (block.type === 'refusal') seen.refusal = true
    if (block.type === 'tool-call') {
      seen.calls = true
      const before = block.signature ? carried(block.signature) : ''
      const id = callId(block, `${unique}_${count}`, losses)
      return before + open(startOf({ ...block, id }, losses)) + add({ arguments: block.arguments })
    }
    if (block.type === 'hosted-call' || block.type === 'hosted-result') return hosted(block)
    if (block.type === 'text' || block.type === 'reasoning' || block.type === 'refusal') return add(given(block))
    dropped(losses, block.type, `responses in the messages format cannot contain ${block.type} blocks`)
    return ''
  }

  const hosted = (block: Extract<Block, { type: 'hosted-call' | 'hosted-result' }>): string => {
    const written = writeHosted(block, losses)
    if (!written) {
      dropped(losses, block.type, 'a hosted tool of another provider')
      return ''
    }
    return block.type === 'hosted-call'
      ? open({ ...written, input: {} }) + add({ arguments: block.arguments })
      : open(written)
  }

  const add = (delta: Delta): string => {
    if (!current) return ''
    const { block } = current
    if (delta.signature) current.signature = delta.signature
    const values = deltasOf(
      block,
      delta.arguments === undefined || !isOdd(current, delta.arguments) ? delta : {},
      losses,
    )
    if (values.length === 0) return ''
    const begun = current.index === undefined && isLazy(block) ? open(startOf(block, losses)) : ''
    const { index } = current
    if (index === undefined) return ''
    let out = begun
    for (const value of values) out += deltaEvent(index, value)
    return out
  }

  const stop = (): string => {
    if (!current) return ''
    const { block, signature, odd } = current
    let out = block.type === 'reasoning' ? sign(block, current.index, signature) : ''
    // Signing may have started the block.
    const { index } = current
    if (out === '' && index === undefined && isLazy(block)) writeExtensions(block, ID, {}, losses)
    if (odd && index !== undefined && block.type === 'tool-call') {
      const input = argumentsObject({ ...block, arguments: odd }, losses)
      out += deltaEvent(index, JSON.stringify({ type: 'input_json_delta', partial_json: JSON.stringify(input) }))
    }
    if (index !== undefined) out += event('content_block_stop', { index })
    current = undefined
    if (!signature || block.type === 'reasoning') return out
    if (block.type === 'text') return out + carried(signature)
    dropped(losses, under(block, 'signature'), 'it arrived after the start of its block')
    return out
  }

  /** Writes the signature of reasoning, which is at the end of the block and may be its only content. */
  const sign = (block: ReasoningBlock, begun: number | undefined, signature: Signature | undefined): string => {
    if (!signature) {
      if (block.redacted) loseRedacted(block, losses)
      return ''
    }
    const value = sealed(signature)
    if (block.redacted) return open({ type: 'redacted_thinking', data: value })
    const index = begun ?? count
    return (begun === undefined ? open(startOf(block, losses)) : '') + deltaEvent(index, signatureOf(value))
  }

  return { start, add, stop, seen }
}

/** True for blocks that start with their first content, since the format does not allow empty ones. */
function isLazy(block: Block): boolean {
  return block.type === 'text' || block.type === 'refusal' || (block.type === 'reasoning' && !block.redacted)
}

/** True if a piece of a call's arguments must wait for the rest, since they do not begin like an object. */
function isOdd(current: Current, piece: string): boolean {
  if (current.odd === null || current.block.type !== 'tool-call') return false
  if (current.odd === undefined) {
    const start = piece.trimStart()
    if (start === '') return false
    current.odd = start.startsWith('{') ? null : ''
    if (current.odd === null) return false
  }
  current.odd += piece
  return true
}

/** Initial content of a block. */
function given(block: Extract<Block, { type: 'text' | 'reasoning' | 'refusal' }>): Delta {
  const delta: Delta = { text: block.text }
  if (block.type !== 'refusal' && block.signature) delta.signature = block.signature
  if (block.type === 'text' && block.citations) delta.citations = block.citations
  return delta
}

/** Start of a block, which is empty. */
function startOf(block: Block, losses: Loss[]): Json {
  const out = emptyOf(block)
  writeExtensions(block, ID, out, losses)
  return out
}

function emptyOf(block: Block): Json {
  if (block.type === 'tool-call') return { type: 'tool_use', id: block.id, name: block.name, input: {} }
  return block.type === 'reasoning' ? carrier('') : { type: 'text', text: '' }
}

/** Event for the JSON of a delta. Built by hand, since a stream has thousands of them. */
function deltaEvent(index: number, delta: string): string {
  return `event: content_block_delta\ndata: {"type":"content_block_delta","index":${index},"delta":${delta}}\n\n`
}

function signatureOf(value: string): string {
  return `{"type":"signature_delta","signature":${JSON.stringify(value)}}`
}

/** JSON of each delta. */
function deltasOf(block: Block, delta: Delta, losses: Loss[]): string[] {
  const out: string[] = []
  if (delta.text && block.type === 'reasoning')
    out.push(`{"type":"thinking_delta","thinking":${JSON.stringify(delta.text)}}`)
  else if (delta.text) out.push(`{"type":"text_delta","text":${JSON.stringify(delta.text)}}`)
  if (delta.arguments) out.push(`{"type":"input_json_delta","partial_json":${JSON.stringify(delta.arguments)}}`)
  if (!delta.citations) return out
  for (const citation of writeCitations(block, delta.citations, losses))
    out.push(JSON.stringify({ type: 'citations_delta', citation }))
  return out
}
