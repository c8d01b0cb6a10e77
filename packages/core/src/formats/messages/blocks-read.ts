import { jsonText } from '../../canonical/arguments.ts'
import { returnSignatures } from '../../canonical/attached-signatures.ts'
import type {
  Block,
  CacheMark,
  HostedCallBlock,
  MediaBlock,
  Node,
  ReasoningBlock,
  TextBlock,
  ToolResultBlock,
} from '../../canonical/block.ts'
import { unseal } from '../../canonical/envelope.ts'
import {
  booleanField,
  join,
  listField,
  objectField,
  readObjects,
  requiredName,
  requiredObject,
  requiredString,
  requiredWord,
  stringField,
  unknownWord,
  wrong,
} from '../../canonical/fields.ts'
import { type Json, object, objects, text } from '../../canonical/json.ts'
import { keepExtensions, ownExtensions, unknownFields, wholeExtensions } from '../../canonical/vendor-extensions.ts'
import { readCitations } from './citations.ts'
import { hostedName, isGatewaySearch, readGatewaySearch, readHostedResult } from './hosted.ts'
import { readSource } from './media-read.ts'
import { ID, SIGNER } from './wire.ts'

/** Blocks of a turn's content. */
export function readContent(content: unknown, path: string): Block[] {
  return returnSignatures(readBlocks(content, path, readBlock), SIGNER)
}

/** Blocks of a string, or of a list of blocks. */
function readBlocks<B extends Block>(
  content: unknown,
  path: string,
  read: (block: Json, at: string) => B,
): (B | TextBlock)[] {
  if (typeof content === 'string') return [{ type: 'text', text: content, at: path }]
  if (!Array.isArray(content)) throw wrong(path, 'a string or a list of blocks', content)
  return readObjects(content, path, read)
}

const IN_RESULT = ['text', 'image', 'document', 'search_result', 'tool_reference', 'browser_state']
const IN_DOCUMENT = ['text', 'image']

/** Blocks inside another block, which are limited to some types. */
function readInner(content: unknown, path: string, types: readonly string[]): Block[] {
  return readBlocks(content, path, (block, at) => {
    requiredWord(block, 'type', at, types)
    return readBlock(block, at)
  })
}

/** Text blocks of a system prompt or turn. */
export function readSystem(content: unknown, path: string): TextBlock[] {
  if (content === '') return []
  return readBlocks(content, path, (block, at) => {
    const type = requiredWord(block, 'type', at, ['text', 'tool_addition', 'tool_removal'])
    return type === 'text'
      ? readText(block, at)
      : { type: 'text', text: '', extensions: wholeExtensions(ID, block, true), at }
  })
}

function readBlock(block: Json, at: string): Block {
  const type = requiredString(block, 'type', at)
  if (isGatewaySearch(block)) return readGatewaySearch(block, at)
  const read = READERS.get(type)
  if (read) return read(block, at)
  if (type.endsWith('_tool_result')) return { ...readHostedResult(block), at }
  throw unknownWord(`${at}.type`, type, [...READERS.keys()])
}

const READERS: ReadonlyMap<string, (block: Json, at: string) => Block> = new Map<
  string,
  (block: Json, at: string) => Block
>([
  ['text', readText],
  ['image', readImage],
  ['document', readDocument],
  ['search_result', readSearchResult],
  ['thinking', readThinking],
  ['redacted_thinking', readRedacted],
  ['tool_use', readToolUse],
  ['tool_result', readToolResult],
  ['server_tool_use', readServerToolUse],
  ['mcp_tool_use', readServerToolUse],
  ['container_upload', readUpload],
  ['tool_reference', (block, at) => paraphrased(block, at, text(block['tool_name']))],
  ['browser_state', (block, at) => paraphrased(block, at, '')],
  ['compaction', (block, at) => paraphrased(block, at, text(block['content']))],
])

/** Block that other formats get as text. */
function paraphrased(block: Json, at: string, words: string | undefined): TextBlock {
  return { type: 'text', text: words ?? '', extensions: wholeExtensions(ID, block), at }
}

/** Adds the cache mark and vendor extensions that most blocks can have. */
function marked<B extends Node & { cache?: CacheMark }>(
  block: B,
  item: Json,
  at: string,
  known: ReadonlySet<string>,
  fields?: Json | undefined,
): B {
  const cache = readCache(item, at)
  if (cache) block.cache = cache
  return keepExtensions(block, ID, unknownFields(item, known, fields))
}

export function readCache(item: Json, at: string): CacheMark | undefined {
  const mark = objectField(item, 'cache_control', at)
  if (!mark) return undefined
  const path = join(at, 'cache_control')
  requiredWord(mark, 'type', path, ['ephemeral'])
  const ttl = stringField(mark, 'ttl', path)
  return ttl === undefined ? {} : { ttl }
}

const TEXT: ReadonlySet<string> = new Set(['type', 'text', 'cache_control', 'citations'])

function readText(item: Json, at: string): TextBlock {
  const block: TextBlock = { type: 'text', text: requiredString(item, 'text', at), at }
  const citations = readCitations(listField(item, 'citations', at))
  if (citations) block.citations = citations
  return marked(block, item, at, TEXT)
}

const IMAGE: ReadonlySet<string> = new Set(['type', 'source', 'cache_control'])

function readImage(item: Json, at: string): MediaBlock {
  const source = requiredObject(item, 'source', at)
  requiredWord(source, 'type', `${at}.source`, ['base64', 'url', 'file'])
  const { fields, ...media } = readSource(source, `${at}.source`)
  return marked({ type: 'media', kind: 'image', at, ...media }, item, at, IMAGE, fields)
}

const DOCUMENT: ReadonlySet<string> = new Set(['type', 'source', 'cache_control', 'title'])

function readDocument(item: Json, at: string): MediaBlock {
  const source = requiredObject(item, 'source', at)
  const type = requiredWord(source, 'type', `${at}.source`, ['base64', 'text', 'content', 'url', 'file'])
  const title = stringField(item, 'title', at)
  const common = { type: 'media', kind: 'document', at, ...(title !== undefined && { name: title }) } as const
  if (type !== 'content') {
    const { fields, ...media } = readSource(source, `${at}.source`)
    return marked({ ...common, ...media }, item, at, DOCUMENT, fields)
  }
  const parts = readInner(source['content'], `${at}.source.content`, IN_DOCUMENT)
  const pictured = parts.some((part) => part.type === 'media')
  const words = parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n')
  return {
    ...common,
    mime: 'text/plain',
    source: { type: 'text', text: words },
    extensions: wholeExtensions(ID, item, pictured),
  }
}

function readUpload(item: Json, at: string): MediaBlock {
  const source = { type: 'file', id: requiredString(item, 'file_id', at) } as const
  return { type: 'media', kind: 'document', source, extensions: wholeExtensions(ID, item), at }
}

function readSearchResult(item: Json, at: string): TextBlock {
  const lines = [requiredString(item, 'title', at), requiredString(item, 'source', at)]
  for (const part of objects(listField(item, 'content', at))) lines.push(text(part['text']) ?? '')
  return paraphrased(item, at, lines.filter((line) => line !== '').join('\n'))
}

const THINKING: ReadonlySet<string> = new Set(['type', 'thinking', 'signature'])

function readThinking(item: Json, at: string): ReasoningBlock {
  const block: ReasoningBlock = { type: 'reasoning', text: requiredString(item, 'thinking', at), at }
  const signature = unseal(stringField(item, 'signature', at) ?? '', SIGNER)
  if (signature) block.signature = signature
  return keepExtensions(block, ID, unknownFields(item, THINKING))
}

const REDACTED: ReadonlySet<string> = new Set(['type', 'data'])

function readRedacted(item: Json, at: string): ReasoningBlock {
  const signature = unseal(requiredString(item, 'data', at), SIGNER)
  const block: ReasoningBlock = { type: 'reasoning', text: '', redacted: true, at, ...(signature && { signature }) }
  return keepExtensions(block, ID, unknownFields(item, REDACTED))
}

const TOOL_USE: ReadonlySet<string> = new Set(['type', 'id', 'name', 'input', 'cache_control'])

function readToolUse(item: Json, at: string): Block {
  const id = requiredString(item, 'id', at)
  const name = requiredName(item, 'name', at)
  const input = jsonText(objectField(item, 'input', at) ?? {}, `${at}.input`)
  return marked({ type: 'tool-call', id, name, arguments: input, at }, item, at, TOOL_USE)
}

const TOOL_RESULT: ReadonlySet<string> = new Set(['type', 'tool_use_id', 'content', 'is_error', 'cache_control'])

function readToolResult(item: Json, at: string): ToolResultBlock {
  const id = requiredString(item, 'tool_use_id', at)
  const content = item['content'] ?? undefined
  const blocks = content === undefined ? [] : readInner(content, `${at}.content`, IN_RESULT)
  const error = booleanField(item, 'is_error', at)
  return marked({ type: 'tool-result', id, blocks, at, ...(error && { error }) }, item, at, TOOL_RESULT)
}

const SERVER_TOOL_USE: ReadonlySet<string> = new Set(['type', 'id', 'name', 'input'])

function readServerToolUse(item: Json, at: string): HostedCallBlock {
  const id = requiredString(item, 'id', at)
  const name = hostedName(requiredString(item, 'name', at))
  const input = jsonText(object(item['input']) ?? {}, `${at}.input`)
  return {
    type: 'hosted-call',
    id,
    name,
    arguments: input,
    at,
    extensions: ownExtensions(ID, unknownFields(item, SERVER_TOOL_USE)),
  }
}
