import { MEDIA_NAMES, openAICompatible } from '@headgate/core/openai-compatible'

/**
 * SambaNova: chat completions and embeddings, messages as they are, and the live list of models.
 *
 * Ignores penalties, `logit_bias`, `logprobs`, `top_logprobs`, `n` and `seed`, which are left out, and limits the
 * output by `max_tokens`. Its list has models of speech, which are left out.
 *
 * @see https://docs.sambanova.ai/docs/en/features/openai-compatibility
 * @see https://docs.sambanova.ai/docs/en/features/anthropic-compatibility
 */
export const sambanova = openAICompatible({
  id: 'sambanova',
  title: 'SambaNova',
  baseUrl: 'https://api.sambanova.ai/v1',
  messages: '/v1/messages',
  embeddings: true,
  rename: { max_completion_tokens: 'max_tokens' },
  drop: ['frequency_penalty', 'presence_penalty', 'logit_bias', 'logprobs', 'top_logprobs', 'n', 'seed'],
  elsewhere: MEDIA_NAMES,
})
