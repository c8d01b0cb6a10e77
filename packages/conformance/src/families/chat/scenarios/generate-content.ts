import type { Json } from '@headgate/core/provider'
import type { ScenarioResponse } from './scenario.ts'
import { type Count, REPORTED_MODEL } from './tokens.ts'

interface ScriptedContent {
  /** Parts of the whole response. */
  readonly parts: readonly Json[]
  /** Parts of each chunk of the stream. The last chunk has the finish reason. */
  readonly chunks: readonly (readonly Json[])[]
  readonly finish: 'STOP' | 'MAX_TOKENS'
  readonly count: Count
  readonly id?: string
}

/** Response of Google, from https://ai.google.dev/api/generate-content#v1beta.GenerateContentResponse. */
export function generated({
  parts,
  chunks,
  finish,
  count,
  id = 'fixture-response',
}: ScriptedContent): ScenarioResponse {
  const tail = { usageMetadata: usageOf(count), modelVersion: REPORTED_MODEL, responseId: id }
  const candidate = (of: readonly Json[], last: boolean) => ({
    candidates: [{ content: { parts: of, role: 'model' }, ...(last && { finishReason: finish }), index: 0 }],
    ...tail,
  })
  const frames = chunks.map((of, index) => candidate(of, index === chunks.length - 1))
  return {
    body: candidate(parts, true),
    stream: frames.map((frame) => `data: ${JSON.stringify(frame)}\r\n\r\n`).join(''),
  }
}

function usageOf({ input, output, cacheRead, reasoning }: Count): Json {
  return {
    promptTokenCount: input,
    candidatesTokenCount: output - (reasoning ?? 0),
    totalTokenCount: input + output,
    ...(cacheRead && { cachedContentTokenCount: cacheRead }),
    ...(reasoning && { thoughtsTokenCount: reasoning }),
    promptTokensDetails: [{ modality: 'TEXT', tokenCount: input }],
  }
}

/** Text response in pieces. */
export function generatedText(
  pieces: readonly string[],
  count: Count,
  finish: 'STOP' | 'MAX_TOKENS' = 'STOP',
): ScenarioResponse {
  return generated({ parts: [{ text: pieces.join('') }], chunks: pieces.map((text) => [{ text }]), finish, count })
}
