import type { Block, ReasoningBlock, TextBlock } from '../../canonical/block.ts'
import { type Json, object, objects } from '../../canonical/json.ts'
import type { Delta, Part } from '../../canonical/part.ts'
import type { Finish } from '../../canonical/response.ts'
import { extensionsOf, unknownFields } from '../../canonical/vendor-extensions.ts'
import { readCitations } from './citations.ts'
import { readFinish, reasonName } from './finish.ts'
import { readLogprobs } from './logprobs.ts'
import { addPieces, goesOn, type PartialArgs } from './partial-args.ts'
import { CANDIDATE, isLateSignature, type ResponseContext, readResponsePart } from './response-read.ts'
import { ID } from './wire.ts'

/** Text or reasoning block that is still open. */
interface ContentReadBlock {
  readonly index: number
  readonly type: 'text' | 'reasoning'
  signed: boolean
}

/** Call whose arguments are streamed. */
interface StreamedCall extends PartialArgs {
  /** First part, with name, id and signature. */
  readonly part: Json
}

/** State of a candidate in a stream. */
export interface CandidateState {
  readonly number: number
  next: number
  open: ContentReadBlock | undefined
  call: StreamedCall | undefined
  calls: boolean
  reason: string | undefined
  message: unknown
  fields: Json | undefined
  /** Text blocks, for citations. */
  readonly passages: { key: number; text: string }[]
  readonly groundingChunks: unknown[]
  /** Length of the passages, and the number of characters and chunks that were searched for citations. */
  length: number
  looked: number
}

export function startCandidate(number: number): CandidateState {
  return {
    number,
    next: 0,
    open: undefined,
    call: undefined,
    calls: false,
    reason: undefined,
    message: undefined,
    fields: undefined,
    passages: [],
    groundingChunks: [],
    length: 0,
    looked: 0,
  }
}

/** Reads a candidate in a chunk. */
export function readCandidate(source: Json, candidate: CandidateState, context: ResponseContext, parts: Part[]): void {
  for (const part of objects(object(source['content'])?.['parts'])) readPart(part, candidate, context, parts)
  const tokens = readLogprobs(source['logprobsResult'])
  if (tokens) parts.push(choose(candidate, { type: 'logprobs', tokens }))
  candidate.reason = reasonName(source['finishReason']) ?? candidate.reason
  candidate.message = source['finishMessage'] ?? candidate.message
  candidate.fields = unknownFields(source, CANDIDATE, candidate.fields)
  if (source['groundingMetadata'] !== undefined || source['citationMetadata'] !== undefined)
    cite(source, candidate, parts)
}

/** Adds the choice to a part, except for the first choice. */
function choose<P extends Part>(candidate: CandidateState, part: P): P {
  return candidate.number === 0 ? part : { ...part, choice: candidate.number }
}

function readPart(part: Json, candidate: CandidateState, context: ResponseContext, parts: Part[]): void {
  const call = object(part['functionCall'])
  if (call && readPiece(part, call, candidate, context, parts)) return
  const block = readResponsePart(part, context)
  if (!block) return
  if (block.type === 'text' || block.type === 'reasoning') {
    addText(block, candidate, parts)
    return
  }
  closeText(candidate, parts)
  addWhole(block, candidate, parts)
}

function addText(block: TextBlock | ReasoningBlock, candidate: CandidateState, parts: Part[]): void {
  const before = candidate.open
  const late = isLateSignature(block, before?.type, before?.signed ?? false)
  const apart =
    before?.type !== block.type || before.signed || block.extensions || (block.type === 'reasoning' && block.redacted)
  if (!late && apart) openText(block, candidate, parts)
  const { open } = candidate
  if (!open) return
  const delta: Delta = {}
  if (block.text !== '') delta.text = block.text
  if (block.signature) delta.signature = block.signature
  open.signed ||= block.signature !== undefined
  parts.push(choose(candidate, { type: 'block-delta', index: open.index, delta }))
  const passage = candidate.passages.at(-1)
  if (!passage || open.type !== 'text') return
  passage.text += block.text
  candidate.length += block.text.length
}

function openText(block: TextBlock | ReasoningBlock, candidate: CandidateState, parts: Part[]): void {
  closeText(candidate, parts)
  const index = candidate.next++
  candidate.open = { index, type: block.type, signed: false }
  if (block.type === 'text') candidate.passages.push({ key: index, text: '' })
  const { signature: _, ...unsigned } = block
  const empty: Block = { ...unsigned, text: '' }
  parts.push(choose(candidate, { type: 'block-start', index, block: empty }))
}

function closeText(candidate: CandidateState, parts: Part[]): void {
  if (!candidate.open) return
  parts.push(choose(candidate, { type: 'block-end', index: candidate.open.index }))
  candidate.open = undefined
}

/** Adds a complete block. Arguments of a call follow its start, as in other streams. */
function addWhole(block: Block, candidate: CandidateState, parts: Part[]): void {
  const index = candidate.next++
  if (block.type === 'tool-call') {
    candidate.calls = true
    parts.push(choose(candidate, { type: 'block-start', index, block: { ...block, arguments: '' } }))
    parts.push(choose(candidate, { type: 'block-delta', index, delta: { arguments: block.arguments } }))
  } else parts.push(choose(candidate, { type: 'block-start', index, block }))
  parts.push(choose(candidate, { type: 'block-end', index }))
}

/**
 * Assembles a call whose arguments are streamed. True if the part belongs to the call.
 * @see https://cloud.google.com/vertex-ai/generative-ai/docs/multimodal/function-calling#streaming-fc
 */
function readPiece(
  part: Json,
  call: Json,
  candidate: CandidateState,
  context: ResponseContext,
  parts: Part[],
): boolean {
  const named = typeof call['name'] === 'string' && call['name'] !== ''
  const pieces = call['partialArgs']
  if (named) closeCall(candidate, context, parts)
  if (named && (pieces !== undefined || call['willContinue'] === true)) {
    closeText(candidate, parts)
    candidate.call = { part, args: { ...object(call['args']) }, size: 0 }
  }
  if (!candidate.call) return !named
  addPieces(candidate.call, pieces)
  if (call['willContinue'] !== true && !goesOn(pieces)) closeCall(candidate, context, parts)
  return true
}

function closeCall(candidate: CandidateState, context: ResponseContext, parts: Part[]): void {
  const open = candidate.call
  if (!open) return
  candidate.call = undefined
  const { partialArgs: _, willContinue: __, ...call } = object(open.part['functionCall']) ?? {}
  const block = readResponsePart({ ...open.part, functionCall: { ...call, args: open.args } }, context)
  if (block) addWhole(block, candidate, parts)
}

/**
 * Limits of searching for citations. Sources usually arrive once or a few times; if every event has some, only the
 * first are searched: this many characters, plus this multiple of the text.
 */
const LOOKED_FREELY = 1024 * 1024
const MOST_LOOKED = 16

/** Adds citations to the open text block. The complete metadata is among the vendor extensions of the finish. */
function cite(source: Json, candidate: CandidateState, parts: Part[]): void {
  const grounding = object(source['groundingMetadata'])
  for (const chunk of objects(grounding?.['groundingChunks'])) candidate.groundingChunks.push(chunk)
  const known = grounding
    ? { ...source, groundingMetadata: { ...grounding, groundingChunks: candidate.groundingChunks } }
    : source
  const { open } = candidate
  if (open?.type !== 'text') return
  candidate.looked += candidate.length + candidate.groundingChunks.length
  if (candidate.looked > LOOKED_FREELY + MOST_LOOKED * candidate.length) return
  const citations = readCitations(known, candidate.passages)
    .filter((placed) => placed.key === open.index)
    .map((placed) => placed.citation)
  if (citations.length > 0)
    parts.push(choose(candidate, { type: 'block-delta', index: open.index, delta: { citations } }))
}

/** Closes open blocks and calls. */
export function closeCandidate(candidate: CandidateState, context: ResponseContext | undefined, parts: Part[]): void {
  closeText(candidate, parts)
  if (context) closeCall(candidate, context, parts)
}

/**
 * Finish of a candidate.
 * @param blocked finish of a blocked prompt.
 */
export function finishCandidate(candidate: CandidateState, blocked: Finish | undefined): Part {
  const { reason, message, calls, fields } = candidate
  const finish: Finish = reason === undefined ? (blocked ?? { reason: 'stop' }) : readFinish(reason, message, calls)
  // The message becomes the detail of the finish.
  if (finish.detail !== undefined) delete fields?.['finishMessage']
  const extensions = extensionsOf(ID, fields && Object.keys(fields).length > 0 ? fields : undefined)
  return choose(candidate, { type: 'finish', finish, ...(extensions && { extensions }) })
}
