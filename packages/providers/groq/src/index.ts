import { chatCompletionsLimits, openAICompatible, readModel } from '@headgate/core/openai-compatible'
import { ACCEPTED } from './accepted.ts'
import { models } from './models.ts'
import { speakers, speech } from './speech.ts'
import { transcribers, transcription } from './transcription.ts'

/**
 * Groq: chat completions, responses, forwarded unchanged, transcription, and the live model list.
 *
 * `logit_bias`, `logprobs`, `top_logprobs` and unknown message fields, for example names, are rejected by the vendor
 * and therefore dropped. `n` must be 1. Reasoning is in `reasoning` if `reasoning_format` is `parsed`; otherwise Qwen's
 * is in `<think>` in the text. Requests contain it in the same field. Speech is Orpheus's: WAV files of at most 200 characters. Responses
 * are not stored: requests with `store` are translated. Responses do not support `include`, `prompt_cache_key`,
 * `safety_identifier` and `truncation`, which are dropped.
 *
 * @see https://console.groq.com/docs/openai
 * @see https://console.groq.com/docs/reasoning
 * @see https://console.groq.com/docs/responses-api
 * @see https://console.groq.com/docs/prompt-caching
 * @see https://console.groq.com/docs/rate-limits
 */
export const groq = openAICompatible({
  id: 'groq',
  title: 'Groq',
  baseUrl: 'https://api.groq.com/openai/v1',
  drop: ['logit_bias', 'logprobs', 'top_logprobs'],
  responses: { storesResponses: false, drop: ['include', 'prompt_cache_key', 'safety_identifier', 'truncation'] },
  accepts: ACCEPTED,
  guards: true,
  facts: (model) => (/gpt-oss|qwen/.test(model) ? { reasoning: 'reasoning' } : undefined),
  transcription,
  ignoreModels: /playai/,
  speech,
  models(entry) {
    const model = readModel(entry)
    return model && { ...model, families: [familyOf(model.id)] }
  },
  promptCache: { lifetimeMs: 7_200_000 },
  known: [...models, ...transcribers, ...speakers],
  limitHeaders: chatCompletionsLimits('duration', { refills: true }),
})

function familyOf(id: string): string {
  if (id.startsWith('whisper')) return 'transcription'
  return /tts|orpheus/.test(id) ? 'speech' : 'chat'
}
