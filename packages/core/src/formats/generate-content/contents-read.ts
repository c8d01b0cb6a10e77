import type { Block, MediaBlock, Node, ToolResultBlock } from '../../chat/block.ts'
import { unseal } from '../../chat/envelope.ts'
import { isObject, type Json, objects, text } from '../../chat/json.ts'
import type { Message } from '../../chat/request.ts'
import { invalid } from '../../errors.ts'
import { type CallBook, callBook } from './call-book.ts'
import { type HostedKind, readHosted } from './hosted.ts'
import { jsonText } from './json-text.ts'
import { readDetail } from './media.ts'
import { readMedia } from './media-read.ts'
import { sideOf, unknownFields } from './side.ts'
import { SIGNER } from './wire.ts'

const CONTENT: ReadonlySet<string> = new Set(['role', 'parts'])
const CALL: ReadonlySet<string> = new Set(['id', 'name', 'args'])
const RESULT: ReadonlySet<string> = new Set(['id', 'name', 'response', 'parts'])

/** The fields of which a part has exactly one. */
const DATA = [
  'text',
  'inlineData',
  'fileData',
  'functionCall',
  'functionResponse',
  'executableCode',
  'codeExecutionResult',
  'toolCall',
  'toolResponse',
] as const
const PART: ReadonlySet<string> = new Set([...DATA, 'thought', 'thoughtSignature'])

/** The system prompt: text only. */
export function readSystem(content: Json, at: string): Message | undefined {
  const blocks = objects(content['parts']).map((part, index): Block => {
    const path = `${at}.parts[${index}]`
    const value = text(part['text'])
    if (value === undefined) throw invalid(path, `${path} must have text: a system instruction holds nothing else.`)
    return withSide({ type: 'text', at: path, text: value }, part)
  })
  if (blocks.length === 0) return undefined
  const side = sideOf(unknownFields(content, CONTENT))
  return { role: 'system', at, blocks, ...(side && { side }) }
}

/** The turns of a conversation. */
export function readContents(list: unknown, at: string): Message[] {
  const book = callBook()
  return objects(list).map((content, index) => readContent(content, index, `${at}[${index}]`, book))
}

function readContent(content: Json, index: number, at: string, book: CallBook): Message {
  const parts = objects(content['parts'])
  const role = readRole(content['role'], parts, at)
  const blocks = parts.map((part, number) => {
    const block = readPart(part, `${at}.parts[${number}]`, `call_${index}_${number}`, book)
    checkPlace(block, role)
    return block
  })
  const side = sideOf(unknownFields(content, CONTENT))
  return { role, at, blocks, ...(side && { side }) }
}

function readRole(role: unknown, parts: readonly Json[], at: string): 'user' | 'assistant' {
  if (role === 'model') return 'assistant'
  if (role === 'user' || role === 'function') return 'user'
  if (role === undefined || role === '') return parts.some((part) => part['functionCall'] !== undefined) ? 'assistant' : 'user'
  throw invalid(`${at}.role`, `${at}.role is "${String(role)}". It must be "user" or "model"; a system prompt goes into systemInstruction.`)
}

function checkPlace(block: Block, role: 'user' | 'assistant'): void {
  if (block.type === 'tool-call' && role === 'user')
    throw invalid(block.at, `${block.at} is a functionCall within a turn of the user. Its role must be "model".`)
  if (block.type === 'tool-result' && role === 'assistant')
    throw invalid(block.at, `${block.at} is a functionResponse within a turn of the model. Its role must be "user".`)
}

function readPart(part: Json, at: string, fallback: string, book: CallBook): Block {
  const kinds = DATA.filter((key) => part[key] !== undefined)
  if (kinds.length > 1) throw invalid(at, `${at} has ${kinds.join(' and ')}. A part has one of them: make it ${kinds.length} parts.`)
  const [kind] = kinds
  switch (kind) {
    case undefined:
      return readBare(part, at)
    case 'text':
      return readText(part, at)
    case 'inlineData':
    case 'fileData':
      return readMediaPart(part, kind, at)
    case 'functionCall':
      return readCall(part, at, fallback, book)
    case 'functionResponse':
      return readResult(part, at, fallback, book)
    default:
      return readHostedPart(part, kind, at, fallback, book)
  }
}

/** A part with nothing but a signature stands for empty text. */
function readBare(part: Json, at: string): Block {
  if (part['thoughtSignature'] !== undefined) return readText(part, at)
  const found = Object.keys(part)
  throw invalid(
    at,
    `${at} is ${found.length === 0 ? 'empty' : `of an unknown kind (${found.join(', ')})`}. A part has one of ${DATA.join(', ')}.`,
  )
}

function readText(part: Json, at: string): Block {
  const value = text(part['text']) ?? ''
  return part['thought'] === true
    ? withSignature({ type: 'reasoning', at, text: value }, part)
    : withSignature({ type: 'text', at, text: value }, part)
}

/** The part's signature and unknown fields on its block. */
function withSignature<B extends Block & { signature?: unknown }>(block: B, part: Json): B {
  const value = text(part['thoughtSignature'])
  const signature = value === undefined ? undefined : unseal(value, SIGNER)
  return withSide(signature ? { ...block, signature } : block, part)
}

function withSide<B extends Node>(block: B, part: Json, ...more: (Json | undefined)[]): B {
  const side = sideOf(block.side?.fields, unknownFields(part, PART), ...more)
  return side ? { ...block, side } : block
}

function readMediaPart(part: Json, kind: 'inlineData' | 'fileData', at: string): Block {
  const media = readMedia(part)
  if (!media)
    throw invalid(`${at}.${kind}`, kind === 'inlineData' ? `${at}.inlineData.data is not base64.` : `${at}.fileData.fileUri is missing.`)
  const { mediaResolution, ...rest } = part
  const detail = isObject(mediaResolution) ? readDetail(mediaResolution['level']) : undefined
  const side = part['thought'] === true ? sideOf(media.side?.fields, { thought: true }) : media.side
  const block: MediaBlock = { ...media, at, ...(detail && { detail }), ...(side && { side }) }
  return withSignature(block, detail ? rest : part)
}

function readCall(part: Json, at: string, fallback: string, book: CallBook): Block {
  const call = isObject(part['functionCall']) ? part['functionCall'] : {}
  const name = text(call['name'])
  if (!name) throw invalid(`${at}.functionCall.name`, `${at}.functionCall.name is missing. Name the function.`)
  const id = book.call(name, text(call['id']), fallback)
  const block = withSignature(
    { type: 'tool-call' as const, at, id, name, arguments: jsonText(call['args'] ?? {}, `${at}.functionCall.args`) },
    part,
  )
  return withSide(block, {}, unknownFields(call, CALL, 'functionCall.'))
}

function readResult(part: Json, at: string, fallback: string, book: CallBook): Block {
  const result = isObject(part['functionResponse']) ? part['functionResponse'] : {}
  const name = text(result['name'])
  if (!name) throw invalid(`${at}.functionResponse.name`, `${at}.functionResponse.name is missing. Name the function that was called.`)
  const id = book.result(name, text(result['id']), fallback)
  const block: ToolResultBlock = {
    type: 'tool-result',
    at,
    id,
    name,
    ...readResponse(result['response'], `${at}.functionResponse.response`),
  }
  for (const [index, inner] of objects(result['parts']).entries()) {
    const path = `${at}.functionResponse.parts[${index}]`
    const media = readMedia(inner)
    if (!media) throw invalid(path, `${path} must have inlineData or fileData.`)
    block.blocks.push({ ...media, at: path })
  }
  return withSide(block, part, unknownFields(result, RESULT, 'functionResponse.'))
}

/** `output` alone is the result, `error` alone says that the call failed; otherwise the whole object is the result. */
function readResponse(response: unknown, at: string): { blocks: Block[]; error?: boolean } {
  if (!isObject(response)) return { blocks: [] }
  const keys = Object.keys(response)
  const only = keys.length === 1 && (keys[0] === 'output' || keys[0] === 'error') ? keys[0] : undefined
  const value = only ? response[only] : response
  const content = typeof value === 'string' ? value : jsonText(value, at)
  const blocks: Block[] = keys.length === 0 || content === '' ? [] : [{ type: 'text', at, text: content }]
  return only === 'error' ? { blocks, error: true } : { blocks }
}

/** What the provider's own tools were told and said comes back as it was; other formats can not say it. */
function readHostedPart(part: Json, kind: HostedKind, at: string, fallback: string, book: CallBook): Block {
  return { ...readHosted(part, kind, fallback, book, at), at }
}
