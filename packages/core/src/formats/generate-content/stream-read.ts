import { parseExact } from '../../canonical/exact.ts'
import type { Frame, Origin, StreamReader } from '../../canonical/format.ts'
import { isObject, type Json, number, object, objects, text } from '../../canonical/json.ts'
import type { Part } from '../../canonical/part.ts'
import type { Finish } from '../../canonical/response.ts'
import { BROKEN, CUT } from '../../canonical/stream-failure.ts'
import { extensionsOf, laterExtensions, unknownFields } from '../../canonical/vendor-extensions.ts'
import type { UpstreamError } from '../../errors.ts'
import { type CandidateState, closeCandidate, finishCandidate, readCandidate, startCandidate } from './choice-read.ts'
import { readError } from './error.ts'
import { isFailure, readBlocked } from './finish.ts'
import { ANSWER, failedCandidate, type ResponseContext, readHead, responseContext, USAGE } from './response-read.ts'
import { readUsage, searchesOf } from './usage.ts'
import { ID } from './wire.ts'

/**
 * Reads a stream of partial responses. Finish reasons are held until the end, since old servers send one with every
 * chunk. A stream without a finish reason was cut.
 */
export function readStream(origin?: Origin): StreamReader {
  const candidates = new Map<number, CandidateState>()
  let context: ResponseContext | undefined
  let blocked: Finish | undefined
  let searches: number | undefined
  /** Unknown fields of the first chunk, and of later chunks. */
  let first: Json | undefined
  let later: Json | undefined
  let over = false

  const fail = (error: UpstreamError, parts: Part[]): void => {
    over = true
    parts.push({ type: 'error', error })
  }

  const start = (chunk: Json, parts: Part[]): ResponseContext => {
    first = unknownFields(chunk, ANSWER)
    const extensions = extensionsOf(ID, first)
    parts.push({ type: 'start', ...readHead(chunk), ...(extensions && { extensions }) })
    return responseContext(origin, text(chunk['responseId']))
  }

  const candidateAt = (number: number): CandidateState => {
    const known = candidates.get(number)
    if (known) return known
    const made = startCandidate(number)
    candidates.set(number, made)
    return made
  }

  const read = (chunk: Json, parts: Part[]): void => {
    if (context) later = unknownFields(chunk, ANSWER, later)
    context ??= start(chunk, parts)
    if (isObject(chunk['promptFeedback'])) blocked ??= readBlocked(chunk['promptFeedback'])
    for (const [index, source] of objects(chunk['candidates']).entries()) {
      readCandidate(source, candidateAt(number(source['index']) ?? index), context, parts)
      searches = searchesOf(source['groundingMetadata']) ?? searches
    }
    const metadata = object(chunk['usageMetadata'])
    if (metadata) later = unknownFields(metadata, USAGE, later, 'usageMetadata.')
    const usage = readUsage(metadata)
    if (usage) parts.push({ type: 'usage', usage: searches === undefined ? usage : { ...usage, units: { searches } } })
  }

  const finish = (parts: Part[]): void => {
    const all = [...candidates.values()]
    for (const candidate of all) closeCandidate(candidate, context, parts)
    const rest = laterExtensions(ID, first, later)
    if (rest) parts.push({ type: 'rest', extensions: rest })
    const error = failureOf(all, blocked)
    if (error) fail(error, parts)
    else if (all.length === 0 && blocked) parts.push({ type: 'finish', finish: blocked })
    else for (const candidate of all) parts.push(finishCandidate(candidate, blocked))
  }

  return {
    get finishing() {
      return hasReasons([...candidates.values()], blocked)
    },
    push(frame) {
      const parts: Part[] = []
      for (const chunk of chunksOf(frame)) {
        if (over) break
        const error = chunk ? errorIn(chunk) : BROKEN
        if (error) fail(error, parts)
        else if (chunk) read(chunk, parts)
      }
      return parts
    },
    end() {
      const parts: Part[] = []
      if (!over) finish(parts)
      return parts
    },
  }
}

/** Chunks of a frame. Some servers send errors as a list. */
function chunksOf(frame: Frame): (Json | undefined)[] {
  const data = frame.data.trim()
  if (data === '' || data === '[DONE]') return []
  const value = parseExact(data, 'rgs"')
  return Array.isArray(value) ? objects(value) : [isObject(value) ? value : undefined]
}

/** Error in a chunk. */
export function errorIn(chunk: Json): UpstreamError | undefined {
  return chunk['error'] === undefined || chunk['error'] === null ? undefined : readError(0, chunk)
}

/** True if all candidates have a finish reason. */
function hasReasons(candidates: readonly CandidateState[], blocked: Finish | undefined): boolean {
  return blocked !== undefined || (candidates.length > 0 && candidates.every(({ reason }) => reason !== undefined))
}

/** Error for a stream without a valid response. */
function failureOf(candidates: readonly CandidateState[], blocked: Finish | undefined): UpstreamError | undefined {
  if (!hasReasons(candidates, blocked)) return CUT
  const failed = candidates.find(({ reason, next }) => reason !== undefined && isFailure(reason) && next === 0)
  return failed && failedCandidate(failed.reason ?? '', failed.message)
}
