import { MEDIA_NAMES, openAICompatible } from '@headgate/core/openai-compatible'

/**
 * SambaNova: chat completions and embeddings, messages, forwarded unchanged, and the live model list.
 *
 * Penalties, `logit_bias`, `logprobs`, `top_logprobs`, `n` and `seed` are ignored by the vendor and therefore dropped.
 * The output limit is `max_tokens`. Speech models of its list are ignored.
 *
 * @see https://docs.sambanova.ai/docs/en/features/openai-compatibility
 * @see https://docs.sambanova.ai/docs/en/features/anthropic-compatibility
 * @see https://docs.sambanova.ai/docs/en/models/rate-limits
 */
export const sambanova = openAICompatible({
  id: 'sambanova',
  title: 'SambaNova',
  baseUrl: 'https://api.sambanova.ai/v1',
  messages: '/v1/messages',
  embeddings: true,
  rename: { max_completion_tokens: 'max_tokens' },
  drop: ['frequency_penalty', 'presence_penalty', 'logit_bias', 'logprobs', 'top_logprobs', 'n', 'seed'],
  ignoreModels: MEDIA_NAMES,
  limitHeaders: [
    { unit: 'requests', remaining: 'x-ratelimit-remaining-requests', windowMs: 60_000 },
    { unit: 'requests', remaining: 'x-ratelimit-remaining-requests-day', windowMs: 86_400_000 },
  ],
})
