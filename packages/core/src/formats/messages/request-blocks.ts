import type { Block, CacheMark, MediaBlock, MediaSource, Side, TextBlock, ToolResultBlock } from '../../chat/block.ts'
import { unseal } from '../../chat/envelope.ts'
import { isObject, type Json, objects, text } from '../../chat/json.ts'
import { cleanBase64, normalizeMime, parseDataUrl, sniff } from '../../chat/media.ts'
import { invalid } from '../../errors.ts'
import { booleanAt, listAt, maybe, objectAt, rest, stringAt, wordAt } from './check.ts'
import { readCitations } from './citations.ts'
import { hostedName, readHostedResult } from './hosted.ts'
import { side, whole } from './side.ts'
import { FORMAT, SIGNER } from './wire.ts'

/** Blocks of a turn's content. */
export function readContent(content: unknown, path: string): Block[] {
  if (typeof content === 'string') return [{ type: 'text', text: content, at: path }]
  return carrySignatures(listAt(content, path).map((block, index) => readBlock(block, `${path}[${index}]`)))
}

const IN_RESULT = ['text', 'image', 'document', 'search_result', 'tool_reference', 'browser_state']
const IN_DOCUMENT = ['text', 'image']

/** Blocks of a content that is within a block: only some may stand there. */
function readInner(content: unknown, path: string, types: readonly string[]): Block[] {
  if (typeof content === 'string') return [{ type: 'text', text: content, at: path }]
  return listAt(content, path).map((value, index) => {
    const at = `${path}[${index}]`
    wordAt(objectAt(value, at)['type'], types, `${at}.type`)
    return readBlock(value, at)
  })
}

/** The text blocks of a system prompt or turn. */
export function readSystem(content: unknown, path: string): TextBlock[] {
  if (typeof content === 'string') return content === '' ? [] : [{ type: 'text', text: content, at: path }]
  return listAt(content, path).map((value, index) => {
    const at = `${path}[${index}]`
    const block = objectAt(value, at)
    const type = wordAt(block['type'], ['text', 'tool_addition', 'tool_removal'], `${at}.type`)
    return type === 'text' ? readText(block, at) : { type: 'text', text: '', side: whole(block, true), at }
  })
}

function readBlock(value: unknown, at: string): Block {
  const block = objectAt(value, at)
  const type = stringAt(block['type'], `${at}.type`)
  const read = Object.hasOwn(READERS, type) ? READERS[type] : undefined
  if (read) return read(block, at)
  if (type.endsWith('_tool_result')) return { ...readHostedResult(block), at }
  throw invalid(`${at}.type`, `${at}.type is ${JSON.stringify(type.slice(0, 64))}, which is no content block that Headgate knows.`)
}

const READERS: Readonly<Record<string, (block: Json, at: string) => Block>> = {
  text: readText,
  image: readImage,
  document: readDocument,
  search_result: readSearchResult,
  thinking: readThinking,
  redacted_thinking: readRedacted,
  tool_use: readToolUse,
  tool_result: readToolResult,
  server_tool_use: readServerToolUse,
  mcp_tool_use: readServerToolUse,
  container_upload: (block, at) => ({
    type: 'media',
    kind: 'document',
    source: { type: 'file', id: stringAt(block['file_id'], `${at}.file_id`) },
    side: whole(block),
    at,
  }),
  tool_reference: (block, at) => ({ type: 'text', text: text(block['tool_name']) ?? '', side: whole(block), at }),
  browser_state: (block, at) => ({ type: 'text', text: '', side: whole(block), at }),
  compaction: (block, at) => ({ type: 'text', text: text(block['content']) ?? '', side: whole(block), at }),
}

/** What all blocks share: where they stand, what is left of them, and their cache mark. */
function node(block: Json, at: string, known: ReadonlySet<string>) {
  const left = side(rest(block, known))
  const cache = readCache(block['cache_control'], `${at}.cache_control`)
  return { at, ...(left && { side: left }), ...(cache && { cache }) }
}

export function readCache(value: unknown, path: string): CacheMark | undefined {
  const mark = maybe(value, path, objectAt)
  if (!mark) return undefined
  wordAt(mark['type'], ['ephemeral'], `${path}.type`)
  const ttl = maybe(mark['ttl'], `${path}.ttl`, stringAt)
  return ttl === undefined ? {} : { ttl }
}

const TEXT = new Set(['type', 'text', 'cache_control', 'citations'])

function readText(block: Json, at: string): TextBlock {
  const citations = readCitations(maybe(block['citations'], `${at}.citations`, listAt))
  return { type: 'text', text: stringAt(block['text'], `${at}.text`), ...node(block, at, TEXT), ...(citations && { citations }) }
}

const IMAGE = new Set(['type', 'source', 'cache_control'])

function readImage(block: Json, at: string): MediaBlock {
  const source = objectAt(block['source'], `${at}.source`)
  wordAt(source['type'], ['base64', 'url', 'file'], `${at}.source.type`)
  return { type: 'media', kind: 'image', ...readSource(source, `${at}.source`), ...node(block, at, IMAGE) }
}

const DOCUMENT = new Set(['type', 'source', 'cache_control', 'title'])

function readDocument(block: Json, at: string): MediaBlock {
  const source = objectAt(block['source'], `${at}.source`)
  const kind = wordAt(source['type'], ['base64', 'text', 'content', 'url', 'file'], `${at}.source.type`)
  const title = maybe(block['title'], `${at}.title`, stringAt)
  const name = title === undefined ? undefined : { name: title }
  if (kind === 'content') {
    const parts = readInner(source['content'], `${at}.source.content`, IN_DOCUMENT)
    return {
      type: 'media',
      kind: 'document',
      mime: 'text/plain',
      source: { type: 'text', text: textOf(parts) },
      side: whole(
        block,
        parts.some((part) => part.type === 'media'),
      ),
      ...name,
      at,
    }
  }
  return { type: 'media', kind: 'document', ...readSource(source, `${at}.source`), ...node(block, at, DOCUMENT), ...name }
}

function textOf(blocks: readonly Block[]): string {
  return blocks.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n')
}

/** Media type and source; `mime` is absent for what only the server behind a URL knows. */
function readSource(source: Json, at: string): { mime?: string; source: MediaSource; side?: Side } {
  switch (source['type']) {
    case 'base64': {
      const data = cleanBase64(stringAt(source['data'], `${at}.data`))
      if (data === undefined) throw invalid(`${at}.data`, `${at}.data is not base64. Send the bytes of the file in standard base64.`)
      const mime = maybe(source['media_type'], `${at}.media_type`, stringAt)
      return withMime(mime === undefined ? sniff(data) : normalizeMime(mime), { type: 'base64', data })
    }
    case 'text':
      return { mime: 'text/plain', source: { type: 'text', text: stringAt(source['data'], `${at}.data`) } }
    case 'file':
      // The side, though empty, tells writers of this format that the id is its vendor's own.
      return { source: { type: 'file', id: stringAt(source['file_id'], `${at}.file_id`) }, side: { format: FORMAT, fields: {} } }
    default:
      return readUrl(stringAt(source['url'], `${at}.url`), `${at}.url`)
  }
}

function readUrl(url: string, at: string): { mime?: string; source: MediaSource } {
  if (!/^data:/i.test(url)) return { source: { type: 'url', url } }
  const inline = parseDataUrl(url)
  if (!inline) throw invalid(at, `${at} is a data URL that can not be read. Write it as data:<media type>;base64,<data>.`)
  return { mime: inline.mime, source: { type: 'base64', data: inline.data } }
}

function withMime(mime: string | undefined, source: MediaSource): { mime?: string; source: MediaSource } {
  return mime === undefined ? { source } : { mime, source }
}

function readSearchResult(block: Json, at: string): TextBlock {
  const heading = [stringAt(block['title'], `${at}.title`), stringAt(block['source'], `${at}.source`)]
  const parts = listAt(block['content'], `${at}.content`)
  const texts = objects(parts).map((part) => text(part['text']) ?? '')
  return { type: 'text', text: [...heading, ...texts].filter((line) => line !== '').join('\n'), side: whole(block), at }
}

const THINKING = new Set(['type', 'thinking', 'signature'])

function readThinking(block: Json, at: string): Block {
  const signature = unseal(maybe(block['signature'], `${at}.signature`, stringAt) ?? '', SIGNER)
  return {
    type: 'reasoning',
    text: stringAt(block['thinking'], `${at}.thinking`),
    ...node(block, at, THINKING),
    ...(signature && { signature }),
  }
}

const REDACTED = new Set(['type', 'data'])

function readRedacted(block: Json, at: string): Block {
  const signature = unseal(stringAt(block['data'], `${at}.data`), SIGNER)
  return { type: 'reasoning', text: '', redacted: true, ...node(block, at, REDACTED), ...(signature && { signature }) }
}

/**
 * The signature of a call or a text that another vendor made came to the caller on a thinking block of its own without text:
 * before the call that it belongs to, else after the text. Here it returns to its block.
 */
function carrySignatures(blocks: Block[]): Block[] {
  if (!blocks.some(isCarrier)) return blocks
  const out: Block[] = []
  blocks.forEach((block, index) => {
    if (!isCarrier(block)) {
      const carrier = index > 0 ? blocks[index - 1] : undefined
      const signed = block.type === 'tool-call' && carrier && isCarrier(carrier) ? { ...block, signature: carrier.signature } : block
      out.push(signed)
      return
    }
    if (blocks[index + 1]?.type === 'tool-call') return
    const last = out.at(-1)
    if (last?.type === 'text') out[out.length - 1] = { ...last, signature: block.signature }
    else out.push(block)
  })
  return out
}

function isCarrier(block: Block): block is Extract<Block, { type: 'reasoning' }> & { signature: NonNullable<TextBlock['signature']> } {
  return (
    block.type === 'reasoning' && block.text === '' && !block.redacted && block.signature !== undefined && block.signature.signer !== SIGNER
  )
}

const TOOL_USE = new Set(['type', 'id', 'name', 'input', 'cache_control'])

function readToolUse(block: Json, at: string): Block {
  return {
    type: 'tool-call',
    id: stringAt(block['id'], `${at}.id`),
    name: stringAt(block['name'], `${at}.name`),
    arguments: JSON.stringify(maybe(block['input'], `${at}.input`, objectAt) ?? {}),
    ...node(block, at, TOOL_USE),
  }
}

const TOOL_RESULT = new Set(['type', 'tool_use_id', 'content', 'is_error', 'cache_control'])

function readToolResult(block: Json, at: string): ToolResultBlock {
  const error = maybe(block['is_error'], `${at}.is_error`, booleanAt)
  return {
    type: 'tool-result',
    id: stringAt(block['tool_use_id'], `${at}.tool_use_id`),
    blocks: maybe(block['content'], `${at}.content`, (content, path) => readInner(content, path, IN_RESULT)) ?? [],
    ...node(block, at, TOOL_RESULT),
    ...(error && { error }),
  }
}

const SERVER_TOOL_USE = new Set(['type', 'id', 'name', 'input'])

function readServerToolUse(block: Json, at: string): Block {
  const left = side(rest(block, SERVER_TOOL_USE))
  return {
    type: 'hosted-call',
    id: stringAt(block['id'], `${at}.id`),
    name: hostedName(stringAt(block['name'], `${at}.name`)),
    arguments: JSON.stringify(isObject(block['input']) ? block['input'] : {}),
    at,
    side: left ?? { format: FORMAT, fields: {} },
  }
}
