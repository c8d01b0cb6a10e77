import { chatCompletionsLimits, MEDIA_NAMES, openAICompatible } from '@headgate/core/openai-compatible'
import { models } from './models.ts'

/**
 * Nebius Token Factory: chat completions and embeddings, and the live model list.
 *
 * Reasoning is in `reasoning_content`. Image models of its list are ignored.
 *
 * @see https://docs.tokenfactory.nebius.com/api-reference/inference/create-chat-completion
 * @see https://docs.tokenfactory.nebius.com/ai-models-inference/rate-limits
 */
export const nebius = openAICompatible({
  id: 'nebius',
  title: 'Nebius Token Factory',
  baseUrl: 'https://api.tokenfactory.nebius.com/v1',
  embeddings: true,
  ignoreModels: MEDIA_NAMES,
  known: models,
  limitHeaders: chatCompletionsLimits('seconds'),
})
