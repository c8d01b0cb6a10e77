import { MEDIA_NAMES, openAICompatible } from '@headgate/core/openai-compatible'
import { models } from './models.ts'

/**
 * Novita AI: chat completions, embeddings and reranking, and the live model list.
 *
 * The output limit is `max_tokens`. Reasoning is in `<think>` in the text; with `separate_reasoning`, in
 * `reasoning_content`. In the list, the context is `context_size`.
 *
 * @see https://novita.ai/docs/api-reference/model-apis-llm-create-chat-completion
 * @see https://novita.ai/docs/api-reference/model-apis-llm-create-rerank
 */
export const novita = openAICompatible({
  id: 'novita',
  title: 'Novita AI',
  baseUrl: 'https://api.novita.ai/openai/v1',
  embeddings: true,
  rerank: true,
  rename: { max_completion_tokens: 'max_tokens' },
  ignoreModels: MEDIA_NAMES,
  known: models,
})
