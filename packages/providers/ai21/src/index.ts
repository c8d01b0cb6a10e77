import { openAICompatible } from '@headgate/core/openai-compatible'

/**
 * AI21: chat completions of Jamba.
 *
 * The model list. The output limit is `max_tokens`. The role `developer` is sent as `system`. `logit_bias`,
 * `logprobs`, `top_logprobs` and `seed` have no field and are dropped.
 *
 * @see https://docs.ai21.com/reference/jamba-1-6-api-ref
 */
export const ai21 = openAICompatible({
  id: 'ai21',
  title: 'AI21',
  baseUrl: 'https://api.ai21.com/studio/v1',
  claims: [/^jamba-/],
  models: false,
  rename: { max_completion_tokens: 'max_tokens' },
  drop: ['logit_bias', 'logprobs', 'top_logprobs', 'seed'],
  systemOnly: true,
})
