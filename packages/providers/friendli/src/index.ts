import { openAICompatible } from '@headgate/core/openai-compatible'
import { models } from './models.ts'

/**
 * FriendliAI: chat completions, and the live model list.
 *
 * Reasoning is in the text; with `parse_reasoning`, in `reasoning_content`.
 *
 * @see https://friendli.ai/docs/openapi/model-apis/chat-completions
 * @see https://friendli.ai/docs/guides/reasoning
 */
export const friendli = openAICompatible({
  id: 'friendli',
  title: 'FriendliAI',
  baseUrl: 'https://api.friendli.ai/serverless/v1',
  env: { apiKey: ['FRIENDLI_TOKEN'] },
  known: models,
})
