import { openAICompatible } from '@headgate/core/openai-compatible'
import { type Call, isObject, type Json } from '@headgate/core/provider'
import { models } from './models.ts'

/**
 * Groq: chat completions, responses as they are, and the live list of models.
 *
 * Refuses `logit_bias`, `logprobs` and `top_logprobs`, which are left out, and names of messages, which are left out
 * and declared as well; `n` must be 1.
 * Reasoning stands in `reasoning` where `reasoning_format` is `parsed`, and of Qwen within `<think>` in the text
 * otherwise; models that think take it back in the same field. Its list has models of speech, which are left out.
 * It keeps no answers of the responses format: those that are to be kept are translated. There `include`, `prompt_cache_key`,
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
  patchRequest: withoutNames,
  facts: (model) => (/gpt-oss|qwen/.test(model) ? { reasoning: 'reasoning' } : undefined),
  elsewhere: /whisper|tts|orpheus|playai/,
  known: models,
})

function withoutNames(body: Json, call: Call): Json {
  const { messages } = body
  if (!Array.isArray(messages) || !messages.some((message) => isObject(message) && message['name'] !== undefined)) return body
  call.lose('messages[*].name', 'the provider refuses names of messages')
  const unnamed = messages.map((message) =>
    isObject(message) ? Object.fromEntries(Object.entries(message).filter(([key]) => key !== 'name')) : message,
  )
  return { ...body, messages: unnamed }
}
