import type { Block } from '../../canonical/block.ts'
import { seenIn } from '../../canonical/finish.ts'
import type { Origin } from '../../canonical/format.ts'
import { isObject, type Json, number, objects, text } from '../../canonical/json.ts'
import type { ChatResponse, Choice, TokenLogprob } from '../../canonical/response.ts'
import { failure } from '../../canonical/stream-failure.ts'
import { keepExtensions, unknownFields } from '../../canonical/vendor-extensions.ts'
import { HeadgateError } from '../../errors.ts'
import { readTokens } from '../chat-completions/logprobs.ts'
import { readRefusal, readText } from './blocks-read.ts'
import { isCall, readCall } from './calls-read.ts'
import { readError } from './error.ts'
import { readFinish } from './finish.ts'
import { readHosted } from './hosted.ts'
import { readGenerated } from './media-read.ts'
import { readReasoning } from './reasoning.ts'
import { otherCounts, readUsage } from './usage.ts'
import { ID, SIGNER } from './wire.ts'

/** Fields of a response with a reader, or that only repeat the request. */
const FIELDS: ReadonlySet<string> = new Set([
  ...[
    'id',
    'object',
    'created_at',
    'completed_at',
    'created',
    'model',
    'status',
    'error',
    'incomplete_details',
    'output',
    'output_text',
    'usage',
  ],
  ...[
    'background',
    'conversation',
    'frequency_penalty',
    'include',
    'instructions',
    'max_output_tokens',
    'max_tool_calls',
    'metadata',
  ],
  ...[
    'parallel_tool_calls',
    'presence_penalty',
    'previous_response_id',
    'prompt',
    'prompt_cache_key',
    'prompt_cache_options',
  ],
  ...[
    'prompt_cache_retention',
    'reasoning',
    'safety_identifier',
    'store',
    'temperature',
    'text',
    'tool_choice',
    'tools',
    'top_logprobs',
  ],
  ...['top_p', 'truncation', 'user'],
])

/** Signer of a response. If its origin is unknown, the format's signer. */
export function signerOf(origin: Origin | undefined): string | undefined {
  return origin ? origin.signer : SIGNER
}

/** True if a body has output, even empty. */
export function isResponse(body: Json): boolean {
  return Array.isArray(body['output'])
}

/**
 * Reads a whole response, and tolerates missing fields of servers that imitate the vendor.
 * @throws HeadgateError if it failed, or has no output.
 */
export function readResponse(body: Json, origin?: Origin): ChatResponse {
  if (!isResponse(body) || body['status'] === 'failed') throw noOutput(body)
  const { blocks, logprobs } = readItems(body['output'], text(body['id']) ?? '', signerOf(origin))
  const choice: Choice = { blocks, finish: readFinish(body, seenIn(blocks)) }
  if (logprobs.length > 0) choice.logprobs = logprobs
  const response: ChatResponse = { ...readHead(body), choices: [choice] }
  const usage = readUsage(body)
  if (usage) response.usage = usage
  return keepExtensions(response, ID, responseFields(body))
}

function noOutput(body: Json): HeadgateError {
  return body['error']
    ? failure(readError(0, body))
    : new HeadgateError('upstream', 'The provider sent a response without output.')
}

/** Id, model and time of a response. Empty values count as absent. */
export function readHead(body: Json): { id?: string; model?: string; created?: number } {
  const id = text(body['id'])
  const model = text(body['model'])
  const created = number(body['created_at'])
  return { ...(id ? { id } : {}), ...(model ? { model } : {}), ...(created ? { created: Math.floor(created) } : {}) }
}

/** Vendor extensions of a response. */
export function responseFields(body: Json): Json | undefined {
  return otherCounts(body['usage'], unknownFields(body, FIELDS))
}

export interface ReadItems {
  readonly blocks: Block[]
  readonly logprobs: TokenLogprob[]
}

/**
 * Reads the items of a response.
 * @param seed source of ids for calls without an id; differs between responses.
 */
export function readItems(output: unknown, seed: string, signer: string | undefined): ReadItems {
  const read: ReadItems = { blocks: [], logprobs: [] }
  objects(output).forEach((item, index) => {
    const at = `output[${index}]`
    if (item['type'] === 'message') readMessage(item, at, read)
    else for (const block of readAside(item, at, `${seed}.${index}`, signer)) read.blocks.push(block)
  })
  return read
}

/** Reads an item other than a message. */
export function readAside(item: Json, at: string, seed: string, signer: string | undefined): Block[] {
  if (isCall(item)) return [readCall(item, at, seed)]
  if (item['type'] === 'reasoning') return readReasoning(item, at, signer)
  const image = item['type'] === 'image_generation_call' ? readGenerated(item, at) : undefined
  return [image ?? readHosted(item, at)]
}

const MESSAGE: ReadonlySet<string> = new Set(['type', 'id', 'role', 'content', 'status'])

/** Vendor extensions of a message, under `message`. They belong to its first part. */
export function messageFields(item: Json): Json | undefined {
  return unknownFields(item, MESSAGE, undefined, 'message.')
}

function readMessage(item: Json, at: string, read: ReadItems): void {
  objects(item['content']).forEach((part, index) => {
    const block = readSpoken(part, `${at}.content[${index}]`, item, index === 0)
    read.blocks.push(block)
    for (const token of readTokens(part['logprobs']) ?? []) read.logprobs.push(token)
  })
}

/** Reads a part of a message. */
export function readSpoken(part: Json, at: string, item: Json, isFirst: boolean): Block {
  const block = isObject(part) && part['type'] === 'refusal' ? readRefusal(part, at) : readText(part, at)
  const id = text(item['id'])
  if (id !== undefined) block.ref = id
  const own = isFirst ? messageFields(item) : undefined
  return own ? keepExtensions(block, ID, { ...block.extensions?.fields, ...own }) : block
}
