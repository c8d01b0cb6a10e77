import { argumentsObject } from '../../canonical/arguments.ts'
import { type Block, isOwnSearch, type Node, type Signature } from '../../canonical/block.ts'
import { seal } from '../../canonical/envelope.ts'
import { loseEnd } from '../../canonical/finish.ts'
import type { Reply } from '../../canonical/format.ts'
import type { Json } from '../../canonical/json.ts'
import { dropped, type Loss } from '../../canonical/loss.ts'
import type { ChatResponse, Choice, Finish } from '../../canonical/response.ts'
import { writable } from '../../canonical/usage.ts'
import { isOwn, ownFields, writeExtensions } from '../../canonical/vendor-extensions.ts'
import { queriesOf, writeGrounding } from './citations.ts'
import { finishWord } from './finish.ts'
import { writeLogprobs } from './logprobs.ts'
import { isGoogleFile } from './media-read.ts'
import { writeMedia } from './media-write.ts'
import { writeUsage } from './usage.ts'
import { ID, SIGNER } from './wire.ts'

/** Writes a whole response. */
export function writeResponse(response: ChatResponse, reply: Reply, losses: Loss[]): Json {
  const body: Json = {}
  const blocked = isBlockedPrompt(response)
  if (!blocked) body['candidates'] = response.choices.map((choice, index) => writeCandidate(choice, index, losses))
  const usage = writable(response.usage, losses)
  if (usage) body['usageMetadata'] = writeUsage(usage, losses)
  Object.assign(body, writeHead(response, reply))
  writeExtensions(response, ID, body, losses)
  return body
}

/** True for a response with feedback instead of candidates, since the prompt was blocked. */
function isBlockedPrompt(response: ChatResponse): boolean {
  const feedback = ownFields(response, ID)?.['promptFeedback']
  return feedback !== undefined && response.choices.every((choice) => choice.at === 'promptFeedback')
}

/** Id, model and time of a response. Invalid times are left out. */
export function writeHead(from: { id?: string; model?: string; created?: number }, reply: Reply): Json {
  const out: Json = { modelVersion: from.model ?? reply.model, responseId: from.id ?? reply.id }
  const time = from.created === undefined ? undefined : new Date(from.created * 1000)
  if (time && !Number.isNaN(time.getTime())) out['createTime'] = time.toISOString()
  return out
}

function writeCandidate(choice: Choice, index: number, losses: Loss[]): Json {
  const written = choice.blocks.flatMap((block) => {
    const part = writeResponsePart(block, losses)
    return part ? [{ block, part }] : []
  })
  const refused = choice.blocks.some((block) => block.type === 'refusal')
  const candidate: Json = {
    content: { role: 'model', parts: written.map(({ part }) => part) },
    ...writeEnd(choice.finish, refused, choice, losses),
    index,
  }
  const cited = written.flatMap(({ block }, part) =>
    block.type === 'text' && block.citations ? [{ ...block, part, citations: block.citations }] : [],
  )
  const grounding = isOwn(choice, ID) ? undefined : writeGrounding(cited, queriesOf(choice.blocks), losses)
  if (grounding) candidate['groundingMetadata'] = grounding
  if (choice.logprobs) candidate['logprobsResult'] = writeLogprobs(choice.logprobs)
  writeExtensions(choice, ID, candidate, losses)
  return candidate
}

/** Finish of a candidate. */
export function writeEnd(finish: Finish, refused: boolean, node: Node, losses: Loss[]): Json {
  loseEnd(finish, node, losses)
  const reason = refused && finish.reason === 'stop' ? 'content-filter' : finish.reason
  return {
    finishReason: finishWord({ ...finish, reason }),
    ...(finish.detail !== undefined && { finishMessage: finish.detail }),
  }
}

/**
 * Signature of a block. The vendor's schema requires bytes, so signatures of other models are sealed as base64. The
 * envelope also marks encrypted reasoning, which the format does not have.
 */
export function sealed(signature: Signature, block: Block): string {
  return seal(signature, SIGNER, 'base64', block.type === 'reasoning' && block.redacted)
}

/** Part for a block of a response. Undefined for an empty or unsupported block. */
export function writeResponsePart(block: Block, losses: Loss[]): Json | undefined {
  const part = bare(block, losses)
  if (!part) {
    if (block.type === 'reasoning' || block.type === 'text') writeExtensions(block, ID, {}, losses)
    return undefined
  }
  if ('signature' in block && block.signature) part['thoughtSignature'] = sealed(block.signature, block)
  if (block.type !== 'hosted-call' && block.type !== 'hosted-result') writeExtensions(block, ID, part, losses)
  return part
}

function bare(block: Block, losses: Loss[]): Json | undefined {
  switch (block.type) {
    case 'text':
      return block.text === '' && !block.signature ? undefined : { text: block.text }
    case 'reasoning':
      return block.text === '' && !block.signature ? undefined : { text: block.text, thought: true }
    case 'refusal':
      return block.text === '' ? undefined : { text: block.text }
    case 'tool-call':
      return { functionCall: { id: block.id, name: block.name, args: argumentsObject(block, losses) } }
    case 'media':
      if (block.source.type === 'file' && !isGoogleFile(block.source.id)) break
      return writeMedia(block, undefined, losses)
    case 'hosted-call':
    case 'hosted-result': {
      if (isOwnSearch(block)) return undefined
      const own = ownFields(block, ID)
      if (own) return { ...own }
    }
  }
  dropped(
    losses,
    block.at ?? block.type,
    block.type === 'media' ? 'a file at another provider' : 'a hosted tool of another provider',
  )
  return undefined
}
