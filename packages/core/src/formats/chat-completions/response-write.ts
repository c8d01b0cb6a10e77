import {
  type Block,
  blocksOf,
  isOwnSearch,
  type Node,
  type TextBlock,
  type ToolCallBlock,
} from '../../canonical/block.ts'
import { loseDetail, loseEnd } from '../../canonical/finish.ts'
import type { Reply } from '../../canonical/format.ts'
import type { Json } from '../../canonical/json.ts'
import { changed, dropped, type Loss, under } from '../../canonical/loss.ts'
import type { ChatRequest } from '../../canonical/request.ts'
import type { ChatResponse, Choice } from '../../canonical/response.ts'
import { loseSignature } from '../../canonical/signature.ts'
import { isWrittenTier, namesTier, reportedTier } from '../../canonical/tier.ts'
import { type Usage, writable } from '../../canonical/usage.ts'
import { isOwn, ownFields, writeExtensions } from '../../canonical/vendor-extensions.ts'
import { writeAnnotations } from './citations.ts'
import { writeFinish } from './finish.ts'
import { writeLogprobs } from './logprobs.ts'
import { isImage, writeSealedImages } from './media-write.ts'
import { CALL_SIGNER, sealedExtraContent, writeReasoning } from './reasoning.ts'
import { writeUsage } from './usage.ts'
import { ID } from './wire.ts'

/** Writes a whole response. */
export function writeResponse(response: ChatResponse, reply: Reply, losses: Loss[]): Json {
  const out: Json = {
    id: response.id ?? reply.id,
    object: 'chat.completion',
    created: response.created ?? now(),
    model: response.model ?? reply.model,
    choices: response.choices.map((choice, index) =>
      writeChoice(choice, index, usesFunctionCall(reply.request), losses),
    ),
  }
  const usage = writable(response.usage, losses)
  if (usage) out['usage'] = writeUsage(usage, losses)
  Object.assign(out, tierFields(response.usage, response, reply.request))
  writeExtensions(response, ID, out, losses, isWrittenTier)
  return out
}

/**
 * Service tier that an upstream of another format reported. The default tier is written if the upstream reported a tier
 * or the caller requested one.
 * @see https://platform.openai.com/docs/api-reference/chat/object
 */
export function tierFields(usage: Usage | undefined, node: Node, { serviceTier }: ChatRequest): Json {
  const tier = isOwn(node, ID) ? undefined : reportedTier(usage, node.extensions)
  return tier !== undefined && (tier !== 'default' || serviceTier !== undefined || namesTier(node.extensions))
    ? { service_tier: tier }
    : {}
}

/** Unix time in seconds. */
export function now(): number {
  return Math.floor(Date.now() / 1000)
}

/** True if the caller sent `functions` and expects a `function_call`. */
export function usesFunctionCall(request: ChatRequest): boolean {
  return request.paths.tools === 'functions'
}

function writeChoice(choice: Choice, index: number, asFunctionCall: boolean, losses: Loss[]): Json {
  const { finish } = choice
  const message = writeMessage(choice, asFunctionCall, losses)
  if (finish.reason === 'content-filter' && finish.detail && message['refusal'] === null)
    message['refusal'] = finish.detail
  loseEnd(finish, choice, losses)
  loseDetail(finish, choice, losses)
  const refused = message['content'] === null && message['refusal'] !== null
  const out: Json = {
    index,
    message,
    logprobs: choice.logprobs ? writeLogprobs(choice.logprobs, refused) : null,
    finish_reason: writeFinish(finish, asFunctionCall),
  }
  writeExtensions(choice, ID, out, losses)
  return out
}

function writeMessage(choice: Choice, asFunctionCall: boolean, losses: Loss[]): Json {
  const texts = blocksOf(choice.blocks, 'text')
  const refusal = blocksOf(choice.blocks, 'refusal')
    .map((block) => block.text)
    .join('')
  const calls = blocksOf(choice.blocks, 'tool-call')
  const text = texts.map((block) => block.text).join('')
  const out: Json = {
    role: 'assistant',
    content: text === '' && (calls.length > 0 || refusal !== '') ? null : text,
    refusal: refusal === '' ? null : refusal,
  }
  writeReasoning(blocksOf(choice.blocks, 'reasoning'), out)
  putTextSignature(texts, out, losses)
  const annotations = writeAnnotations(texts, losses)
  if (annotations.length > 0) out['annotations'] = annotations
  putMedia(choice.blocks, out, losses)
  if (calls.length > 0) putCalls(calls, asFunctionCall, out, losses)
  for (const block of choice.blocks) {
    if (isOwnSearch(block)) continue
    if (block.type === 'hosted-call' || block.type === 'hosted-result' || block.type === 'tool-result')
      dropped(losses, block.at ?? block.type, 'responses of this format cannot contain hosted tools')
    if (!isOwn(block, ID)) writeExtensions(block, ID, {}, losses)
  }
  loseOrder(choice.blocks, losses)
  return out
}

export const ONE_TEXT = 'a message has only one signature of its text'

function putTextSignature(texts: readonly TextBlock[], out: Json, losses: Loss[]): void {
  const signed = texts.filter((block) => block.signature)
  const last = signed.pop()
  if (last?.signature) out['extra_content'] = sealedExtraContent(last.signature)
  for (const block of signed) dropped(losses, under(block, 'signature'), ONE_TEXT)
}

/** Order of blocks in a message. */
const ORDER: readonly Block['type'][] = ['reasoning', 'text', 'media', 'tool-call']

/**
 * Declares the lost order of blocks. A message separates reasoning, text, images and calls. A stream preserves their
 * order in time.
 */
function loseOrder(blocks: readonly Block[], losses: Loss[]): void {
  let last = 0
  for (const block of blocks) {
    const place = ORDER.indexOf(block.type)
    if (place < 0 || ('text' in block && block.text === '')) continue
    if (place < last)
      changed(
        losses,
        block.at ?? block.type,
        'the format separates reasoning, text, images and calls, so their order is lost',
      )
    else last = place
  }
}

function putMedia(blocks: readonly Block[], out: Json, losses: Loss[]): void {
  const media = blocks.filter((block) => block.type === 'media')
  const images = media.filter(isImage)
  if (images.length > 0) out['images'] = writeSealedImages(images)
  for (const block of media) {
    if (isImage(block)) continue
    if (block.kind === 'audio' && block.source.type === 'base64' && !out['audio']) {
      loseSignature(block, losses)
      out['audio'] = { ...ownFields(block, ID), data: block.source.data, transcript: block.transcript ?? '' }
    } else dropped(losses, block.at ?? 'media', 'responses of this format cannot contain it')
  }
}

function putCalls(calls: readonly ToolCallBlock[], asFunctionCall: boolean, out: Json, losses: Loss[]): void {
  if (!asFunctionCall) {
    out['tool_calls'] = calls.map(writeCall)
    return
  }
  const [first, ...rest] = calls
  for (const call of calls) loseFunctionCallSignature(call, losses)
  if (first) out['function_call'] = { name: first.name, arguments: first.arguments || '{}' }
  for (const call of rest) dropped(losses, call.at ?? 'function_call', 'the function_call format has one call')
}

/**
 * Declares the loss of a call's signature in the `function_call` format. Attached reasoning was already sent
 * separately.
 */
export function loseFunctionCallSignature(block: ToolCallBlock, losses: Loss[]): void {
  if (block.signature?.signer === CALL_SIGNER)
    dropped(losses, under(block, 'signature'), 'the function_call format has no signatures')
}

function writeCall(block: ToolCallBlock): Json {
  const out: Json = block.custom
    ? { id: block.id, type: 'custom', custom: { name: block.name, input: block.arguments } }
    : { id: block.id, type: 'function', function: { name: block.name, arguments: block.arguments || '{}' } }
  if (block.signature) out['extra_content'] = sealedExtraContent(block.signature)
  if (isOwn(block, ID)) writeExtensions(block, ID, out, [])
  return out
}
