import { jsonText } from '../../canonical/arguments.ts'
import type { Block, MediaBlock, Node, Signature, ToolCallBlock, ToolResultBlock } from '../../canonical/block.ts'
import { type SealedThought, unsealThought } from '../../canonical/envelope.ts'
import { wrong } from '../../canonical/fields.ts'
import { isObject, type Json, object, objects, text } from '../../canonical/json.ts'
import type { PendingCalls } from '../../canonical/pending-calls.ts'
import { keepExtensions, unknownFields } from '../../canonical/vendor-extensions.ts'
import { invalid } from '../../errors.ts'
import { HOSTED_PARTS, type HostedIds, type HostedPart, readHosted } from './hosted.ts'
import { readMedia, readResolution } from './media-read.ts'
import { ID, NO_SIGNATURE, SIGNER } from './wire.ts'

/** State for reading the parts of a conversation. */
export interface ContentReadState {
  readonly calls: PendingCalls
  readonly hosted: HostedIds
}

/** Data fields; each part has exactly one. */
const DATA = ['text', 'inlineData', 'fileData', 'functionCall', 'functionResponse', ...HOSTED_PARTS] as const
const PART: ReadonlySet<string> = new Set([...DATA, 'thought', 'thoughtSignature'])
const CALL: ReadonlySet<string> = new Set(['id', 'name', 'args'])
const RESULT: ReadonlySet<string> = new Set(['id', 'name', 'response', 'parts'])

/**
 * Reads a part of a turn.
 * @param fallback id for a call without an id.
 */
export function readPart(part: Json, at: string, fallback: string, conversation: ContentReadState): Block {
  const kinds = DATA.filter((key) => part[key] !== undefined)
  if (kinds.length > 1)
    throw invalid(
      at,
      `${at} has ${kinds.join(' and ')}. A part can have only one of them. Split it into ${kinds.length} parts.`,
    )
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
      return readCall(part, at, fallback, conversation)
    case 'functionResponse':
      return readResult(part, at, fallback, conversation)
    default:
      return readHostedPart(part, kind, at, fallback, conversation)
  }
}

/** Reads a part without data. A part with only a signature is empty text. */
function readBare(part: Json, at: string): Block {
  if (part['thoughtSignature'] !== undefined) return readText(part, at)
  const found = Object.keys(part)
  throw invalid(
    at,
    `${at} is ${found.length === 0 ? 'empty' : `of an unknown kind (${found.join(', ')})`}. A part must have one of ${DATA.join(', ')}.`,
  )
}

function readText(part: Json, at: string): Block {
  const said = text(part['text']) ?? ''
  if (part['thought'] !== true) return withPartFields(signed({ type: 'text', at, text: said }, part), part)
  return withPartFields({ type: 'reasoning', at, text: said, ...sealedIn(part) }, part)
}

/** Adds the part's signature to its block. */
function signed<B extends Node & { signature?: Signature }>(block: B, part: Json): B {
  const sealed = sealedIn(part)
  if (sealed) block.signature = sealed.signature
  return block
}

function sealedIn(part: Json): SealedThought | undefined {
  const value = text(part['thoughtSignature'])
  return value === undefined || value === NO_SIGNATURE ? undefined : unsealThought(value, SIGNER)
}

/** Adds the vendor extensions of a part to its block, including `fields` of its data. */
export function withPartFields<B extends Node>(block: B, part: Json, fields?: Json | undefined): B {
  return keepExtensions(block, ID, unknownFields(part, PART, fields))
}

function readMediaPart(part: Json, kind: 'inlineData' | 'fileData', at: string): MediaBlock {
  const media = readMedia(part)
  if (!media) throw unreadable(part, kind, at)
  const { mediaResolution, ...rest } = part
  const detail = readResolution(object(mediaResolution)?.['level'])
  const block: MediaBlock = { ...media, at, ...(detail && { detail }) }
  const fields = part['thought'] === true ? { ...media.extensions?.fields, thought: true } : media.extensions?.fields
  return withPartFields(signed(block, part), detail ? rest : part, fields)
}

function unreadable(part: Json, kind: 'inlineData' | 'fileData', at: string): Error {
  const path = `${at}.${kind}`
  const message = object(part[kind])
  if (kind === 'fileData') return wrong(`${path}.fileUri`, 'the URI of a file', text(message?.['fileUri']) || undefined)
  return invalid(`${path}.data`, `${path}.data is not base64. Send the content of the file as standard base64.`)
}

function readCall(part: Json, at: string, fallback: string, { calls }: ContentReadState): ToolCallBlock {
  const call = object(part['functionCall']) ?? {}
  const path = `${at}.functionCall`
  const name = text(call['name'])
  if (!name?.trim()) throw wrong(`${path}.name`, 'the name of the function', undefined)
  const id = text(call['id']) || fallback
  calls.add(name, id)
  const block: ToolCallBlock = {
    type: 'tool-call',
    at,
    id,
    name,
    arguments: jsonText(call['args'] ?? {}, `${path}.args`),
  }
  return withPartFields(signed(block, part), part, unknownFields(call, CALL, undefined, 'functionCall.'))
}

function readResult(part: Json, at: string, fallback: string, { calls }: ContentReadState): ToolResultBlock {
  const result = object(part['functionResponse']) ?? {}
  const path = `${at}.functionResponse`
  const name = text(result['name'])
  if (!name) throw wrong(`${path}.name`, 'the name of the function that was called', undefined)
  const given = text(result['id']) || undefined
  const id = calls.take(name, given) ?? given ?? fallback
  const block: ToolResultBlock = {
    type: 'tool-result',
    at,
    id,
    name,
    ...readResponse(result['response'], `${path}.response`),
  }
  for (const [index, inner] of objects(result['parts']).entries()) {
    const media = readMedia(inner)
    const innerPath = `${path}.parts[${index}]`
    if (!media) throw invalid(innerPath, `${innerPath} has no valid inlineData or fileData. Send one of them.`)
    block.blocks.push({ ...media, at: innerPath })
  }
  return withPartFields(block, part, unknownFields(result, RESULT, undefined, 'functionResponse.'))
}

/** Reads a result. Only `output` is the result, only `error` is a failure; otherwise the whole object is the result. */
function readResponse(response: unknown, at: string): { blocks: Block[]; error?: boolean } {
  if (!isObject(response)) return { blocks: [] }
  const keys = Object.keys(response)
  const only = keys.length === 1 && (keys[0] === 'output' || keys[0] === 'error') ? keys[0] : undefined
  const value = only ? response[only] : response
  const content = typeof value === 'string' ? value : jsonText(value, at)
  const blocks: Block[] = keys.length === 0 || content === '' ? [] : [{ type: 'text', at, text: content }]
  return only === 'error' ? { blocks, error: true } : { blocks }
}

/** Reads a part of a hosted tool. It is preserved, since other formats cannot represent it. */
function readHostedPart(
  part: Json,
  kind: HostedPart,
  at: string,
  fallback: string,
  { hosted }: ContentReadState,
): Block {
  return { ...readHosted(part, kind, fallback, hosted, at), at }
}
