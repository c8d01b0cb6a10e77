import { openAICompatible } from '@headgate/core/openai-compatible'

/**
 * Reka: chat completions of Reka and open models, and the live model list.
 *
 * No differences from the standard format are known.
 *
 * @see https://docs.reka.ai/chat/overview
 * @see https://docs.reka.ai/chat/models
 */
export const reka = openAICompatible({
  id: 'reka',
  title: 'Reka',
  baseUrl: 'https://api.reka.ai/v1',
  claims: [/^reka-/],
})
