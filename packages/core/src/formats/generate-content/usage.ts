import { compact, isObject, type Json, object, objects, text } from '../../canonical/json.ts'
import { dropped, type Loss } from '../../canonical/loss.ts'
import { count, tierOf, type Usage } from '../../canonical/usage.ts'

/**
 * Usage. Undefined while nothing is counted: Vertex AI streams the traffic type first.
 * @see https://ai.google.dev/api/generate-content#UsageMetadata
 */
export function readUsage(metadata: unknown): Usage | undefined {
  if (!isObject(metadata)) return undefined
  const prompt = count(metadata['promptTokenCount'])
  const candidates = count(metadata['candidatesTokenCount'])
  const total = count(metadata['totalTokenCount'])
  if (prompt === undefined && candidates === undefined && total === undefined) return undefined
  const thoughts = count(metadata['thoughtsTokenCount'])
  const input = (prompt ?? 0) + (count(metadata['toolUsePromptTokenCount']) ?? 0)
  return compact<Usage>({
    input,
    output: outputOf(input, candidates ?? 0, thoughts ?? 0, total),
    cacheRead: count(metadata['cachedContentTokenCount']),
    reasoning: thoughts,
    audioInput: countOf('AUDIO', metadata['promptTokensDetails']),
    audioCached: countOf('AUDIO', metadata['cacheTokensDetails']),
    audioOutput: countOf('AUDIO', metadata['candidatesTokensDetails']),
    imageInput: countOf('IMAGE', metadata['promptTokensDetails']),
    imageOutput: countOf('IMAGE', metadata['candidatesTokensDetails']),
    tier: tierIn(metadata),
  })
}

/**
 * Service tier. The Gemini API reports the tier, Vertex AI the traffic type: `ON_DEMAND`, `ON_DEMAND_FLEX`,
 * `PROVISIONED_THROUGHPUT`.
 */
function tierIn(metadata: Json): string | undefined {
  const traffic = text(metadata['trafficType'])
  return tierOf(metadata['serviceTier'] ?? traffic?.replace(/^(ON_DEMAND_?|TRAFFIC_TYPE_)/, ''))
}

/** Output tokens. Some models include reasoning in the candidates' tokens, which the total reveals. */
function outputOf(input: number, candidates: number, thoughts: number, total: number | undefined): number {
  const inclusive = thoughts > 0 && candidates >= thoughts && total === input + candidates
  return inclusive ? candidates : candidates + thoughts
}

function countOf(modality: string, details: unknown): number | undefined {
  return count(objects(details).find((detail) => text(detail['modality'])?.toUpperCase() === modality)?.['tokenCount'])
}

function detailsOf(audio: number | undefined, image: number | undefined): Json[] | undefined {
  const out: Json[] = []
  if (audio !== undefined) out.push({ modality: 'AUDIO', tokenCount: audio })
  if (image !== undefined) out.push({ modality: 'IMAGE', tokenCount: image })
  return out.length > 0 ? out : undefined
}

/** Number of searches for a response. */
export function searchesOf(grounding: unknown): number | undefined {
  const queries = object(grounding)?.['webSearchQueries']
  return Array.isArray(queries) ? queries.length : undefined
}

export function writeUsage(usage: Usage, losses: Loss[]): Json {
  const out: Json = { promptTokenCount: usage.input }
  if (usage.cacheRead !== undefined) out['cachedContentTokenCount'] = usage.cacheRead
  out['candidatesTokenCount'] = Math.max(0, usage.output - (usage.reasoning ?? 0))
  if (usage.reasoning !== undefined) out['thoughtsTokenCount'] = usage.reasoning
  out['totalTokenCount'] = usage.input + usage.output
  const details = {
    promptTokensDetails: detailsOf(usage.audioInput, usage.imageInput),
    cacheTokensDetails: detailsOf(usage.audioCached, undefined),
    candidatesTokensDetails: detailsOf(usage.audioOutput, usage.imageOutput),
  }
  Object.assign(out, compact<Json>(details))
  if (usage.units?.['searches']) dropped(losses, 'usage.searches', 'usage has no field for searches')
  if (usage.cacheWrite) dropped(losses, 'usage.cacheWrite', 'usage has no field for cache writes')
  return out
}
