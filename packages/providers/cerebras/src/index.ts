import { openAICompatible } from '@headgate/core/openai-compatible'
import { models } from './models.ts'

/**
 * Cerebras: chat completions, and the live model list.
 *
 * Penalties, `logit_bias` and `service_tier` are rejected by the vendor and therefore dropped. The role `developer` is
 * sent as `system`. Reasoning is in `reasoning`, in responses and in requests.
 *
 * @see https://inference-docs.cerebras.ai/resources/openai
 * @see https://inference-docs.cerebras.ai/capabilities/reasoning
 * @see https://inference-docs.cerebras.ai/support/rate-limits
 */
export const cerebras = openAICompatible({
  id: 'cerebras',
  title: 'Cerebras',
  baseUrl: 'https://api.cerebras.ai/v1',
  drop: ['frequency_penalty', 'presence_penalty', 'logit_bias', 'service_tier', 'store'],
  systemOnly: true,
  facts: { reasoning: 'reasoning' },
  known: models,
  limitHeaders: [
    {
      unit: 'requests',
      remaining: 'x-ratelimit-remaining-requests-day',
      reset: 'x-ratelimit-reset-requests-day',
      resetAs: 'seconds',
    },
    {
      unit: 'requests',
      remaining: 'x-ratelimit-remaining-requests-minute',
      reset: 'x-ratelimit-reset-requests-minute',
      resetAs: 'seconds',
    },
    {
      unit: 'tokens',
      remaining: 'x-ratelimit-remaining-tokens-minute',
      reset: 'x-ratelimit-reset-tokens-minute',
      resetAs: 'seconds',
    },
  ],
})
