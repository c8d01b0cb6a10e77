import { openAICompatible } from '@headgate/core/openai-compatible'

/**
 * AI21: chat completions of Jamba.
 *
 * There is no list of models. Limits the output by `max_tokens`, does not know the role `developer`, which goes up as
 * `system`, and has no field for `logit_bias`, `logprobs`, `top_logprobs` and `seed`, which are left out.
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
