import type { Block } from '../../chat/block.ts'
import type { Origin, Reply } from '../../chat/format.ts'
import { isObject, type Json, number, objects, text } from '../../chat/json.ts'
import { changed, dropped, type Loss, under } from '../../chat/loss.ts'
import type { ChatResponse, Choice, Finish } from '../../chat/response.ts'
import { HeadgateError } from '../../errors.ts'
import { type AnswerContext, answerContext, isLateSignature, readAnswerPart } from './answer-parts.ts'
import { writeAnswerPart } from './answer-parts-write.ts'
import { readError } from './error.ts'
import { finishWord, isFailure, readBlocked, readFinish, reasonName } from './finish.ts'
import { type Passage, readCitations, writeGrounding } from './grounding.ts'
import { readLogprobs, writeLogprobs } from './logprobs.ts'
import { isOwn, restoreSide, sideOf, unknownFields } from './side.ts'
import { readUsage, searchesOf, writeUsage } from './usage.ts'

/** Fields of an answer, of a candidate and of usage that have a place in the canonical model. */
export const ANSWER: ReadonlySet<string> = new Set(['candidates', 'usageMetadata', 'modelVersion', 'responseId', 'createTime'])
export const CANDIDATE: ReadonlySet<string> = new Set(['index', 'content', 'finishReason', 'logprobsResult'])
const USAGE: ReadonlySet<string> = new Set([
  ...['promptTokenCount', 'cachedContentTokenCount', 'candidatesTokenCount', 'thoughtsTokenCount', 'totalTokenCount'],
  ...['toolUsePromptTokenCount', 'toolUsePromptTokensDetails'],
])

/**
 * A whole answer.
 * @throws HeadgateError when it is an error, or holds no answer.
 */
export function readResponse(body: Json, origin?: Origin): ChatResponse {
  if (body['error'] !== undefined && body['candidates'] === undefined) {
    const { kind, message, retryAfterMs } = readError(0, body)
    throw new HeadgateError(kind, message, { retryAfterMs })
  }
  const context = answerContext(origin, text(body['responseId']))
  const response: ChatResponse = { choices: readChoices(body, context), ...identityOf(body) }
  const usage = readUsage(body['usageMetadata'])
  const searches = objects(body['candidates']).map((candidate) => searchesOf(candidate['groundingMetadata']))
  const webSearches = searches.find((count) => count !== undefined)
  if (usage) response.usage = webSearches === undefined ? usage : { ...usage, webSearches }
  const side = sideOf(
    unknownFields(body, ANSWER),
    isObject(body['usageMetadata']) ? unknownFields(body['usageMetadata'], USAGE, 'usageMetadata.') : undefined,
  )
  if (side) response.side = side
  return response
}

/** Who answered, and when. */
export function identityOf(body: Json): { id?: string; model?: string; created?: number } {
  const id = text(body['responseId'])
  const model = text(body['modelVersion'])
  const created = Date.parse(text(body['createTime']) ?? '')
  return {
    ...(id && { id }),
    ...(model && { model }),
    ...(Number.isFinite(created) && { created: Math.floor(created / 1000) }),
  }
}

function readChoices(body: Json, context: AnswerContext): Choice[] {
  const candidates = objects(body['candidates'])
  if (candidates.length > 0) {
    const numbered = candidates.map((candidate, index) => ({ candidate, index, number: number(candidate['index']) ?? index }))
    numbered.sort((a, b) => a.number - b.number)
    return numbered.map(({ candidate, index }) => readCandidate(candidate, `candidates[${index}]`, context))
  }
  const finish = isObject(body['promptFeedback']) ? readBlocked(body['promptFeedback']) : undefined
  if (!finish) throw new HeadgateError('upstream', 'The upstream answered without a candidate.')
  return [{ at: 'promptFeedback', blocks: [], finish }]
}

function readCandidate(candidate: Json, at: string, context: AnswerContext): Choice {
  const content = isObject(candidate['content']) ? candidate['content'] : {}
  const { blocks, passages } = readBlocks(objects(content['parts']), `${at}.content.parts`, context)
  const name = reasonName(candidate['finishReason'])
  if (name !== undefined && isFailure(name) && blocks.length === 0) {
    throw new HeadgateError('upstream', text(candidate['finishMessage']) ?? `The upstream ended without an answer (${name}).`)
  }
  cite(blocks, candidate, passages)
  const calls = blocks.some((block) => block.type === 'tool-call')
  const finish: Finish =
    name === undefined ? { reason: calls ? 'tool-calls' : 'stop' } : readFinish(name, candidate['finishMessage'], calls)
  const logprobs = readLogprobs(candidate['logprobsResult'])
  const side = candidateSide(candidate, finish)
  return { at, blocks, finish, ...(logprobs && { logprobs }), ...(side && { side }) }
}

function candidateSide(candidate: Json, finish: Finish): Choice['side'] {
  const fields = unknownFields(candidate, CANDIDATE)
  if (fields && finish.detail !== undefined) delete fields['finishMessage']
  return sideOf(fields)
}

function readBlocks(parts: readonly Json[], at: string, context: AnswerContext): { blocks: Block[]; passages: Passage[] } {
  const blocks: Block[] = []
  const passages: Passage[] = []
  for (const [index, part] of parts.entries()) {
    const block = readAnswerPart(part, context)
    if (!block) continue
    const before = blocks.at(-1)
    if (before && isLateSignature(block, before.type, 'signature' in before)) {
      blocks[blocks.length - 1] = { ...before, signature: block.signature } as Block
      continue
    }
    if (block.type === 'text') passages.push({ key: blocks.length, part: index, text: block.text })
    blocks.push({ ...block, at: `${at}[${index}]` })
  }
  return { blocks, passages }
}

function cite(blocks: Block[], candidate: Json, passages: readonly Passage[]): void {
  for (const { key, citation } of readCitations(candidate, passages)) {
    const block = blocks[key]
    if (block?.type === 'text') block.citations = [...(block.citations ?? []), citation]
  }
}

/** A whole answer on the wire. */
export function writeResponse(response: ChatResponse, reply: Reply, losses: Loss[]): Json {
  const body: Json = {}
  const blocked = isBlockedPrompt(response)
  if (!blocked) body['candidates'] = response.choices.map((choice, index) => writeCandidate(choice, index, losses))
  if (response.usage) body['usageMetadata'] = writeUsage(response.usage, losses)
  Object.assign(body, writeIdentity(response, reply))
  restoreSide(response, body, losses)
  return body
}

/** A prompt that was blocked has feedback in place of candidates. */
function isBlockedPrompt(response: ChatResponse): boolean {
  return (
    isOwn(response) &&
    response.side?.fields['promptFeedback'] !== undefined &&
    response.choices.every((choice) => choice.at === 'promptFeedback')
  )
}

/** The fields that say who answered, and when. */
export function writeIdentity(from: { id?: string; model?: string; created?: number }, reply: Reply): Json {
  return {
    modelVersion: from.model ?? reply.model,
    responseId: from.id ?? reply.id,
    ...(from.created !== undefined && { createTime: new Date(from.created * 1000).toISOString() }),
  }
}

function writeCandidate(choice: Choice, index: number, losses: Loss[]): Json {
  const written = choice.blocks.flatMap((block) => {
    const part = writeAnswerPart(block, losses)
    return part ? [{ block, part }] : []
  })
  const refused = choice.blocks.some((block) => block.type === 'refusal')
  const candidate: Json = {
    content: { role: 'model', parts: written.map(({ part }) => part) },
    ...writeEnd(choice.finish, refused, choice, losses),
    index,
  }
  const cited = written.flatMap(({ block }, part) =>
    block.type === 'text' && block.citations ? [{ part, text: block.text, citations: block.citations, at: block.at }] : [],
  )
  const grounding = isOwn(choice) ? undefined : writeGrounding(cited, losses)
  if (grounding) candidate['groundingMetadata'] = grounding
  if (choice.logprobs) candidate['logprobsResult'] = writeLogprobs(choice.logprobs)
  restoreSide(choice, candidate, losses)
  return candidate
}

/** Why a candidate ended. */
export function writeEnd(finish: Finish, refused: boolean, node: { at?: string }, losses: Loss[]): Json {
  if (finish.sequence !== undefined) dropped(losses, under(node, 'stop_sequence'), 'the stop sequence is not named')
  if (finish.reason === 'pause') changed(losses, under(node, 'stop_reason'), 'a paused turn looks finished')
  const reason = refused && finish.reason === 'stop' ? 'content-filter' : finish.reason
  return {
    finishReason: finishWord({ ...finish, reason }),
    ...(finish.detail !== undefined && { finishMessage: finish.detail }),
  }
}
