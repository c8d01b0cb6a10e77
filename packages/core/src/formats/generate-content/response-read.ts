import { argumentsText } from '../../canonical/arguments.ts'
import type { Block, MediaBlock, ReasoningBlock, Signature, TextBlock, ToolCallBlock } from '../../canonical/block.ts'
import { unseal, unsealThought } from '../../canonical/envelope.ts'
import { seenIn } from '../../canonical/finish.ts'
import type { Origin } from '../../canonical/format.ts'
import { compact, isObject, type Json, number, object, objects, text } from '../../canonical/json.ts'
import type { ChatResponse, Choice, Finish } from '../../canonical/response.ts'
import { failure } from '../../canonical/stream-failure.ts'
import { extensionsOf, keepExtensions, unknownFields } from '../../canonical/vendor-extensions.ts'
import { HeadgateError, type UpstreamError } from '../../errors.ts'
import { type CitableText, readCitations } from './citations.ts'
import { readError } from './error.ts'
import { isFailure, readBlocked, readFinish, reasonName } from './finish.ts'
import { HOSTED_PARTS, type HostedIds, hostedIds, readHosted } from './hosted.ts'
import { readLogprobs } from './logprobs.ts'
import { readMedia } from './media-read.ts'
import { readUsage, searchesOf } from './usage.ts'
import { ID, SIGNER } from './wire.ts'

/** Fields of a response, a candidate and usage that the canonical model covers. */
export const ANSWER: ReadonlySet<string> = new Set([
  'candidates',
  'usageMetadata',
  'modelVersion',
  'responseId',
  'createTime',
])
export const CANDIDATE: ReadonlySet<string> = new Set(['index', 'content', 'finishReason', 'logprobsResult'])
export const USAGE: ReadonlySet<string> = new Set([
  ...['promptTokenCount', 'cachedContentTokenCount', 'candidatesTokenCount', 'thoughtsTokenCount', 'totalTokenCount'],
  ...['toolUsePromptTokenCount', 'toolUsePromptTokensDetails'],
])

/** True if a body has a candidate, or the reason for its absence. */
export function isResponse(body: Json): boolean {
  return objects(body['candidates']).length > 0 || isObject(body['promptFeedback'])
}

/**
 * Reads a whole response.
 * @throws HeadgateError if it is an error, or has no content.
 */
export function readResponse(body: Json, origin?: Origin): ChatResponse {
  if (body['error'] !== undefined && body['candidates'] === undefined) throw failure(readError(0, body))
  const context = responseContext(origin, text(body['responseId']))
  const metadata = object(body['usageMetadata'])
  const fields = unknownFields(body, ANSWER)
  return compact<ChatResponse>({
    choices: readChoices(body, context),
    ...readHead(body),
    usage: withSearches(readUsage(metadata), objects(body['candidates'])),
    extensions: extensionsOf(ID, metadata ? unknownFields(metadata, USAGE, fields, 'usageMetadata.') : fields),
  })
}

function withSearches(usage: ChatResponse['usage'], candidates: readonly Json[]): ChatResponse['usage'] {
  const counts = candidates.map((candidate) => searchesOf(candidate['groundingMetadata']))
  const searches = counts.find((count) => count !== undefined)
  return usage && searches !== undefined ? { ...usage, units: { searches } } : usage
}

/** Id, model and time of a response. */
export function readHead(body: Json): { id?: string; model?: string; created?: number } {
  const created = number(Date.parse(text(body['createTime']) ?? ''))
  return compact<{ id?: string; model?: string; created?: number }>({
    id: text(body['responseId']) || undefined,
    model: text(body['modelVersion']) || undefined,
    created: created === undefined ? undefined : Math.floor(created / 1000),
  })
}

function readChoices(body: Json, context: ResponseContext): Choice[] {
  const candidates = objects(body['candidates'])
  if (candidates.length > 0) {
    const numbered = candidates.map((candidate, index) => ({
      candidate,
      index,
      number: number(candidate['index']) ?? index,
    }))
    numbered.sort((a, b) => a.number - b.number)
    return numbered.map(({ candidate, index }) => readCandidate(candidate, `candidates[${index}]`, context))
  }
  const finish = isObject(body['promptFeedback']) ? readBlocked(body['promptFeedback']) : undefined
  if (!finish) throw new HeadgateError('upstream', 'The provider sent a response without candidates.')
  return [{ at: 'promptFeedback', blocks: [], finish }]
}

function readCandidate(candidate: Json, at: string, context: ResponseContext): Choice {
  const { blocks, passages } = readParts(
    objects(object(candidate['content'])?.['parts']),
    `${at}.content.parts`,
    context,
  )
  const name = reasonName(candidate['finishReason'])
  const message = candidate['finishMessage']
  if (name !== undefined && isFailure(name) && blocks.length === 0) throw failure(failedCandidate(name, message))
  cite(blocks, candidate, passages)
  const seen = seenIn(blocks)
  const finish: Finish =
    name === undefined ? { reason: seen.calls ? 'tool-calls' : 'stop' } : readFinish(name, message, seen.calls)
  const logprobs = readLogprobs(candidate['logprobsResult'])
  const choice: Choice = { at, blocks, finish, ...(logprobs && { logprobs }) }
  return keepExtensions(
    choice,
    ID,
    unknownFields(candidate, finish.detail === undefined ? CANDIDATE : CANDIDATE_AND_MESSAGE),
  )
}

/** Known fields with the message, which becomes the detail of the finish. */
const CANDIDATE_AND_MESSAGE: ReadonlySet<string> = new Set([...CANDIDATE, 'finishMessage'])

/** Error for a response that ended with a failure and without content. */
export function failedCandidate(reason: string, message: unknown): UpstreamError {
  return { kind: 'upstream', message: text(message) ?? `The provider ended the response without content (${reason}).` }
}

function readParts(
  parts: readonly Json[],
  at: string,
  context: ResponseContext,
): { blocks: Block[]; passages: CitableText[] } {
  const blocks: Block[] = []
  const passages: CitableText[] = []
  for (const [index, part] of parts.entries()) {
    const block = readResponsePart(part, context)
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

function cite(blocks: readonly Block[], candidate: Json, passages: readonly CitableText[]): void {
  for (const { key, citation } of readCitations(candidate, passages)) {
    const block = blocks[key]
    if (block?.type !== 'text') continue
    block.citations ??= []
    block.citations.push(citation)
  }
}

/** State for reading the parts of a response. */
export interface ResponseContext {
  readonly signer: string
  readonly hosted: HostedIds
  /** Returns an id for a call without an id, unique across responses. */
  readonly nextId: () => string
}

export function responseContext(origin: Origin | undefined, responseId: string | undefined): ResponseContext {
  const base = responseId?.replace(/[^A-Za-z0-9_-]/g, '').slice(0, 28) || randomId()
  let count = 0
  return { signer: origin?.signer ?? SIGNER, hosted: hostedIds(), nextId: () => `call_${base}_${count++}` }
}

function randomId(): string {
  return [...crypto.getRandomValues(new Uint8Array(10))].map((byte) => byte.toString(16).padStart(2, '0')).join('')
}

const PART: ReadonlySet<string> = new Set([
  'text',
  'thought',
  'thoughtSignature',
  'inlineData',
  'fileData',
  'functionCall',
])
const CALL: ReadonlySet<string> = new Set(['id', 'name', 'args'])

/** Block of a part in a response. Undefined for an empty part. */
export function readResponsePart(part: Json, context: ResponseContext): Block | undefined {
  const call = object(part['functionCall'])
  if (call) return readCall(part, call, context)
  if (part['inlineData'] !== undefined || part['fileData'] !== undefined) return readResponseMedia(part, context)
  const hosted = HOSTED_PARTS.find((kind) => part[kind] !== undefined)
  if (hosted) return readHosted(part, hosted, context.nextId(), context.hosted)
  const value = text(part['text']) ?? ''
  const sealed = unsealThought(text(part['thoughtSignature']) ?? '', context.signer)
  if (value === '' && !sealed) return undefined
  const block: TextBlock | ReasoningBlock =
    part['thought'] === true ? { type: 'reasoning', text: value, ...sealed } : { type: 'text', text: value }
  if (sealed) block.signature = sealed.signature
  return keepExtensions(block, ID, unknownFields(part, PART))
}

/** Signature of a part, by the provider's signer. */
function signatureOf(part: Json, { signer }: ResponseContext): Signature | undefined {
  const value = text(part['thoughtSignature'])
  return value === undefined ? undefined : unseal(value, signer)
}

function readCall(part: Json, call: Json, context: ResponseContext): ToolCallBlock | undefined {
  const name = text(call['name'])
  if (!name) return undefined
  const signature = signatureOf(part, context)
  const id = text(call['id']) || context.nextId()
  const block: ToolCallBlock = {
    type: 'tool-call',
    id,
    name,
    arguments: argumentsText(call['args'] ?? {}),
    ...(signature && { signature }),
  }
  return keepExtensions(block, ID, unknownFields(call, CALL, unknownFields(part, PART), 'functionCall.'))
}

/** Reads media. Only `thought` distinguishes images of the reasoning from images of the response. */
function readResponseMedia(part: Json, context: ResponseContext): MediaBlock | undefined {
  const media = readMedia(part)
  if (!media) return undefined
  const signature = signatureOf(part, context)
  const fields = unknownFields(part, PART, media.extensions?.fields)
  return keepExtensions(
    { ...media, ...(signature && { signature }) },
    ID,
    part['thought'] === true ? { ...fields, thought: true } : fields,
  )
}

/**
 * True for a block with only a signature for the previous block. The vendor sends the signature of streamed text or
 * reasoning in an empty part.
 */
export function isLateSignature(
  block: Block,
  before: Block['type'] | undefined,
  beforeSigned: boolean,
): block is Block & { signature: Signature } {
  if ((block.type !== 'text' && block.type !== 'reasoning') || block.text !== '' || !block.signature || beforeSigned)
    return false
  if (block.type === 'reasoning' && block.redacted) return false
  return before === 'reasoning' || (before === 'text' && block.type === 'text')
}
