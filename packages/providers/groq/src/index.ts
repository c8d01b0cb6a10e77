import { openAICompatible } from '@headgate/core/openai-compatible'
import { ACCEPTED } from './accepted.ts'
import { models } from './models.ts'

/**
 * Groq: chat completions, responses as they are, and the live list of models.
 *
 * Rejects `logit_bias`, `logprobs` and `top_logprobs`, and fields of messages that it does not know, such as names:
 * they are left out and declared as well; `n` must be 1. Reasoning stands in `reasoning` where `reasoning_format` is
 * `parsed`, and of Qwen within `<think>` in the text otherwise; models that think take it back in the same field. Its
 * list has models of speech, which are left out. It keeps no answers of the responses format: those that are to be kept
 * are translated. There `include`, `prompt_cache_key`,
 * `safety_identifier` and `truncation` are not supported, and left out.
 *
 * @see https://console.groq.com/docs/openai
 * @see https://console.groq.com/docs/reasoning
 * @see https://console.groq.com/docs/responses-api
 */
export const groq = openAICompatible({
  id: 'groq',
  title: 'Groq',
  baseUrl: 'https://api.groq.com/openai/v1',
  drop: ['logit_bias', 'logprobs', 'top_logprobs'],
  responses: { keepsAnswers: false, drop: ['include', 'prompt_cache_key', 'safety_identifier', 'truncation'] },
  accepts: ACCEPTED,
  facts: (model) => (/gpt-oss|qwen/.test(model) ? { reasoning: 'reasoning' } : undefined),
  elsewhere: /whisper|tts|orpheus|playai/,
  known: models,
})
