import type { Json } from '../../src/canonical/json.ts'
import {
  type TranslatedFormat,
  type TranslateRequestOptions,
  translateRequest,
  translateResponse,
} from '../../src/translate.ts'

/**
 * Numbered cases from the wire of one format to that of the other: what the tests of the formats show for each half of
 * the way holds for all of it.
 */
export const [O, A, G] = ['chat-completions', 'messages', 'generate-content'] as const

export const CLAUDE = { model: 'claude-opus-4-5', signer: 'claude' }
export const NEW_CLAUDE = { model: 'claude-opus-5', signer: 'claude' }
export const GEMINI = { model: 'gemini-3-flash-preview', signer: 'gemini' }
export const VERTEX = { ...GEMINI, facts: { toolCallIds: false } }
export const GPT = { model: 'gpt-5.2' }

export function send(
  from: TranslatedFormat,
  to: TranslatedFormat,
  body: Json,
  provided: Partial<TranslateRequestOptions>,
): { body: Json; lost: string[] } {
  const { body: written, lost } = translateRequest(body, { from, to, ...provided })
  return { body: written ?? {}, lost: lost.map(({ path, kind }) => `${path} ${kind}`) }
}

export function answer(from: TranslatedFormat, to: TranslatedFormat, body: Json): Json {
  return translateResponse(body, { from, to, model: 'm' }).body
}
