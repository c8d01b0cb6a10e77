import type { Block, CacheMark, MediaBlock, RefusalBlock, TextBlock, ToolCallBlock } from '../../canonical/block.ts'
import {
  readObjects,
  requiredName,
  requiredObject,
  requiredString,
  stringField,
  unknownWord,
  wrong,
} from '../../canonical/fields.ts'
import { type Json, object, text } from '../../canonical/json.ts'
import type { PendingCalls } from '../../canonical/pending-calls.ts'
import { keepExtensions, unknownFields } from '../../canonical/vendor-extensions.ts'
import { type ReadPart, readAudioPart, readFilePart, readImagePart } from './media-read.ts'
import { readExtraContent } from './reasoning.ts'
import { ID } from './wire.ts'

/** Reads the part at a path. */
export type PartReader = (part: Json, at: string) => Block

/** Content as a string, a list of parts, or nothing. */
export function readParts(content: unknown, at: string, read: PartReader): Block[] {
  if (content === undefined || content === null || content === '') return []
  if (typeof content === 'string') return [{ type: 'text', at: `${at}.content`, text: content }]
  if (!Array.isArray(content)) throw wrong(`${at}.content`, 'a string or a list of parts', content)
  return readObjects(content, `${at}.content`, read)
}

export function readTextPart(part: Json, at: string): Block {
  if (part['type'] !== 'text') throw unknownWord(`${at}.type`, part['type'], ['text'])
  return readText(part, at)
}

const TEXT_FIELDS: ReadonlySet<string> = new Set(['type', 'text', 'cache_control', 'prompt_cache_breakpoint'])

function readText(part: Json, at: string): TextBlock {
  const block: TextBlock = { type: 'text', at, text: requiredString(part, 'text', at) }
  const cache = readCache(part)
  if (cache) block.cache = cache
  return keepExtensions(block, ID, unknownFields(part, TEXT_FIELDS))
}

const REFUSAL_FIELDS: ReadonlySet<string> = new Set(['type', 'refusal'])

export function readAssistantPart(part: Json, at: string): Block {
  if (part['type'] === 'text') return readText(part, at)
  if (part['type'] !== 'refusal') throw unknownWord(`${at}.type`, part['type'], ['text', 'refusal'])
  const block: RefusalBlock = { type: 'refusal', at, text: requiredString(part, 'refusal', at) }
  return keepExtensions(block, ID, unknownFields(part, REFUSAL_FIELDS))
}

export function readUserPart(part: Json, at: string): Block {
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

/** The vendor supports only text in results. Images and files are also accepted, for other vendors. */
export const readToolPart = readUserPart

const MEDIA_FIELDS: ReadonlySet<string> = new Set([
  'type',
  'image_url',
  'input_audio',
  'file',
  'cache_control',
  'prompt_cache_breakpoint',
])

function withMarks({ block, fields }: ReadPart, part: Json): MediaBlock {
  const cache = readCache(part)
  if (cache) block.cache = cache
  return keepExtensions(block, ID, unknownFields(part, MEDIA_FIELDS, fields))
}

const CALL_FIELDS: ReadonlySet<string> = new Set([
  'id',
  'type',
  'function',
  'custom',
  'index',
  'extra_content',
  'cache_control',
])
const FUNCTION_FIELDS: ReadonlySet<string> = new Set(['name', 'arguments'])
const CUSTOM_FIELDS: ReadonlySet<string> = new Set(['name', 'input'])

/** Reads a call of a request. A call without an id gets `ownId`, and is registered for a result without an id. */
export function readToolCall(item: Json, at: string, ownId: string, nameless: PendingCalls): ToolCallBlock {
  const type = item['type'] ?? (item['custom'] === undefined ? 'function' : 'custom')
  if (type !== 'function' && type !== 'custom') throw unknownWord(`${at}.type`, type, ['function', 'custom'])
  const given = stringField(item, 'id', at) || undefined
  const inner = requiredObject(item, type, at)
  const block: ToolCallBlock = {
    type: 'tool-call',
    at,
    id: given ?? ownId,
    name: requiredName(inner, 'name', `${at}.${type}`),
    arguments: stringField(inner, type === 'custom' ? 'input' : 'arguments', `${at}.${type}`) ?? '',
  }
  if (type === 'custom') block.custom = true
  if (given === undefined) nameless.add(block.name, ownId)
  const signature = readExtraContent(item)
  if (signature) block.signature = signature
  const cache = readCache(item)
  if (cache) block.cache = cache
  const known = type === 'custom' ? CUSTOM_FIELDS : FUNCTION_FIELDS
  return keepExtensions(block, ID, unknownFields(inner, known, unknownFields(item, CALL_FIELDS), `${type}.`))
}

/** Reads a `function_call`, of which a message has at most one. */
export function readFunctionCall(item: Json, at: string, id: string, nameless: PendingCalls): ToolCallBlock {
  const name = requiredName(item, 'name', at)
  nameless.add(name, id)
  return { type: 'tool-call', at, id, name, arguments: stringField(item, 'arguments', at) ?? '' }
}

/** Cache mark in either notation: `cache_control`, or the vendor's `prompt_cache_breakpoint`. */
export function readCache(item: Json): CacheMark | undefined {
  const control = object(item['cache_control'])
  const mark = control ?? object(item['prompt_cache_breakpoint'])
  if (!mark) return undefined
  const ttl = text(mark['ttl'])
  return { ...(ttl !== undefined && { ttl }), ...(!control && { breakpoint: true }) }
}
