import type { Block, ToolResultBlock } from '../../canonical/block.ts'
import {
  listField,
  objectField,
  readObjects,
  requiredString,
  stringField,
  unknownWord,
  wrong,
} from '../../canonical/fields.ts'
import type { Json } from '../../canonical/json.ts'
import { type PendingCalls, pendingCalls } from '../../canonical/pending-calls.ts'
import type { Message } from '../../canonical/request.ts'
import { keepExtensions, unknownFields } from '../../canonical/vendor-extensions.ts'
import { invalid } from '../../errors.ts'
import {
  type PartReader,
  readAssistantPart,
  readCache,
  readFunctionCall,
  readParts,
  readTextPart,
  readToolCall,
  readToolPart,
  readUserPart,
} from './blocks-read.ts'
import { attachToText } from './citations.ts'
import { readAudioReference, readImages } from './media-read.ts'
import { readReasoning } from './reasoning.ts'
import { ID } from './wire.ts'

/** Reads the messages. A tool message becomes a user turn with one result. */
export function readTurns(body: Json): Message[] {
  const list = body['messages']
  if (!Array.isArray(list)) throw wrong('messages', 'a list of messages', list)
  if (list.length === 0) throw invalid('messages', 'messages is empty. Send at least one message.')
  // Only calls without an id are registered.
  const nameless = pendingCalls()
  return readObjects(list, 'messages', (item, at, index) => readTurn(item, at, index, nameless))
}

const ROLES = ['developer', 'system', 'user', 'assistant', 'tool', 'function'] as const

function readTurn(item: Json, at: string, index: number, nameless: PendingCalls): Message {
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
  return withName({ role, at, blocks: readContent(item, at, part) }, item, at, PLAIN_FIELDS)
}

function withName(message: Message, item: Json, at: string, known: ReadonlySet<string>): Message {
  const name = stringField(item, 'name', at)
  if (name !== undefined) message.name = name
  return keepExtensions(message, ID, unknownFields(item, known))
}

/** Content of a message. A cache mark of the message belongs to its last text. */
function readContent(item: Json, at: string, read: PartReader): Block[] {
  const blocks = readParts(item['content'], at, read)
  const cache = readCache(item)
  const last = blocks.at(-1)
  if (cache && last?.type === 'text') Object.assign(last, { cache, at })
  return blocks
}

const ASSISTANT_FIELDS: ReadonlySet<string> = new Set([
  ...PLAIN_FIELDS,
  ...['tool_calls', 'function_call', 'refusal', 'audio', 'images', 'annotations', 'extra_content'],
  ...['reasoning', 'reasoning_content', 'reasoning_details', 'thinking_blocks'],
])

function readAssistant(item: Json, at: string, index: number, nameless: PendingCalls): Message {
  const content = readContent(item, at, readAssistantPart)
  attachToText(content, item, at)
  const blocks: Block[] = [...readReasoning(item, at), ...content]
  const refusal = stringField(item, 'refusal', at)
  if (refusal) blocks.push({ type: 'refusal', at: `${at}.refusal`, text: refusal })
  for (const image of readImages(item['images'], `${at}.images`)) blocks.push(image)
  const audio = objectField(item, 'audio', at)
  if (audio) blocks.push(readAudioReference(audio, `${at}.audio`))
  const calls = listField(item, 'tool_calls', at) ?? []
  for (const call of readObjects(calls, `${at}.tool_calls`, (call, path, n) =>
    readToolCall(call, path, `call_${index}_${n}`, nameless),
  ))
    blocks.push(call)
  const functionCall = objectField(item, 'function_call', at)
  if (functionCall) blocks.push(readFunctionCall(functionCall, `${at}.function_call`, `call_${index}`, nameless))
  return withName({ role: 'assistant', at, blocks }, item, at, ASSISTANT_FIELDS)
}

const TOOL_FIELDS: ReadonlySet<string> = new Set(['role', 'content', 'name', 'tool_call_id', 'cache_control'])

function readToolMessage(item: Json, at: string, nameless: PendingCalls): ToolResultBlock {
  const id = stringField(item, 'tool_call_id', at) || nameless.take(undefined)
  if (id === undefined) throw wrong(`${at}.tool_call_id`, 'the id of its tool call', item['tool_call_id'])
  const block: ToolResultBlock = { type: 'tool-result', at, id, blocks: readParts(item['content'], at, readToolPart) }
  const name = stringField(item, 'name', at)
  if (name !== undefined) block.name = name
  const cache = readCache(item)
  if (cache) block.cache = cache
  return keepExtensions(block, ID, unknownFields(item, TOOL_FIELDS))
}

/** Reads the result of a `function_call`, which it refers to by name. */
function readFunctionMessage(item: Json, at: string, nameless: PendingCalls): ToolResultBlock {
  const name = requiredString(item, 'name', at)
  const id = nameless.take(name)
  if (id === undefined)
    throw invalid(
      `${at}.name`,
      `${at}.name does not match a previous function_call. Send the assistant message with the call first.`,
    )
  return { type: 'tool-result', at, id, name, blocks: readParts(item['content'], at, readTextPart) }
}
