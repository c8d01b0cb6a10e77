import { argumentsText } from '../../canonical/arguments.ts'
import type { Block, Node, ToolCallBlock } from '../../canonical/block.ts'
import type { Origin } from '../../canonical/format.ts'
import { compact, isObject, type Json, objects, text } from '../../canonical/json.ts'
import type { ChatResponse, Choice } from '../../canonical/response.ts'
import { failure } from '../../canonical/stream-failure.ts'
import { extensionsOf, keepExtensions, ownExtensions, unknownFields } from '../../canonical/vendor-extensions.ts'
import { HeadgateError } from '../../errors.ts'
import { readCitations } from './citations.ts'
import { readError } from './error.ts'
import { readFinish } from './finish.ts'
import { hostedName, readHostedResult } from './hosted.ts'
import { signatureIn } from './reasoning.ts'
import { readUsage, unusualFields } from './usage.ts'
import { ID, SIGNER } from './wire.ts'

const MESSAGE: ReadonlySet<string> = new Set([
  ...['id', 'type', 'role', 'model', 'content', 'usage'],
  ...['stop_reason', 'stop_sequence', 'stop_details', 'container', 'context_management'],
])

/** Signer of a response. If its origin is unknown, the format's signer. */
export function signerOf(origin: Origin | undefined): string | undefined {
  return origin ? origin.signer : SIGNER
}

/** True if a body has content, even empty. Some servers write an empty list as null. */
export function isResponse(body: Json): boolean {
  return Array.isArray(body['content']) || (body['content'] === null && text(body['stop_reason']) !== undefined)
}

/**
 * Reads a whole response, and tolerates missing fields of servers that imitate the vendor.
 * @throws HeadgateError if it is an error, or has no content.
 */
export function readResponse(body: Json, origin?: Origin): ChatResponse {
  if (!isResponse(body)) throw noContent(body)
  const signer = signerOf(origin)
  const blocks = objects(body['content']).map((block, index) => ({
    ...readResponseBlock(block, signer),
    at: `content[${index}]`,
  }))
  const calls = blocks.some((block) => block.type === 'tool-call')
  const choice = keepExtensions<Choice>({ blocks, finish: readFinish(body, calls) }, ID, endFields(body))
  return compact<ChatResponse>({
    ...readHead(body),
    choices: [choice],
    usage: readUsage(body['usage']),
    extensions: extensionsOf(ID, startFields(body)),
  })
}

function noContent(body: Json): HeadgateError {
  return body['error']
    ? failure(readError(0, body))
    : new HeadgateError('upstream', 'The provider sent a response without content.')
}

/** Id and model of a response. Empty values count as absent. */
export function readHead(message: Json): { id?: string; model?: string } {
  return compact<{ id?: string; model?: string }>({
    id: text(message['id']) || undefined,
    model: text(message['model']) || undefined,
  })
}

/** Vendor extensions at the start of a response. */
export function startFields(message: Json): Json | undefined {
  return unusualFields(message['usage'], unknownFields(message, MESSAGE))
}

const END = ['container', 'context_management'] as const

/** Vendor extensions of the whole response at the end of a stream. */
export function lateFields(delta: Json, usage: Json | undefined): Json | undefined {
  return unusualFields(usage, unknownFields(delta, MESSAGE))
}

/** Vendor extensions at the end of a response. */
export function endFields(end: Json): Json | undefined {
  const left: Json = {}
  for (const key of END) if (end[key] !== undefined && end[key] !== null) left[key] = end[key]
  const details = end['stop_details']
  if (isObject(details) && details['category'] !== undefined && details['category'] !== null)
    left['stop_details.category'] = details['category']
  return Object.keys(left).length > 0 ? left : undefined
}

const TEXT: ReadonlySet<string> = new Set(['type', 'text', 'citations'])
const THINKING: ReadonlySet<string> = new Set(['type', 'thinking', 'signature'])
const REDACTED: ReadonlySet<string> = new Set(['type', 'data'])
const TOOL_USE: ReadonlySet<string> = new Set(['type', 'id', 'name', 'input'])

/** Block of a response, whole or as its start in a stream. */
export function readResponseBlock(block: Json, signer: string | undefined): Block {
  switch (block['type']) {
    case 'text': {
      const citations = readCitations(block['citations'])
      return withExtensions(
        { type: 'text', text: text(block['text']) ?? '', ...(citations && { citations }) },
        block,
        TEXT,
      )
    }
    case 'thinking':
      return withExtensions(
        { type: 'reasoning', text: text(block['thinking']) ?? '', ...signatureIn(block['signature'], signer) },
        block,
        THINKING,
      )
    case 'redacted_thinking':
      return withExtensions(
        { type: 'reasoning', text: '', redacted: true, ...signatureIn(block['data'], signer) },
        block,
        REDACTED,
      )
    case 'tool_use':
      return withExtensions({ type: 'tool-call', ...readCall(block) }, block, TOOL_USE)
    case 'server_tool_use':
    case 'mcp_tool_use': {
      const call = readCall(block)
      return {
        type: 'hosted-call',
        ...call,
        name: hostedName(call.name),
        extensions: ownExtensions(ID, unknownFields(block, TOOL_USE)),
      }
    }
    default:
      return readHostedResult(block)
  }
}

function withExtensions<B extends Block & Node>(block: B, source: Json, known: ReadonlySet<string>): B {
  return keepExtensions(block, ID, unknownFields(source, known))
}

function readCall(block: Json): Pick<ToolCallBlock, 'id' | 'name' | 'arguments'> {
  return {
    id: text(block['id']) ?? '',
    name: text(block['name']) ?? '',
    arguments: argumentsText(block['input'] ?? {}),
  }
}
