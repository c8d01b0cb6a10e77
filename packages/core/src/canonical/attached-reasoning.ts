import type { Block, ReasoningBlock, Signature, ToolCallBlock } from './block.ts'
import type { Format } from './format.ts'
import { parse, text } from './json.ts'
import { under } from './loss.ts'
import type { Part } from './part.ts'
import type { ChatRequest } from './request.ts'
import type { ChatResponse } from './response.ts'

/** Prefix of a value that contains reasoning. Signatures are base64, so they never start with it. */
const MARK = 'thoughts:'

/** Maximum characters of attached reasoning. Longer values would not be opened as an envelope. */
const LIMIT = 500_000

/**
 * Format whose clients discard reasoning but return the signatures of calls. Signed reasoning before a call is
 * attached to the signature of the call, since some models require it to continue after tool results. Examples of such
 * clients are AI SDK's chat completions and Gemini CLI. If a client returns all reasoning unchanged, that is used
 * instead.
 * @param callSigner signer of calls that need no reasoning.
 */
export function attachingReasoning(format: Format, callSigner: string): Format {
  return {
    ...format,
    readRequest: (body, line) => detachFromRequest(format.readRequest(body, line)),
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
        mapBlocks(response, (blocks) => attachAll(blocks, callSigner)),
        reply,
        losses,
      ),
    writeStream(reply, losses) {
      const writer = format.writeStream(reply, losses)
      const carried = attachInStream(callSigner)
      return { push: (part) => writer.push(carried(part)), end: () => writer.end() }
    },
  }
}

function mapBlocks(response: ChatResponse, change: (blocks: Block[]) => Block[]): ChatResponse {
  return { ...response, choices: response.choices.map((choice) => ({ ...choice, blocks: change(choice.blocks) })) }
}

/** Blocks of a response, with reasoning attached to the calls that follow it. */
function attachAll(blocks: readonly Block[], callSigner: string): Block[] {
  let thoughts: ReasoningBlock[] = []
  return blocks.map((block) => {
    if (block.type === 'reasoning' && isForeign(block.signature, callSigner)) thoughts.push(block)
    if (block.type !== 'tool-call') return block
    const attached = attach(block, thoughts)
    thoughts = []
    return attached
  })
}

/** Attaches reasoning to calls of a stream. */
function attachInStream(callSigner: string): (part: Part) => Part {
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
      const attached = attach(block, thoughts.get(choice) ?? [])
      thoughts.delete(choice)
      return attached === block ? part : { ...part, block: attached }
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

/**
 * Copy of a call with reasoning in place of its signature, if it has none. All reasoning of a response has one signer.
 */
function attach(call: ToolCallBlock, thoughts: readonly ReasoningBlock[]): ToolCallBlock {
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

/** Reasoning in a signature. Undefined for the signature of a call, or for an invalid value. */
function detach(signature: Signature | undefined): ReasoningBlock[] | undefined {
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

function detachFromRequest(request: ChatRequest): ChatRequest {
  if (!request.messages.some(({ blocks }) => blocks.some(hasReasoning))) return request
  const messages = request.messages.map((message) =>
    message.role === 'assistant' ? { ...message, blocks: detachAll(message.blocks) } : message,
  )
  return { ...request, messages }
}

/** Blocks of a message with the attached reasoning before all content of the call's step, as the model created it. */
function detachAll(blocks: readonly Block[]): Block[] {
  const carried = blocks.flatMap((block) => (block.type === 'tool-call' ? (detach(block.signature) ?? []) : []))
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
    said.push(block.type === 'tool-call' ? withoutReasoning(block) : block)
    if (block.type !== 'tool-call') continue
    for (const thought of detach(block.signature) ?? []) out.push({ ...thought, at: under(block, 'signature') })
    for (const before of said) out.push(before)
    said = []
  }
  for (const block of said) out.push(block)
  return out
}

/** Identity of a signed reasoning block. Its signer rejects any change. */
function proofOf(block: Block): string | undefined {
  return block.type === 'reasoning' ? JSON.stringify([block.text, block.signature, block.redacted === true]) : undefined
}

function withoutCopies(blocks: readonly Block[]): Block[] {
  return blocks.map((block) => (block.type === 'tool-call' ? withoutReasoning(block) : block))
}

/** Removes attached reasoning from a response. The provider has already sent it as separate blocks. */
function withoutCopy(part: Part): Part {
  if (part.type === 'block-start' && hasReasoning(part.block)) return { ...part, block: withoutReasoning(part.block) }
  if (part.type !== 'block-delta' || !detach(part.delta.signature)) return part
  const { signature: _, ...delta } = part.delta
  return { ...part, delta }
}

function hasReasoning(block: Block): block is ToolCallBlock {
  return block.type === 'tool-call' && block.signature?.value.startsWith(MARK) === true
}

function withoutReasoning(block: ToolCallBlock): ToolCallBlock {
  if (!detach(block.signature)) return block
  const { signature: _, ...call } = block
  return call
}
