import type { Block, CacheMark, Citation, MediaBlock, RefusalBlock, TextBlock, ToolCallBlock, ToolResultBlock } from '../../chat/block.ts'
import { isObject, type Json, number, objects, text } from '../../chat/json.ts'
import type { Message } from '../../chat/request.ts'
import { invalid } from '../../errors.ts'
import { listField, objectField, readObjects, requiredObject, requiredString, stringField, unknownWord, wrong } from './fields.ts'
import { imageOf, readAudioPart, readFilePart, readImagePart } from './media-read.ts'
import { readExtraContent, readReasoning } from './reasoning.ts'
import { extras, setSide, sideOf } from './side.ts'

/** Calls to which the caller gave no id, and which still wait for their results. */
type Nameless = { id: string; name: string }[]

/** Reads the list of messages. Roles stay where they stand; a tool message is a user turn with one result. */
export function readMessages(body: Json): Message[] {
  const list = body['messages']
  if (!Array.isArray(list)) throw wrong('messages', 'a list of messages', list)
  if (list.length === 0) throw invalid('messages', 'messages is empty. Send at least one message.')
  const nameless: Nameless = []
  return readObjects(list, 'messages', (item, at, index) => readMessage(item, at, index, nameless))
}

const ROLES = ['developer', 'system', 'user', 'assistant', 'tool', 'function'] as const

function readMessage(item: Json, at: string, index: number, nameless: Nameless): Message {
  switch (item['role']) {
    case 'system':
      return readPlain(item, at, 'system', readTextPart)
    case 'developer':
      return { ...readPlain(item, at, 'system', readTextPart), developer: true }
    case 'user':
      return readPlain(item, at, 'user', readUserPart)
    case 'assistant':
      return readAssistant(item, at, index, nameless)
    case 'tool':
      return { role: 'user', at, blocks: [readToolMessage(item, at, nameless)] }
    case 'function':
      return { role: 'user', at, blocks: [readFunctionMessage(item, at, nameless)] }
    default:
      throw unknownWord(`${at}.role`, item['role'], ROLES)
  }
}

const PLAIN_FIELDS: ReadonlySet<string> = new Set(['role', 'content', 'name', 'cache_control'])

function readPlain(item: Json, at: string, role: 'system' | 'user', part: PartReader): Message {
  if (item['content'] === undefined || item['content'] === null)
    throw wrong(`${at}.content`, 'a string or a list of parts', item['content'])
  const message: Message = { role, at, blocks: readContent(item, at, part) }
  const name = stringField(item, 'name', at)
  if (name !== undefined) message.name = name
  setSide(message, extras(item, PLAIN_FIELDS))
  return message
}

const ASSISTANT_FIELDS: ReadonlySet<string> = new Set([
  ...PLAIN_FIELDS,
  ...['tool_calls', 'function_call', 'refusal', 'audio', 'images', 'annotations', 'extra_content'],
  ...['reasoning', 'reasoning_content', 'reasoning_details', 'thinking_blocks'],
])

function readAssistant(item: Json, at: string, index: number, nameless: Nameless): Message {
  const content = readContent(item, at, readAssistantPart)
  attachToText(content, readAnnotations(item['annotations']), item, at)
  const message: Message = { role: 'assistant', at, blocks: [...readReasoning(item, at), ...content] }
  const refusal = stringField(item, 'refusal', at)
  if (refusal) message.blocks.push({ type: 'refusal', at: `${at}.refusal`, text: refusal })
  message.blocks.push(...readImages(item['images'], `${at}.images`))
  const audio = objectField(item, 'audio', at)
  if (audio) message.blocks.push(readAudioReference(audio, `${at}.audio`))
  const calls = listField(item, 'tool_calls', at) ?? []
  message.blocks.push(
    ...readObjects(calls, `${at}.tool_calls`, (call, path, n) => readToolCall(call, path, `call_${index}_${n}`, nameless)),
  )
  const legacy = objectField(item, 'function_call', at)
  if (legacy) message.blocks.push(readFunctionCall(legacy, `${at}.function_call`, `call_${index}`, nameless))
  const name = stringField(item, 'name', at)
  if (name !== undefined) message.name = name
  setSide(message, extras(item, ASSISTANT_FIELDS))
  return message
}

/** Gives the texts of a message what the format says of the whole: citations, by their place in it, and the signature. */
export function attachToText(blocks: Block[], citations: readonly Citation[], message: Json, at: string): void {
  const signature = readExtraContent(message)
  if (citations.length === 0 && !signature) return
  const texts = blocks.filter((block) => block.type === 'text')
  const last = texts.at(-1) ?? { type: 'text', at: `${at}.content`, text: '' }
  if (texts.length === 0) blocks.push(last)
  if (signature) last.signature = signature
  for (const citation of citations) attachCitation(texts.length === 0 ? [last] : texts, citation)
}

/** Spans count from the start of the whole text, in the canonical model from that of their block. */
function attachCitation(texts: readonly TextBlock[], citation: Citation): void {
  let offset = 0
  for (const [position, block] of texts.entries()) {
    const next = offset + block.text.length
    if ((citation.start ?? 0) < next || position === texts.length - 1) {
      if (citation.start !== undefined) citation.start -= offset
      if (citation.end !== undefined) citation.end -= offset
      block.citations = [...(block.citations ?? []), citation]
      return
    }
    offset = next
  }
}

/** Annotations of the kind `url_citation`; those that are not known stay as they are. */
export function readAnnotations(value: unknown): Citation[] {
  return objects(value).map(readAnnotation)
}

const CITATION_FIELDS: ReadonlySet<string> = new Set(['url', 'title', 'content', 'start_index', 'end_index'])

function readAnnotation(item: Json): Citation {
  const inner = item['url_citation']
  if (!isObject(inner)) return { side: sideOf(item) }
  const citation: Citation = {}
  const url = text(inner['url'])
  const title = text(inner['title'])
  const cited = text(inner['content'])
  const start = number(inner['start_index'])
  const end = number(inner['end_index'])
  if (url !== undefined) citation.url = url
  if (title !== undefined) citation.title = title
  if (cited !== undefined) citation.cited = cited
  if (start !== undefined) citation.start = start
  if (end !== undefined) citation.end = end
  const fields = extras(inner, CITATION_FIELDS)
  if (fields) citation.side = sideOf(fields)
  return citation
}

export function readImages(value: unknown, at: string): MediaBlock[] {
  return objects(value).flatMap((item, index) => imageOf(item, `${at}[${index}]`) ?? [])
}

/** An earlier spoken answer, which only the provider that spoke it has. */
function readAudioReference(audio: Json, at: string): MediaBlock {
  return { type: 'media', at, kind: 'audio', source: { type: 'file', id: requiredString(audio, 'id', at) } }
}

const CALL_FIELDS: ReadonlySet<string> = new Set(['id', 'type', 'function', 'custom', 'index', 'extra_content', 'cache_control'])
const FUNCTION_FIELDS: ReadonlySet<string> = new Set(['name', 'arguments'])
const CUSTOM_FIELDS: ReadonlySet<string> = new Set(['name', 'input'])

function readToolCall(item: Json, at: string, ownId: string, nameless: Nameless): ToolCallBlock {
  const type = item['type'] ?? (item['custom'] === undefined ? 'function' : 'custom')
  if (type !== 'function' && type !== 'custom') throw unknownWord(`${at}.type`, type, ['function', 'custom'])
  const given = stringField(item, 'id', at) || undefined
  const inner = requiredObject(item, type, at)
  const block: ToolCallBlock = {
    type: 'tool-call',
    at,
    id: given ?? ownId,
    name: requiredString(inner, 'name', `${at}.${type}`),
    arguments: stringField(inner, type === 'custom' ? 'input' : 'arguments', `${at}.${type}`) ?? '',
  }
  if (type === 'custom') block.custom = true
  if (given === undefined) nameless.push({ id: ownId, name: block.name })
  const signature = readExtraContent(item)
  if (signature) block.signature = signature
  const cache = readCache(item)
  if (cache) block.cache = cache
  setSide(block, extras(inner, type === 'custom' ? CUSTOM_FIELDS : FUNCTION_FIELDS, extras(item, CALL_FIELDS), `${type}.`))
  return block
}

function readFunctionCall(item: Json, at: string, id: string, nameless: Nameless): ToolCallBlock {
  const name = requiredString(item, 'name', at)
  nameless.push({ id, name })
  return { type: 'tool-call', at, id, name, arguments: stringField(item, 'arguments', at) ?? '' }
}

const TOOL_FIELDS: ReadonlySet<string> = new Set(['role', 'content', 'name', 'tool_call_id', 'cache_control'])

function readToolMessage(item: Json, at: string, nameless: Nameless): ToolResultBlock {
  const id = stringField(item, 'tool_call_id', at) || nameless.shift()?.id
  if (id === undefined) throw wrong(`${at}.tool_call_id`, 'the id of the tool call that it answers', item['tool_call_id'])
  const block: ToolResultBlock = { type: 'tool-result', at, id, blocks: readParts(item['content'], at, readToolPart) }
  const name = stringField(item, 'name', at)
  if (name !== undefined) block.name = name
  const cache = readCache(item)
  if (cache) block.cache = cache
  setSide(block, extras(item, TOOL_FIELDS))
  return block
}

/** The legacy result of a `function_call`, which it names. */
function readFunctionMessage(item: Json, at: string, nameless: Nameless): ToolResultBlock {
  const name = requiredString(item, 'name', at)
  const position = nameless.findIndex((call) => call.name === name)
  const [call] = position === -1 ? [] : nameless.splice(position, 1)
  if (!call)
    throw invalid(`${at}.name`, `${at}.name is the name of no function_call before it. Send the assistant message with the call first.`)
  return { type: 'tool-result', at, id: call.id, name, blocks: readParts(item['content'], at, readTextPart) }
}

type PartReader = (part: Json, at: string) => Block

/** Content of a message. A cache mark of the message is one of its last text. */
function readContent(item: Json, at: string, read: PartReader): Block[] {
  const blocks = readParts(item['content'], at, read)
  const cache = readCache(item)
  const last = blocks.at(-1)
  if (cache && last?.type === 'text') Object.assign(last, { cache, at })
  return blocks
}

/** A text, a list of parts, or nothing. */
function readParts(content: unknown, at: string, read: PartReader): Block[] {
  if (content === undefined || content === null || content === '') return []
  if (typeof content === 'string') return [{ type: 'text', at: `${at}.content`, text: content }]
  if (!Array.isArray(content)) throw wrong(`${at}.content`, 'a string or a list of parts', content)
  return readObjects(content, `${at}.content`, read)
}

function readTextPart(part: Json, at: string): Block {
  if (part['type'] !== 'text') throw unknownWord(`${at}.type`, part['type'], ['text'])
  return readText(part, at)
}

const TEXT_FIELDS: ReadonlySet<string> = new Set(['type', 'text', 'cache_control', 'prompt_cache_breakpoint'])

function readText(part: Json, at: string): TextBlock {
  const block: TextBlock = { type: 'text', at, text: requiredString(part, 'text', at) }
  const cache = readCache(part)
  if (cache) block.cache = cache
  setSide(block, extras(part, TEXT_FIELDS))
  return block
}

const REFUSAL_FIELDS: ReadonlySet<string> = new Set(['type', 'refusal'])

function readAssistantPart(part: Json, at: string): Block {
  if (part['type'] === 'text') return readText(part, at)
  if (part['type'] !== 'refusal') throw unknownWord(`${at}.type`, part['type'], ['text', 'refusal'])
  const block: RefusalBlock = { type: 'refusal', at, text: requiredString(part, 'refusal', at) }
  setSide(block, extras(part, REFUSAL_FIELDS))
  return block
}

const MEDIA_FIELDS: ReadonlySet<string> = new Set(['type', 'image_url', 'input_audio', 'file', 'cache_control', 'prompt_cache_breakpoint'])

function readUserPart(part: Json, at: string): Block {
  switch (part['type']) {
    case 'text':
      return readText(part, at)
    case 'image_url':
      return withMarks(readImagePart(part, at), part)
    case 'input_audio':
      return withMarks(readAudioPart(part, at), part)
    case 'file':
      return withMarks(readFilePart(part, at), part)
    default:
      throw unknownWord(`${at}.type`, part['type'], ['text', 'image_url', 'input_audio', 'file'])
  }
}

/** The vendor takes text only; images and files, which other vendors take in a result, are taken as well. */
const readToolPart = readUserPart

function withMarks({ block, fields }: { block: MediaBlock; fields: Json | undefined }, part: Json): MediaBlock {
  const cache = readCache(part)
  if (cache) block.cache = cache
  setSide(block, extras(part, MEDIA_FIELDS, fields))
  return block
}

/** A cache mark in either of its spellings: `cache_control`, or the vendor's own `prompt_cache_breakpoint`. */
export function readCache(item: Json): CacheMark | undefined {
  const mark = item['cache_control'] ?? item['prompt_cache_breakpoint']
  if (!isObject(mark)) return undefined
  const ttl = text(mark['ttl'])
  return ttl === undefined ? {} : { ttl }
}
