import type { Block } from '../../chat/block.ts'
import type { Frame, Origin, StreamReader } from '../../chat/format.ts'
import { isObject, type Json, number, objects, parse, text } from '../../chat/json.ts'
import type { Delta, Part } from '../../chat/part.ts'
import type { Finish } from '../../chat/response.ts'
import type { UpstreamError } from '../../errors.ts'
import { type AnswerContext, answerContext, isLateSignature, readAnswerPart } from './answer-parts.ts'
import { readError } from './error.ts'
import { isFailure, readBlocked, readFinish, reasonName } from './finish.ts'
import { readCitations } from './grounding.ts'
import { readLogprobs } from './logprobs.ts'
import { addPieces, goesOn, type PartialArgs } from './partial-args.ts'
import { ANSWER, CANDIDATE, identityOf } from './response.ts'
import { sideOf, unknownFields } from './side.ts'
import { readUsage, searchesOf } from './usage.ts'

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

/** What is known of one candidate. */
interface Candidate {
  readonly number: number
  next: number
  open: OpenBlock | undefined
  call: OpenCall | undefined
  calls: boolean
  reason: string | undefined
  message: unknown
  readonly side: Json
  /** Text blocks, for citations that point into them. */
  readonly passages: { key: number; text: string }[]
  readonly groundingChunks: unknown[]
}

/** What is known of the stream. */
interface State {
  readonly origin: Origin | undefined
  context: AnswerContext | undefined
  readonly candidates: Map<number, Candidate>
  blocked: Finish | undefined
  searches: number | undefined
  failed: boolean
}

/**
 * Reads a stream of partial answers. Reasons to end are held until its end, since old servers send one with every chunk; a stream
 * that ends without one was cut.
 */
export function readStream(origin?: Origin): StreamReader {
  const state: State = { origin, context: undefined, candidates: new Map(), blocked: undefined, searches: undefined, failed: false }
  return {
    push(frame) {
      if (state.failed) return []
      const parts: Part[] = []
      for (const chunk of chunksOf(frame)) {
        readChunk(chunk, state, parts)
        if (state.failed) break
      }
      return parts
    },
    end() {
      if (state.failed) return []
      const parts: Part[] = []
      finish(state, parts)
      return parts
    },
  }
}

/** A frame holds one chunk; some servers send errors as a list. */
function chunksOf(frame: Frame): (Json | undefined)[] {
  const data = frame.data.trim()
  if (data === '' || data === '[DONE]') return []
  const value = parse(data)
  return Array.isArray(value) ? objects(value) : [isObject(value) ? value : undefined]
}

function readChunk(chunk: Json | undefined, state: State, parts: Part[]): void {
  const error = chunk ? errorIn(chunk) : { kind: 'upstream' as const, message: 'The upstream sent a frame that is not JSON.' }
  if (!chunk || error) {
    if (error) fail(state, parts, error)
    return
  }
  const context = start(chunk, state, parts)
  if (isObject(chunk['promptFeedback'])) state.blocked ??= readBlocked(chunk['promptFeedback'])
  for (const [index, candidate] of objects(chunk['candidates']).entries()) {
    readCandidate(candidate, candidateOf(number(candidate['index']) ?? index, state), context, state, parts)
  }
  const usage = readUsage(chunk['usageMetadata'])
  if (usage) parts.push({ type: 'usage', usage: state.searches === undefined ? usage : { ...usage, webSearches: state.searches } })
}

function errorIn(chunk: Json): UpstreamError | undefined {
  return chunk['error'] === undefined || chunk['error'] === null ? undefined : readError(0, chunk)
}

function fail(state: State, parts: Part[], error: UpstreamError): void {
  state.failed = true
  parts.push({ type: 'error', error })
}

function start(chunk: Json, state: State, parts: Part[]): AnswerContext {
  if (state.context) return state.context
  const context = answerContext(state.origin, text(chunk['responseId']))
  state.context = context
  const side = sideOf(unknownFields(chunk, ANSWER))
  parts.push({ type: 'start', ...identityOf(chunk), ...(side && { side }) })
  return context
}

function candidateOf(index: number, state: State): Candidate {
  const known = state.candidates.get(index)
  if (known) return known
  const made: Candidate = {
    ...{ number: index, next: 0, open: undefined, call: undefined, calls: false, reason: undefined, message: undefined },
    ...{ side: {}, passages: [], groundingChunks: [] },
  }
  state.candidates.set(index, made)
  return made
}

function readCandidate(source: Json, candidate: Candidate, context: AnswerContext, state: State, parts: Part[]): void {
  const content = isObject(source['content']) ? source['content'] : {}
  for (const part of objects(content['parts'])) readPart(part, candidate, context, parts)
  const tokens = readLogprobs(source['logprobsResult'])
  if (tokens) parts.push(choose(candidate, { type: 'logprobs', tokens }))
  candidate.reason = reasonName(source['finishReason']) ?? candidate.reason
  candidate.message = source['finishMessage'] ?? candidate.message
  Object.assign(candidate.side, unknownFields(source, CANDIDATE))
  if (source['groundingMetadata'] !== undefined || source['citationMetadata'] !== undefined) {
    state.searches = searchesOf(source['groundingMetadata']) ?? state.searches
    cite(source, candidate, parts)
  }
}

/** The choice is named where it is not the first. */
function choose<P extends Part>(candidate: Candidate, part: P): P {
  return candidate.number === 0 ? part : { ...part, choice: candidate.number }
}

function readPart(part: Json, candidate: Candidate, context: AnswerContext, parts: Part[]): void {
  const call = isObject(part['functionCall']) ? part['functionCall'] : undefined
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

function addText(block: Extract<Block, { type: 'text' | 'reasoning' }>, candidate: Candidate, parts: Part[]): void {
  const before = candidate.open
  const late = isLateSignature(block, before?.type, before?.signed ?? false)
  if (!late && (before?.type !== block.type || before.signed || block.side)) openText(block, candidate, parts)
  const { open } = candidate
  if (!open) return
  const delta: Delta = {}
  if (block.text !== '') delta.text = block.text
  if (block.signature) delta.signature = block.signature
  open.signed ||= block.signature !== undefined
  parts.push(choose(candidate, { type: 'block-delta', index: open.index, delta }))
  const passage = candidate.passages.at(-1)
  if (passage && open.type === 'text') passage.text += block.text
}

function openText(block: Extract<Block, { type: 'text' | 'reasoning' }>, candidate: Candidate, parts: Part[]): void {
  closeText(candidate, parts)
  const index = candidate.next++
  candidate.open = { index, type: block.type, signed: false }
  if (block.type === 'text') candidate.passages.push({ key: index, text: '' })
  const empty: Block = { type: block.type, text: '', ...(block.side && { side: block.side }) }
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
    candidate.call = { part, args: isObject(call['args']) ? { ...call['args'] } : {}, size: 0 }
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
  const { partialArgs: _, willContinue: __, ...call } = isObject(open.part['functionCall']) ? open.part['functionCall'] : {}
  const block = readAnswerPart({ ...open.part, functionCall: { ...call, args: open.args } }, context)
  if (block) addWhole(block, candidate, parts)
}

/** Citations of the text block that is still open; its metadata as a whole is in the side-channel of the end. */
function cite(source: Json, candidate: Candidate, parts: Part[]): void {
  const grounding = isObject(source['groundingMetadata']) ? source['groundingMetadata'] : undefined
  if (grounding) candidate.groundingChunks.push(...objects(grounding['groundingChunks']))
  const known = grounding ? { ...source, groundingMetadata: { ...grounding, groundingChunks: candidate.groundingChunks } } : source
  const { open } = candidate
  if (open?.type !== 'text') return
  const citations = readCitations(known, candidate.passages)
    .filter((placed) => placed.key === open.index)
    .map((placed) => placed.citation)
  if (citations.length > 0) parts.push(choose(candidate, { type: 'block-delta', index: open.index, delta: { citations } }))
}

const CUT: UpstreamError = { kind: 'cut', message: 'The upstream ended its stream before the answer was complete.' }

function finish(state: State, parts: Part[]): void {
  const candidates = [...state.candidates.values()]
  for (const candidate of candidates) {
    closeText(candidate, parts)
    if (state.context) closeCall(candidate, state.context, parts)
  }
  const error = failureOf(candidates, state.blocked)
  if (error) fail(state, parts, error)
  else if (candidates.length === 0 && state.blocked) parts.push({ type: 'finish', finish: state.blocked })
  else for (const candidate of candidates) parts.push(finishPart(candidate, state.blocked))
}

/** Why the answer is none, if it is none. */
function failureOf(candidates: readonly Candidate[], blocked: Finish | undefined): UpstreamError | undefined {
  if (!blocked && (candidates.length === 0 || candidates.some((candidate) => candidate.reason === undefined))) return CUT
  const failed = candidates.find(({ reason, next }) => reason !== undefined && isFailure(reason) && next === 0)
  if (!failed) return undefined
  return { kind: 'upstream', message: text(failed.message) ?? `The upstream ended without an answer (${failed.reason}).` }
}

function finishPart(candidate: Candidate, blocked: Finish | undefined): Part {
  const { reason } = candidate
  const end: Finish = reason === undefined ? (blocked ?? { reason: 'stop' }) : readFinish(reason, candidate.message, candidate.calls)
  if (end.detail !== undefined) delete candidate.side['finishMessage']
  const side = sideOf(candidate.side)
  return choose(candidate, { type: 'finish', finish: end, ...(side && { side }) })
}
