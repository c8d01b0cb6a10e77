import type { Block, ToolCallBlock } from '../../chat/block.ts'
import { seal, unseal } from '../../chat/envelope.ts'
import type { Origin, Reply } from '../../chat/format.ts'
import { isObject, type Json, objects, text } from '../../chat/json.ts'
import { changed, dropped, type Loss, under, writeSide } from '../../chat/loss.ts'
import type { ChatResponse } from '../../chat/response.ts'
import { rest } from './check.ts'
import { readCitations, writeCitation } from './citations.ts'
import { readFinish, writeFinish } from './finish.ts'
import { hostedName, readHostedResult, writeHosted } from './hosted.ts'
import { toolInput } from './input.ts'
import { mergeSide, side } from './side.ts'
import { readUsage, unusual, writeUsage } from './usage.ts'
import { FORMAT, SIGNER } from './wire.ts'

const MESSAGE = new Set([
  'id',
  'type',
  'role',
  'model',
  'content',
  'stop_reason',
  'stop_sequence',
  'stop_details',
  'usage',
  'container',
  'context_management',
])

/** Who signed what an answer holds: where nothing is known of its origin, the format's own signer. */
export function signerOf(origin: Origin | undefined): string | undefined {
  return origin ? origin.signer : SIGNER
}

/** Reads a whole answer; tolerant of what imitators of the vendor leave out. */
export function readResponse(body: Json, origin?: Origin): ChatResponse {
  const signer = signerOf(origin)
  const blocks = objects(body['content']).map((block, index) => readAnswerBlock(block, signer, `content[${index}]`))
  const usage = readUsage(body['usage'])
  const calls = blocks.some((block) => block.type === 'tool-call')
  const end = side(endFields(body))
  const left = side(startFields(body))
  return {
    ...(text(body['id']) && { id: String(body['id']) }),
    ...(text(body['model']) && { model: String(body['model']) }),
    choices: [{ blocks, finish: readFinish(body, calls), ...(end && { side: end }) }],
    ...(usage && { usage }),
    ...(left && { side: left }),
  }
}

/** What the start of an answer says that the canonical model does not know. */
export function startFields(message: Json): Json | undefined {
  const left = rest(message, MESSAGE)
  const usage = unusual(message['usage'])
  return usage ? { ...left, usage } : left
}

const END = ['container', 'context_management']

/** What the end of an answer says that the canonical model does not know. */
export function endFields(end: Json): Json | undefined {
  const left: Json = {}
  for (const key of END) if (end[key] !== undefined && end[key] !== null) left[key] = end[key]
  const details = end['stop_details']
  if (isObject(details) && details['category'] !== undefined && details['category'] !== null)
    left['stop_details'] = { category: details['category'] }
  return Object.keys(left).length > 0 ? left : undefined
}

const TEXT = new Set(['type', 'text', 'citations'])
const THINKING = new Set(['type', 'thinking', 'signature'])
const REDACTED = new Set(['type', 'data'])
const TOOL_USE = new Set(['type', 'id', 'name', 'input'])

/** A block of an answer, whole or as its start in a stream; `at` is left out in streams. */
export function readAnswerBlock(block: Json, signer: string | undefined, at?: string): Block {
  const place = at === undefined ? undefined : { at }
  switch (block['type']) {
    case 'text': {
      const citations = readCitations(block['citations'])
      return { type: 'text', text: text(block['text']) ?? '', ...place, ...left(block, TEXT), ...(citations && { citations }) }
    }
    case 'thinking':
      return {
        type: 'reasoning',
        text: text(block['thinking']) ?? '',
        ...place,
        ...left(block, THINKING),
        ...signed(block['signature'], signer),
      }
    case 'redacted_thinking':
      return { type: 'reasoning', text: '', redacted: true, ...place, ...left(block, REDACTED), ...signed(block['data'], signer) }
    case 'tool_use':
      return { type: 'tool-call', ...call(block), ...place, ...left(block, TOOL_USE) }
    case 'server_tool_use':
    case 'mcp_tool_use': {
      const { name, ...rest } = call(block)
      return {
        type: 'hosted-call',
        name: hostedName(name),
        ...rest,
        ...place,
        side: { format: FORMAT, fields: left(block, TOOL_USE)?.side?.fields ?? {} },
      }
    }
    default:
      return { ...readHostedResult(block), ...place }
  }
}

function left(block: Json, known: ReadonlySet<string>) {
  const found = side(rest(block, known))
  return found && { side: found }
}

export function signed(value: unknown, signer: string | undefined) {
  const signature = typeof value === 'string' ? unseal(value, signer) : undefined
  return signature && { signature }
}

function call(block: Json) {
  const input = block['input']
  const args = typeof input === 'string' ? input : JSON.stringify(input ?? {})
  return { id: text(block['id']) ?? '', name: text(block['name']) ?? '', arguments: args }
}

/** Writes a whole answer: the first choice, since the format has one. */
export function writeResponse(response: ChatResponse, reply: Reply, losses: Loss[]): Json {
  const [choice, ...others] = response.choices
  for (const other of others) dropped(losses, other.at ?? 'choices', 'the messages format has one answer')
  if (choice?.logprobs) dropped(losses, choice.at ? `${choice.at}.logprobs` : 'logprobs', 'the messages format has no log probabilities')
  const blocks = choice?.blocks ?? []
  const seen = { calls: blocks.some((block) => block.type === 'tool-call'), refusal: blocks.some((block) => block.type === 'refusal') }
  const out: Json = {
    id: response.id ?? `msg_${reply.id}`,
    type: 'message',
    role: 'assistant',
    model: response.model ?? reply.model,
    content: blocks.flatMap((block, index) => writeAnswerBlock(block, `${reply.id}_${index}`, losses)),
    ...writeFinish(choice?.finish ?? { reason: 'stop' }, seen),
    usage: writeUsage(response.usage),
    container: null,
    diagnostics: null,
  }
  if (choice) mergeSide(choice, out, losses)
  mergeSide(response, out, losses)
  return out
}

/** The block, with the carrier of a signature that the format has no place for beside it. */
function writeAnswerBlock(block: Block, unique: string, losses: Loss[]): Json[] {
  const out = answerBlock(block, unique, losses)
  if (!out) return []
  if (block.type !== 'hosted-call' && block.type !== 'hosted-result') writeSide(block, FORMAT, out, losses)
  if (block.type === 'tool-call' && block.signature) return [carrier(seal(block.signature, SIGNER)), out]
  if (block.type === 'text' && block.signature) return [out, carrier(seal(block.signature, SIGNER))]
  return [out]
}

/** The id of a call as the vendor would take it back; one of its own where the upstream gave none. */
export function callId(block: ToolCallBlock, unique: string, losses: Loss[]): string {
  const id = (block.id || `toolu_${unique}`).replace(/[^a-zA-Z0-9_-]/g, '_')
  if (block.id !== '' && id !== block.id) changed(losses, under(block, 'id'), 'ids hold letters, digits, _ and - only')
  return id
}

/** A thinking block that brings a signature of another vendor to the caller and back: see `carrySignatures`. */
export function carrier(signature: string): Json {
  return { type: 'thinking', thinking: '', signature }
}

function answerBlock(block: Block, unique: string, losses: Loss[]): Json | undefined {
  switch (block.type) {
    case 'text':
      return answerText(block, losses)
    case 'refusal':
      return block.text === '' ? undefined : { type: 'text', text: block.text, citations: null }
    case 'reasoning':
      return answerReasoning(block, losses)
    case 'tool-call': {
      const input = block.custom ? { input: block.arguments } : toolInput(block.arguments)
      if (!input) changed(losses, under(block, 'arguments'), 'the arguments are no JSON object: an empty one is sent')
      return { type: 'tool_use', id: callId(block, unique, losses), name: block.name, input: input ?? {} }
    }
    case 'hosted-call':
    case 'hosted-result': {
      const out = writeHosted(block)
      if (!out) dropped(losses, block.at ?? block.name, 'a tool that another provider ran')
      return out
    }
    default:
      dropped(losses, block.at ?? block.type, `answers of the messages format hold no ${block.type}`)
      return undefined
  }
}

function answerText(block: Extract<Block, { type: 'text' }>, losses: Loss[]): Json | undefined {
  if (block.text === '' && !block.citations) return undefined
  return { type: 'text', text: block.text, citations: answerCitations(block.citations ?? [], under(block, 'citations'), losses) }
}

/** The citations that have a place, or null. */
export function answerCitations(citations: Parameters<typeof writeCitation>[0][], path: string, losses: Loss[]): Json[] | null {
  const written = citations.map(writeCitation).filter((citation) => citation !== undefined)
  if (written.length < citations.length) dropped(losses, path, 'a citation without a link')
  return written.length > 0 ? written : null
}

function answerReasoning(block: Extract<Block, { type: 'reasoning' }>, losses: Loss[]): Json | undefined {
  const signature = block.signature && seal(block.signature, SIGNER)
  if (block.redacted) {
    if (signature !== undefined) return { type: 'redacted_thinking', data: signature }
    dropped(losses, block.at ?? 'reasoning', 'encrypted reasoning without its content')
    return undefined
  }
  if (block.text === '' && signature === undefined) return undefined
  return { type: 'thinking', thinking: block.text, signature: signature ?? '' }
}
