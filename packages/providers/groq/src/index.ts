import { chatCompletionsLimits, openAICompatible } from '@headgate/core/openai-compatible'
import { ACCEPTED } from './accepted.ts'
import { models } from './models.ts'

/**
 * Groq: chat completions, responses, forwarded unchanged, and the live model list.
 *
 * `logit_bias`, `logprobs`, `top_logprobs` and unknown message fields, for example names, are rejected by the vendor
 * and therefore dropped. `n` must be 1. Reasoning is in `reasoning` if `reasoning_format` is `parsed`; otherwise Qwen's
 * is in `<think>` in the text. Requests contain it in the same field. Speech models of its list are ignored. Responses
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
  facts: (model) => (/gpt-oss|qwen/.test(model) ? { reasoning: 'reasoning' } : undefined),
  ignoreModels: /whisper|tts|orpheus|playai/,
  promptCache: { lifetimeMs: 7_200_000 },
  known: models,
  limitHeaders: chatCompletionsLimits('duration', { refills: true }),
})
