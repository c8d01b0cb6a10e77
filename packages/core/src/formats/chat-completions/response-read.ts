import type { Block, MediaBlock, ToolCallBlock } from '../../chat/block.ts'
import type { Origin } from '../../chat/format.ts'
import { isObject, type Json, number, objects, text } from '../../chat/json.ts'
import { hash } from '../../chat/names.ts'
import type { ChatResponse, Choice } from '../../chat/response.ts'
import { HeadgateError } from '../../errors.ts'
import { readError } from './error.ts'
import { readFinish } from './finish.ts'
import { readLogprobs } from './logprobs.ts'
import { attachToText, readAnnotations, readImages } from './messages-read.ts'
import { readExtraContent, readReasoning } from './reasoning.ts'
import { extras, setSide } from './side.ts'
import { readUsage } from './usage.ts'

const FIELDS: ReadonlySet<string> = new Set(['id', 'object', 'created', 'model', 'choices', 'usage'])

/** Reads a whole answer, also of servers that imitate the vendor loosely. An answer without any choice is an upstream's failure. */
export function readResponse(body: Json, origin: Origin = {}): ChatResponse {
  const choices = objects(body['choices'])
  if (choices.length === 0) throw failure(body)
  const response: ChatResponse = { choices: choices.map((choice, index) => readChoice(choice, index, body, origin)) }
  Object.assign(response, readHead(body))
  const usage = readUsage(body['usage']) ?? readUsage(choices[0]?.['usage'])
  if (usage) response.usage = usage
  setSide(response, extras(body, FIELDS))
  return response
}

function failure(body: Json): HeadgateError {
  if (!body['error']) return new HeadgateError('upstream', 'The provider answered without any choice.')
  const { kind, message, retryAfterMs } = readError(0, body)
  return new HeadgateError(kind, message, { retryAfterMs })
}

/** Id, model and time of an answer or chunk; what is empty is not known. */
export function readHead(body: Json): { id?: string; model?: string; created?: number } {
  const id = text(body['id'])
  const model = text(body['model'])
  const created = number(body['created'])
  return { ...(id ? { id } : {}), ...(model ? { model } : {}), ...(created ? { created: Math.floor(created) } : {}) }
}

export const CHOICE_FIELDS: ReadonlySet<string> = new Set(['index', 'message', 'delta', 'finish_reason', 'logprobs', 'usage'])
const MESSAGE_FIELDS: ReadonlySet<string> = new Set([
  ...['role', 'content', 'refusal', 'tool_calls', 'function_call', 'annotations', 'audio', 'images', 'extra_content'],
  ...['reasoning', 'reasoning_content', 'reasoning_details', 'thinking_blocks'],
])

function readChoice(item: Json, index: number, body: Json, origin: Origin): Choice {
  const at = `choices[${index}]`
  const message = [item['message'], item['delta']].find(isObject) ?? {}
  const blocks = readBlocks(message, `${at}.message`, `${text(body['id']) ?? ''}.${number(body['created']) ?? 0}.${index}`, origin)
  const seen = { calls: blocks.some((block) => block.type === 'tool-call'), refusal: blocks.some((block) => block.type === 'refusal') }
  const choice: Choice = { at, blocks, finish: readFinish(text(item['finish_reason']) || undefined, seen) }
  const tokens = readLogprobs(item['logprobs'])
  if (tokens) choice.logprobs = tokens
  setSide(choice, extras(message, MESSAGE_FIELDS, extras(item, CHOICE_FIELDS), 'message.'))
  return choice
}

/** `seed` makes the ids of calls that have none; it differs between answers. */
function readBlocks(message: Json, at: string, seed: string, origin: Origin): Block[] {
  const content = readAnswerContent(message['content'], at)
  attachToText(content, readAnnotations(message['annotations']), message, at)
  const blocks: Block[] = [...readReasoning(message, at, origin.signer), ...content]
  const refusal = text(message['refusal'])
  if (refusal) blocks.push({ type: 'refusal', at: `${at}.refusal`, text: refusal })
  blocks.push(...readImages(message['images'], `${at}.images`))
  if (isObject(message['audio'])) blocks.push(readAudio(message['audio'], `${at}.audio`))
  objects(message['tool_calls']).forEach((call, index) => {
    blocks.push(readAnswerCall(call, `${at}.tool_calls[${index}]`, `${seed}.${index}`))
  })
  const legacy = legacyCall(message)
  if (legacy) blocks.push(readAnswerCall({ function: legacy }, `${at}.function_call`, `${seed}.0`))
  return blocks
}

/** The call of the legacy form. A server that fills every field leaves name and arguments empty where there is none. */
export function legacyCall(message: Json): Json | undefined {
  const call = message['function_call']
  return isObject(call) && (call['name'] || call['arguments']) ? call : undefined
}

/** Content is a text, or, where a server has reasoning in it, a list of parts. */
function readAnswerContent(content: unknown, at: string): Block[] {
  if (typeof content === 'string') return content === '' ? [] : [{ type: 'text', at: `${at}.content`, text: content }]
  return objects(content).flatMap((part, index): Block[] => {
    const path = `${at}.content[${index}]`
    const thought = part['type'] === 'thinking'
    const words = thought ? wordsOf(part['thinking']) : text(part['text'])
    if (words) return [{ type: thought ? 'reasoning' : 'text', at: path, text: words }]
    return part['type'] === 'image_url' ? readImages([part], path) : []
  })
}

/** The text of a part that is a text or a list of texts. */
export function wordsOf(value: unknown): string {
  return (
    text(value) ??
    objects(value)
      .map((item) => text(item['text']) ?? '')
      .join('')
  )
}

function readAudio(audio: Json, at: string): MediaBlock {
  const block: MediaBlock = { type: 'media', at, kind: 'audio', source: { type: 'base64', data: text(audio['data']) ?? '' } }
  const transcript = text(audio['transcript'])
  if (transcript !== undefined) block.transcript = transcript
  setSide(block, extras(audio, new Set(['data', 'transcript'])))
  return block
}

function readAnswerCall(item: Json, at: string, seed: string): ToolCallBlock {
  const custom = isObject(item['custom']) && !isObject(item['function'])
  const inner = [item['function'], item['custom']].find(isObject) ?? {}
  const id = text(item['id']) || generatedId(seed)
  const block: ToolCallBlock = {
    type: 'tool-call',
    at,
    id,
    name: text(inner['name']) ?? '',
    arguments: argumentsOf(inner[custom ? 'input' : 'arguments']),
  }
  if (custom) block.custom = true
  const signature = readExtraContent(item)
  if (signature) block.signature = signature
  return block
}

/** Arguments are JSON text; some servers send the object itself. */
export function argumentsOf(value: unknown): string {
  if (typeof value === 'string') return value
  return value === undefined || value === null ? '' : JSON.stringify(value)
}

/** An id for a call that came without one, the same whenever the same answer is read. */
export function generatedId(seed: string): string {
  return `call_${hash(seed)}${hash(`${seed} `)}`
}
