import { compact, isObject, type Json, object, objects } from '../../canonical/json.ts'
import { dropped, type Loss } from '../../canonical/loss.ts'
import { count, type Usage } from '../../canonical/usage.ts'

/**
 * Usage, or undefined when nothing was counted yet (Vertex sends the type of traffic alone while it streams).
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
    audioInput: audioOf(metadata['promptTokensDetails']),
    audioOutput: audioOf(metadata['candidatesTokensDetails']),
  })
}

/** Some models count their thoughts among the candidates' tokens: then the total says so. */
function outputOf(input: number, candidates: number, thoughts: number, total: number | undefined): number {
  const inclusive = thoughts > 0 && candidates >= thoughts && total === input + candidates
  return inclusive ? candidates : candidates + thoughts
}

function audioOf(details: unknown): number | undefined {
  return count(objects(details).find((detail) => detail['modality'] === 'AUDIO')?.['tokenCount'])
}

/** Searches that the model ran for the answer. */
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
  if (usage.audioInput !== undefined) out['promptTokensDetails'] = [{ modality: 'AUDIO', tokenCount: usage.audioInput }]
  if (usage.audioOutput !== undefined) out['candidatesTokensDetails'] = [{ modality: 'AUDIO', tokenCount: usage.audioOutput }]
  if (usage.units?.['searches']) dropped(losses, 'usage.searches', 'usage does not count searches')
  if (usage.cacheWrite) dropped(losses, 'usage.cacheWrite', 'usage does not count what was written to a cache')
  return out
}
