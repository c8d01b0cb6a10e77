import { argumentsText } from '../../canonical/arguments.ts'
import type { Block, MediaBlock, ToolCallBlock } from '../../canonical/block.ts'
import { seenIn } from '../../canonical/finish.ts'
import type { Origin } from '../../canonical/format.ts'
import { isObject, type Json, number, objects, text } from '../../canonical/json.ts'
import { hash } from '../../canonical/names.ts'
import type { ChatResponse, Choice } from '../../canonical/response.ts'
import { failure } from '../../canonical/stream-failure.ts'
import { keepExtensions, unknownFields } from '../../canonical/vendor-extensions.ts'
import { HeadgateError } from '../../errors.ts'
import { attachToText } from './citations.ts'
import { readError } from './error.ts'
import { readFinish } from './finish.ts'
import { readLogprobs } from './logprobs.ts'
import { readImages } from './media-read.ts'
import { readExtraContent, readReasoning } from './reasoning.ts'
import { otherCounts, readUsage } from './usage.ts'
import { ID } from './wire.ts'

const FIELDS: ReadonlySet<string> = new Set(['id', 'object', 'created', 'model', 'choices', 'usage'])

/** True if a body has a choice. */
export function isResponse(body: Json): boolean {
  return objects(body['choices']).length > 0
}

/**
 * Reads a whole response, including responses of servers that deviate from the vendor. A response without choices is an
 * upstream failure.
 */
export function readResponse(body: Json, origin: Origin = {}): ChatResponse {
  if (!isResponse(body)) throw noChoice(body)
  const choices = objects(body['choices'])
  const response: ChatResponse = { choices: choices.map((choice, index) => readChoice(choice, index, body, origin)) }
  Object.assign(response, readHead(body))
  const usage = readUsage(body['usage'], body['service_tier']) ?? readUsage(choices[0]?.['usage'], body['service_tier'])
  if (usage) response.usage = usage
  return keepExtensions(response, ID, otherCounts(body['usage'], unknownFields(body, FIELDS)))
}

function noChoice(body: Json): HeadgateError {
  return body['error']
    ? failure(readError(0, body))
    : new HeadgateError('upstream', 'The provider sent a response without choices.')
}

/** Id, model and time of a response or chunk. Empty values count as absent. */
export function readHead(body: Json): { id?: string; model?: string; created?: number } {
  const id = text(body['id'])
  const model = text(body['model'])
  const created = number(body['created'])
  return { ...(id ? { id } : {}), ...(model ? { model } : {}), ...(created ? { created: Math.floor(created) } : {}) }
}

export const CHOICE_FIELDS: ReadonlySet<string> = new Set([
  'index',
  'message',
  'delta',
  'finish_reason',
  'logprobs',
  'usage',
])
export const MESSAGE_FIELDS: ReadonlySet<string> = new Set([
  ...['role', 'content', 'refusal', 'tool_calls', 'function_call', 'annotations', 'audio', 'images', 'extra_content'],
  ...['reasoning', 'reasoning_content', 'reasoning_details', 'thinking_blocks'],
])

function readChoice(item: Json, index: number, body: Json, origin: Origin): Choice {
  const at = `choices[${index}]`
  const message = [item['message'], item['delta']].find(isObject) ?? {}
  const blocks = readBlocks(
    message,
    `${at}.message`,
    `${text(body['id']) ?? ''}.${number(body['created']) ?? 0}.${index}`,
    origin,
  )
  const choice: Choice = { at, blocks, finish: readFinish(text(item['finish_reason']) || undefined, seenIn(blocks)) }
  const tokens = readLogprobs(item['logprobs'])
  if (tokens) choice.logprobs = tokens
  return keepExtensions(
    choice,
    ID,
    unknownFields(message, MESSAGE_FIELDS, unknownFields(item, CHOICE_FIELDS), 'message.'),
  )
}

/**
 * Reads the blocks of a message.
 * @param seed source of ids for calls without an id; differs between responses.
 */
function readBlocks(message: Json, at: string, seed: string, origin: Origin): Block[] {
  const content = readResponseContent(message['content'], at)
  attachToText(content, message, at)
  const blocks: Block[] = [...readReasoning(message, at, origin.signer), ...content]
  const refusal = text(message['refusal'])
  if (refusal) blocks.push({ type: 'refusal', at: `${at}.refusal`, text: refusal })
  for (const image of readImages(message['images'], `${at}.images`)) blocks.push(image)
  if (isObject(message['audio'])) blocks.push(readAudio(message['audio'], `${at}.audio`))
  objects(message['tool_calls']).forEach((call, index) => {
    blocks.push(readResponseCall(call, `${at}.tool_calls[${index}]`, `${seed}.${index}`))
  })
  const functionCall = functionCallOf(message)
  if (functionCall) blocks.push(readResponseCall({ function: functionCall }, `${at}.function_call`, `${seed}.0`))
  return blocks
}

/** Reads a `function_call`. Servers that fill all fields send it with an empty name and empty arguments. */
export function functionCallOf(message: Json): Json | undefined {
  const call = message['function_call']
  return isObject(call) && (call['name'] || call['arguments']) ? call : undefined
}

/** Reads content: a string, or a list of parts if a server includes reasoning. */
function readResponseContent(content: unknown, at: string): Block[] {
  if (typeof content === 'string') return content === '' ? [] : [{ type: 'text', at: `${at}.content`, text: content }]
  return objects(content).flatMap((part, index): Block[] => {
    const path = `${at}.content[${index}]`
    const thought = part['type'] === 'thinking'
    const words = thought ? wordsOf(part['thinking']) : text(part['text'])
    if (words) return [{ type: thought ? 'reasoning' : 'text', at: path, text: words }]
    return part['type'] === 'image_url' ? readImages([part], path) : []
  })
}

/** Text of a part that is a string or a list of text parts. */
export function wordsOf(value: unknown): string {
  return (
    text(value) ??
    objects(value)
      .map((item) => text(item['text']) ?? '')
      .join('')
  )
}

const AUDIO_FIELDS: ReadonlySet<string> = new Set(['data', 'transcript'])

function readAudio(audio: Json, at: string): MediaBlock {
  const block: MediaBlock = {
    type: 'media',
    at,
    kind: 'audio',
    source: { type: 'base64', data: text(audio['data']) ?? '' },
  }
  const transcript = text(audio['transcript'])
  if (transcript !== undefined) block.transcript = transcript
  return keepExtensions(block, ID, unknownFields(audio, AUDIO_FIELDS))
}

/** Fields of a call in a response. */
const CALL_FIELDS: ReadonlySet<string> = new Set(['id', 'type', 'index', 'function', 'custom', 'extra_content'])
const CALLED_FIELDS: ReadonlySet<string> = new Set(['name', 'arguments', 'input'])

function readResponseCall(item: Json, at: string, seed: string): ToolCallBlock {
  const custom = isObject(item['custom']) && !isObject(item['function'])
  const inner = [item['function'], item['custom']].find(isObject) ?? {}
  const id = text(item['id']) || generatedId(seed)
  const block: ToolCallBlock = {
    type: 'tool-call',
    at,
    id,
    name: text(inner['name']) ?? '',
    arguments: argumentsText(inner[custom ? 'input' : 'arguments']),
  }
  if (custom) block.custom = true
  const signature = readExtraContent(item)
  if (signature) block.signature = signature
  const prefix = custom ? 'custom.' : 'function.'
  return keepExtensions(block, ID, unknownFields(inner, CALLED_FIELDS, unknownFields(item, CALL_FIELDS), prefix))
}

/** Deterministic id for a call without an id. */
export function generatedId(seed: string): string {
  return `call_${hash(seed)}${hash(`${seed} `)}`
}
