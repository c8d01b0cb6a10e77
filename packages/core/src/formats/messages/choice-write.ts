import { argumentsObject } from '../../canonical/arguments.ts'
import type { Block, ReasoningBlock, Signature } from '../../canonical/block.ts'
import type { Seen } from '../../canonical/finish.ts'
import type { Json } from '../../canonical/json.ts'
import { dropped, type Loss, under } from '../../canonical/loss.ts'
import type { Delta } from '../../canonical/part.ts'
import { writeSide } from '../../canonical/side.ts'
import { writeHosted } from './hosted.ts'
import { carrier, loseRedacted, sealed } from './reasoning.ts'
import { callId, writeCitations } from './response-write.ts'
import { ID } from './wire.ts'

/** Writes the blocks of the one choice, one after the other. */
export interface ChoiceWriter {
  start(block: Block): string
  add(delta: Delta): string
  stop(): string
  /** What has occurred so far. */
  readonly seen: Seen
}

/** The block that is being written. */
interface Current {
  readonly block: Block
  /** Its index once its start is written: a block of which nothing comes is never begun. */
  index: number | undefined
  signature: Signature | undefined
  /**
   * Arguments of a call that are no object, so far: they have to become one. Undefined while they may be, null once
   * they are.
   */
  odd: string | null | undefined
}

/** One event of the stream. */
export function event(type: string, fields: Json): string {
  return `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`
}

/** @param unique makes ids for calls that have none */
export function writeChoiceStream(unique: string, losses: Loss[]): ChoiceWriter {
  const seen: Seen = { calls: false, refusal: false }
  let count = 0
  let current: Current | undefined

  const open = (content: Json): string => {
    const index = count
    count += 1
    if (current) current.index = index
    return event('content_block_start', { index, content_block: content })
  }

  /** A block of its own for a signature that the format has no place for. */
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
    dropped(losses, block.type, `answers of the messages format hold no ${block.type}`)
    return ''
  }

  const hosted = (block: Extract<Block, { type: 'hosted-call' | 'hosted-result' }>): string => {
    const written = writeHosted(block, losses)
    if (!written) {
      dropped(losses, block.type, 'a tool that another provider ran')
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
    // What proves the reasoning may have begun it.
    const { index } = current
    if (out === '' && index === undefined && isLazy(block)) writeSide(block, ID, {}, losses)
    if (odd && index !== undefined && block.type === 'tool-call') {
      const input = argumentsObject({ ...block, arguments: odd }, losses)
      out += deltaEvent(index, JSON.stringify({ type: 'input_json_delta', partial_json: JSON.stringify(input) }))
    }
    if (index !== undefined) out += event('content_block_stop', { index })
    current = undefined
    if (!signature || block.type === 'reasoning') return out
    if (block.type === 'text') return out + carried(signature)
    dropped(losses, under(block, 'signature'), 'it came after its block had begun')
    return out
  }

  /** What proves the reasoning stands at its end, and may be all there is of it. */
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

/** Blocks that begin with their first content, since the format takes none that stay empty. */
function isLazy(block: Block): boolean {
  return block.type === 'text' || block.type === 'refusal' || (block.type === 'reasoning' && !block.redacted)
}

/**
 * Whether a piece of a call's arguments has to wait until they are whole, since they did not begin as an object does.
 */
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

/** What a block holds already as it starts. */
function given(block: Extract<Block, { type: 'text' | 'reasoning' | 'refusal' }>): Delta {
  const delta: Delta = { text: block.text }
  if (block.type !== 'refusal' && block.signature) delta.signature = block.signature
  if (block.type === 'text' && block.citations) delta.citations = block.citations
  return delta
}

/** The block as it starts on the wire: empty. */
function startOf(block: Block, losses: Loss[]): Json {
  const out = emptyOf(block)
  writeSide(block, ID, out, losses)
  return out
}

function emptyOf(block: Block): Json {
  if (block.type === 'tool-call') return { type: 'tool_use', id: block.id, name: block.name, input: {} }
  return block.type === 'reasoning' ? carrier('') : { type: 'text', text: '' }
}

/** The event, given the JSON of its delta: put together by hand, since a stream has thousands of them. */
function deltaEvent(index: number, delta: string): string {
  return `event: content_block_delta\ndata: {"type":"content_block_delta","index":${index},"delta":${delta}}\n\n`
}

function signatureOf(value: string): string {
  return `{"type":"signature_delta","signature":${JSON.stringify(value)}}`
}

/** What is added, as JSON. */
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
