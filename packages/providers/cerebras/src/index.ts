import { openAICompatible } from '@headgate/core/openai-compatible'
import { models } from './models.ts'

/**
 * Cerebras: chat completions, and the live list of models.
 *
 * Refuses penalties, `logit_bias` and `service_tier`, which are left out, and does not know the role `developer`,
 * which goes up as `system`.
 * Reasoning stands in `reasoning`, and is taken back there.
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
