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
 */
export const cerebras = openAICompatible({
  id: 'cerebras',
  title: 'Cerebras',
  baseUrl: 'https://api.cerebras.ai/v1',
  drop: ['frequency_penalty', 'presence_penalty', 'logit_bias', 'service_tier', 'store'],
  systemOnly: true,
  facts: { reasoning: 'reasoning' },
  known: models,
})
