import type { Block, ReasoningBlock, TextBlock } from '../../canonical/block.ts'
import { type Json, object, objects } from '../../canonical/json.ts'
import type { Delta, Part } from '../../canonical/part.ts'
import type { Finish } from '../../canonical/response.ts'
import { sideOf, unknownFields } from '../../canonical/side.ts'
import { readCitations } from './citations.ts'
import { readFinish, reasonName } from './finish.ts'
import { readLogprobs } from './logprobs.ts'
import { addPieces, goesOn, type PartialArgs } from './partial-args.ts'
import { type AnswerContext, CANDIDATE, isLateSignature, readAnswerPart } from './response-read.ts'
import { ID } from './wire.ts'

/** A block that text is still added to. */
interface OpenBlock {
  readonly index: number
  readonly type: 'text' | 'reasoning'
  signed: boolean
}

/** A call whose arguments come in pieces. */
interface OpenCall extends PartialArgs {
  /** The part that opened it: name, id and signature. */
  readonly part: Json
}

/** What is known of one candidate of a stream. */
export interface Candidate {
  readonly number: number
  next: number
  open: OpenBlock | undefined
  call: OpenCall | undefined
  calls: boolean
  reason: string | undefined
  message: unknown
  fields: Json | undefined
  /** Text blocks, for citations that point into them. */
  readonly passages: { key: number; text: string }[]
  readonly groundingChunks: unknown[]
  /** Characters of the passages, and how many of these and of the chunks were looked through for citations. */
  length: number
  looked: number
}

export function startCandidate(number: number): Candidate {
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

/** Reads what a chunk has of a candidate. */
export function readCandidate(source: Json, candidate: Candidate, context: AnswerContext, parts: Part[]): void {
  for (const part of objects(object(source['content'])?.['parts'])) readPart(part, candidate, context, parts)
  const tokens = readLogprobs(source['logprobsResult'])
  if (tokens) parts.push(choose(candidate, { type: 'logprobs', tokens }))
  candidate.reason = reasonName(source['finishReason']) ?? candidate.reason
  candidate.message = source['finishMessage'] ?? candidate.message
  candidate.fields = unknownFields(source, CANDIDATE, candidate.fields)
  if (source['groundingMetadata'] !== undefined || source['citationMetadata'] !== undefined)
    cite(source, candidate, parts)
}

/** The choice is named where it is not the first. */
function choose<P extends Part>(candidate: Candidate, part: P): P {
  return candidate.number === 0 ? part : { ...part, choice: candidate.number }
}

function readPart(part: Json, candidate: Candidate, context: AnswerContext, parts: Part[]): void {
  const call = object(part['functionCall'])
  if (call && readPiece(part, call, candidate, context, parts)) return
  const block = readAnswerPart(part, context)
  if (!block) return
  if (block.type === 'text' || block.type === 'reasoning') {
    addText(block, candidate, parts)
    return
  }
  closeText(candidate, parts)
  addWhole(block, candidate, parts)
}

function addText(block: TextBlock | ReasoningBlock, candidate: Candidate, parts: Part[]): void {
  const before = candidate.open
  const late = isLateSignature(block, before?.type, before?.signed ?? false)
  const apart =
    before?.type !== block.type || before.signed || block.side || (block.type === 'reasoning' && block.redacted)
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

function openText(block: TextBlock | ReasoningBlock, candidate: Candidate, parts: Part[]): void {
  closeText(candidate, parts)
  const index = candidate.next++
  candidate.open = { index, type: block.type, signed: false }
  if (block.type === 'text') candidate.passages.push({ key: index, text: '' })
  const { signature: _, ...unsigned } = block
  const empty: Block = { ...unsigned, text: '' }
  parts.push(choose(candidate, { type: 'block-start', index, block: empty }))
}

function closeText(candidate: Candidate, parts: Part[]): void {
  if (!candidate.open) return
  parts.push(choose(candidate, { type: 'block-end', index: candidate.open.index }))
  candidate.open = undefined
}

/** A block that comes whole; the arguments of a call follow its start, as they do where they are streamed. */
function addWhole(block: Block, candidate: Candidate, parts: Part[]): void {
  const index = candidate.next++
  if (block.type === 'tool-call') {
    candidate.calls = true
    parts.push(choose(candidate, { type: 'block-start', index, block: { ...block, arguments: '' } }))
    parts.push(choose(candidate, { type: 'block-delta', index, delta: { arguments: block.arguments } }))
  } else parts.push(choose(candidate, { type: 'block-start', index, block }))
  parts.push(choose(candidate, { type: 'block-end', index }))
}

/**
 * A call whose arguments come in pieces is held until it is whole. True when the part was a piece of one.
 * @see https://cloud.google.com/vertex-ai/generative-ai/docs/multimodal/function-calling#streaming-fc
 */
function readPiece(part: Json, call: Json, candidate: Candidate, context: AnswerContext, parts: Part[]): boolean {
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

function closeCall(candidate: Candidate, context: AnswerContext, parts: Part[]): void {
  const open = candidate.call
  if (!open) return
  candidate.call = undefined
  const { partialArgs: _, willContinue: __, ...call } = object(open.part['functionCall']) ?? {}
  const block = readAnswerPart({ ...open.part, functionCall: { ...call, args: open.args } }, context)
  if (block) addWhole(block, candidate, parts)
}

/**
 * Sources come once or a few times in a stream; where each event has some, only the first are looked up: so many
 * characters, and so many times the text.
 */
const LOOKED_FREELY = 1024 * 1024
const MOST_LOOKED = 16

/** Citations of the text block that is still open; its metadata as a whole is in the side-channel of the end. */
function cite(source: Json, candidate: Candidate, parts: Part[]): void {
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

/** Closes what is open. */
export function closeCandidate(candidate: Candidate, context: AnswerContext | undefined, parts: Part[]): void {
  closeText(candidate, parts)
  if (context) closeCall(candidate, context, parts)
}

/** The end of a candidate; `blocked` is that of the prompt. */
export function finishCandidate(candidate: Candidate, blocked: Finish | undefined): Part {
  const { reason, message, calls, fields } = candidate
  const finish: Finish = reason === undefined ? (blocked ?? { reason: 'stop' }) : readFinish(reason, message, calls)
  // The message is told as the detail of the end.
  if (finish.detail !== undefined) delete fields?.['finishMessage']
  const side = sideOf(ID, fields && Object.keys(fields).length > 0 ? fields : undefined)
  return choose(candidate, { type: 'finish', finish, ...(side && { side }) })
}
