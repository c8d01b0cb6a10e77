import type { ReasoningBlock, Signature } from '../../canonical/block.ts'
import { seal, unseal } from '../../canonical/envelope.ts'
import { type Json, object, objects, text } from '../../canonical/json.ts'
import { itemOf, itemValue } from '../../canonical/reasoning-item.ts'
import { ownExtensions, ownFields } from '../../canonical/vendor-extensions.ts'
import { ID } from './wire.ts'

/** Signers of values without an envelope, in `thinking_blocks` and in `extra_content`. */
export const THINKING_SIGNER = 'claude'
export const CALL_SIGNER = 'gemini'

/** Values of `reasoning_details[].format` with their signers. The first value of a signer is used for writing. */
const DETAIL_FORMATS: readonly { readonly format: string; readonly signer: string }[] = [
  { format: 'anthropic-claude-v1', signer: 'claude' },
  { format: 'google-gemini-v1', signer: 'gemini' },
  { format: 'openai-responses-v1', signer: 'gpt' },
  { format: 'azure-openai-responses-v1', signer: 'gpt' },
  { format: 'xai-responses-v1', signer: 'grok' },
]

/**
 * Reads the reasoning of an assistant message in a request or response. Signed fields take precedence, since the others
 * repeat their text: `thinking_blocks`, `reasoning_details`, `reasoning_content`, `reasoning`.
 * @see https://docs.litellm.ai/docs/reasoning_content
 * @see https://openrouter.ai/docs/use-cases/reasoning-tokens
 */
export function readReasoning(message: Json, at: string, signer?: string): ReasoningBlock[] {
  const thinking = objects(message['thinking_blocks'])
  if (thinking.length > 0)
    return thinking.map((item, index) => readThinking(item, `${at}.thinking_blocks[${index}]`, signer))
  const details = objects(message['reasoning_details'])
  if (details.length > 0) return readDetails(details, `${at}.reasoning_details`, signer)
  const key = typeof message['reasoning_content'] === 'string' ? 'reasoning_content' : 'reasoning'
  const plain = text(message[key])
  return plain ? [{ type: 'reasoning', at: `${at}.${key}`, text: plain }] : []
}

/** Reads an entry of `thinking_blocks`. */
export function readThinking(item: Json, at: string, signer: string = THINKING_SIGNER): ReasoningBlock {
  const redacted = item['type'] === 'redacted_thinking'
  const block: ReasoningBlock = { type: 'reasoning', at, text: text(item['thinking']) ?? '' }
  const signature = unseal(text(item[redacted ? 'data' : 'signature']) ?? '', signer)
  if (signature) block.signature = signature
  if (redacted) block.redacted = true
  return block
}

/** Reads `reasoning_details`. Entries with the same `index` are pieces of one block. */
function readDetails(details: readonly Json[], at: string, signer: string | undefined): ReasoningBlock[] {
  const blocks: ReasoningBlock[] = []
  let last: { block: ReasoningBlock; index: unknown } | undefined
  details.forEach((item, position) => {
    const block = readDetail(item, `${at}[${position}]`, signer)
    const open =
      last &&
      !block.redacted &&
      !block.extensions &&
      !last.block.redacted &&
      !last.block.extensions &&
      !last.block.signature
    if (last && open && item['index'] === last.index) {
      last.block.text += block.text
      if (block.signature) last.block.signature = block.signature
      return
    }
    blocks.push(block)
    last = { block, index: item['index'] }
  })
  return blocks
}

/** Reads an entry of `reasoning_details`. Entries of unknown type are preserved for the server that sent them. */
export function readDetail(item: Json, at: string, signer?: string): ReasoningBlock {
  const type = item['type']
  if (type === 'reasoning.text' || type === 'reasoning.summary') {
    const block: ReasoningBlock = { type: 'reasoning', at, text: text(item['text']) ?? text(item['summary']) ?? '' }
    const signature = detailSignature(item, text(item['signature']), signer)
    if (signature) block.signature = signature
    return block
  }
  const data = type === 'reasoning.encrypted' ? text(item['data']) : undefined
  const signature = detailSignature(item, data, signer)
  if (!signature) return { type: 'reasoning', at, text: '', extensions: ownExtensions(ID, item) }
  return { type: 'reasoning', at, text: '', signature, redacted: true }
}

/** Signer of an entry in `reasoning_details`. */
export function detailSigner(item: Json): string | undefined {
  return DETAIL_FORMATS.find(({ format }) => format === item['format'])?.signer
}

function detailSignature(item: Json, value: string | undefined, fallback: string | undefined): Signature | undefined {
  const signer = detailSigner(item) ?? fallback
  const signature = unseal(value ?? '', signer)
  if (!signature || signature.value !== value || item['type'] !== 'reasoning.encrypted') return signature
  return { signer: signature.signer, value: itemValue(text(item['id']), value) }
}

/** Entry of `thinking_blocks` for the upstream that signed it. */
export function writeThinking(block: ReasoningBlock, signature: string | undefined): Json {
  if (block.redacted) return { type: 'redacted_thinking', data: signature ?? '' }
  return { type: 'thinking', thinking: block.text, ...(signature === undefined ? {} : { signature }) }
}

/**
 * Entry of `thinking_blocks` for a caller, with a sealed signature, since the caller may send it to another provider.
 */
export function writeSealedThinking(block: ReasoningBlock): Json {
  return writeThinking(block, block.signature && seal(block.signature, THINKING_SIGNER))
}

/** Writes reasoning: text for display and, if it is signed, blocks to send back. */
export function writeReasoning(blocks: readonly ReasoningBlock[], out: Json): void {
  const shown = blocks.map((block) => block.text).join('')
  if (shown !== '') out['reasoning_content'] = shown
  if (blocks.some((block) => block.signature)) out['thinking_blocks'] = blocks.map(writeSealedThinking)
}

export function writeDetail(block: ReasoningBlock, signature: Signature | undefined, index: number): Json {
  const own = ownFields(block, ID)
  if (own) return own
  const format = DETAIL_FORMATS.find(({ signer }) => signer === signature?.signer)?.format
  const common = { ...(format ? { format } : {}), index }
  if (!block.redacted)
    return { type: 'reasoning.text', text: block.text, ...(signature ? { signature: signature.value } : {}), ...common }
  const { id, encrypted } = itemOf(signature?.value ?? '')
  return { type: 'reasoning.encrypted', data: encrypted, ...(id === undefined ? {} : { id }), ...common }
}

/** Value of `extra_content.google.thought_signature` in a tool call, an image or a message. */
export function extraSignature(item: Json): string | undefined {
  return text(object(object(item['extra_content'])?.google)?.['thought_signature'])
}

/** Signature in `extra_content`. */
export function readExtraContent(item: Json): Signature | undefined {
  const value = extraSignature(item)
  return value === undefined ? undefined : unseal(value, CALL_SIGNER)
}

/** `extra_content` with a signature: the plain value for its signer, a sealed one for a caller. */
export function writeExtraContent(value: string): Json {
  return { google: { thought_signature: value } }
}

/** `extra_content` with a sealed signature, for a caller. */
export function sealedExtraContent(signature: Signature): Json {
  return writeExtraContent(sealedValue(signature))
}

export function sealedValue(signature: Signature): string {
  return seal(signature, CALL_SIGNER)
}
