import type { Block, ReasoningBlock, Signature, ToolCallBlock } from './block.ts'
import type { Format } from './format.ts'
import { parse, text } from './json.ts'
import { under } from './loss.ts'
import type { Part } from './part.ts'
import type { ChatRequest } from './request.ts'
import type { ChatResponse } from './response.ts'

/** First characters of a signature's value that is no signature of the call: signatures are base64. */
const MARK = 'thoughts:'

/** Most characters that are carried; more would not be opened as an envelope. */
const LIMIT = 500_000

/**
 * A format whose clients drop what the model thought, but keep the signature of a call. The signed thoughts before a
 * call are carried in its signature, so that a model that must have them back before the results of its tools can go
 * on.
 *
 * AI SDK's chat completions and Gemini CLI are such clients. Others send the thoughts themselves as well: if all are
 * there as they were, these count.
 *
 * @param callSigner who signs calls: those need no thoughts
 */
export function carryingThoughts(format: Format, callSigner: string): Format {
  return {
    ...format,
    readRequest: (body, line) => takeFromRequest(format.readRequest(body, line)),
    readResponse: (body, origin) => mapBlocks(format.readResponse(body, origin), withoutCopies),
    readStream(origin) {
      const reader = format.readStream(origin)
      return {
        push: (frame) => reader.push(frame).map(withoutCopy),
        end: () => reader.end().map(withoutCopy),
        get finishing() {
          return reader.finishing ?? false
        },
      }
    },
    writeResponse: (response, reply, losses) =>
      format.writeResponse(
        mapBlocks(response, (blocks) => carry(blocks, callSigner)),
        reply,
        losses,
      ),
    writeStream(reply, losses) {
      const writer = format.writeStream(reply, losses)
      const carried = carryInStream(callSigner)
      return { push: (part) => writer.push(carried(part)), end: () => writer.end() }
    },
  }
}

function mapBlocks(response: ChatResponse, change: (blocks: Block[]) => Block[]): ChatResponse {
  return { ...response, choices: response.choices.map((choice) => ({ ...choice, blocks: change(choice.blocks) })) }
}

/** The blocks of an answer, calls with the thoughts that led to them. */
function carry(blocks: readonly Block[], callSigner: string): Block[] {
  let thoughts: ReasoningBlock[] = []
  return blocks.map((block) => {
    if (block.type === 'reasoning' && isForeign(block.signature, callSigner)) thoughts.push(block)
    if (block.type !== 'tool-call') return block
    const laden = load(block, thoughts)
    thoughts = []
    return laden
  })
}

/** The same for a stream. */
function carryInStream(callSigner: string): (part: Part) => Part {
  const open = new Map<string, ReasoningBlock>()
  const thoughts = new Map<number, ReasoningBlock[]>()
  const keyOf = (choice: number, index: number) => `${choice}/${index}`
  return (part) => {
    if (part.type !== 'block-start' && part.type !== 'block-delta' && part.type !== 'block-end') return part
    const { index, choice = 0 } = part
    if (part.type === 'block-start') {
      const { block } = part
      if (block.type === 'reasoning') open.set(keyOf(choice, index), { ...block })
      if (block.type !== 'tool-call') return part
      const laden = load(block, thoughts.get(choice) ?? [])
      thoughts.delete(choice)
      return laden === block ? part : { ...part, block: laden }
    }
    const thought = open.size === 0 ? undefined : open.get(keyOf(choice, index))
    if (!thought) return part
    if (part.type === 'block-delta') {
      thought.text += part.delta.text ?? ''
      if (part.delta.signature) thought.signature = part.delta.signature
      return part
    }
    open.delete(keyOf(choice, index))
    if (!isForeign(thought.signature, callSigner)) return part
    const signed = thoughts.get(choice)
    if (signed) signed.push(thought)
    else thoughts.set(choice, [thought])
    return part
  }
}

function isForeign(signature: Signature | undefined, callSigner: string): boolean {
  return signature !== undefined && signature.signer !== callSigner
}

/** The call with thoughts in the place of its signature, where that is free. Thoughts of one answer have one signer. */
function load(call: ToolCallBlock, thoughts: readonly ReasoningBlock[]): ToolCallBlock {
  const signer = thoughts[0]?.signature?.signer
  if (call.signature || signer === undefined) return call
  const packed = thoughts.map(({ text: said, signature, redacted }) => [
    said,
    signature?.value,
    ...(redacted ? [true] : []),
  ])
  const value = `${MARK}${JSON.stringify(packed)}`
  return value.length > LIMIT ? call : { ...call, signature: { signer, value } }
}

/** What a signature carries; undefined when it is one of the call itself, or nothing that was made here. */
function unload(signature: Signature | undefined): ReasoningBlock[] | undefined {
  if (!signature?.value.startsWith(MARK)) return undefined
  const packed = parse(signature.value.slice(MARK.length))
  if (!Array.isArray(packed)) return undefined
  const thoughts = packed.map((item) => thoughtOf(item, signature.signer))
  return thoughts.every((thought) => thought !== undefined) ? thoughts : undefined
}

function thoughtOf(item: unknown, signer: string): ReasoningBlock | undefined {
  if (!Array.isArray(item)) return undefined
  const [said, value] = [text(item[0]), text(item[1])]
  if (said === undefined || !value) return undefined
  return { type: 'reasoning', text: said, signature: { signer, value }, ...(item[2] === true && { redacted: true }) }
}

function takeFromRequest(request: ChatRequest): ChatRequest {
  if (!request.messages.some(({ blocks }) => blocks.some(isLaden))) return request
  const messages = request.messages.map((message) =>
    message.role === 'assistant' ? { ...message, blocks: take(message.blocks) } : message,
  )
  return { ...request, messages }
}

/**
 * The blocks of a message with the thoughts where the model had them: before all that it said on the way to the call.
 */
function take(blocks: readonly Block[]): Block[] {
  const carried = blocks.flatMap((block) => (block.type === 'tool-call' ? (unload(block.signature) ?? []) : []))
  if (carried.length === 0) return [...blocks]
  const sent = new Set(blocks.map(proofOf))
  if (carried.every((thought) => sent.has(proofOf(thought)))) return withoutCopies(blocks)
  const signatures = new Set(carried.map((thought) => thought.signature?.value))
  const texts = new Set([carried.map((thought) => thought.text).join(''), ...carried.map((thought) => thought.text)])
  const isCopy = ({ text: said, signature }: ReasoningBlock) =>
    signature ? signatures.has(signature.value) : texts.has(said)
  const out: Block[] = []
  let said: Block[] = []
  for (const block of blocks) {
    if (block.type === 'reasoning' && isCopy(block)) continue
    said.push(block.type === 'tool-call' ? withoutLoad(block) : block)
    if (block.type !== 'tool-call') continue
    for (const thought of unload(block.signature) ?? []) out.push({ ...thought, at: under(block, 'signature') })
    for (const before of said) out.push(before)
    said = []
  }
  for (const block of said) out.push(block)
  return out
}

/** What tells a signed thought, as it was, from all others: its signer takes back no other. */
function proofOf(block: Block): string | undefined {
  return block.type === 'reasoning' ? JSON.stringify([block.text, block.signature, block.redacted === true]) : undefined
}

function withoutCopies(blocks: readonly Block[]): Block[] {
  return blocks.map((block) => (block.type === 'tool-call' ? withoutLoad(block) : block))
}

/** Whoever answers with thoughts in a call has sent them in their own place before. */
function withoutCopy(part: Part): Part {
  if (part.type === 'block-start' && isLaden(part.block)) return { ...part, block: withoutLoad(part.block) }
  if (part.type !== 'block-delta' || !unload(part.delta.signature)) return part
  const { signature: _, ...delta } = part.delta
  return { ...part, delta }
}

function isLaden(block: Block): block is ToolCallBlock {
  return block.type === 'tool-call' && block.signature?.value.startsWith(MARK) === true
}

function withoutLoad(block: ToolCallBlock): ToolCallBlock {
  if (!unload(block.signature)) return block
  const { signature: _, ...call } = block
  return call
}
