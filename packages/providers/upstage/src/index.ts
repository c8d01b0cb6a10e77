import { openAICompatible } from '@headgate/core/openai-compatible'
import { models } from './models.ts'

/**
 * Upstage: chat completions of Solar and embeddings.
 *
 * The model list. The output limit is `max_tokens`. Reasoning is in `reasoning`. Embeddings have a model for
 * each use: `embedding-query` and `embedding-passage`.
 *
 * @see https://console.upstage.ai/docs/capabilities/generate/chat
 * @see https://console.upstage.ai/api/embeddings
 */
export const upstage = openAICompatible({
  id: 'upstage',
  title: 'Upstage',
  baseUrl: 'https://api.upstage.ai/v1',
  claims: [/^solar-/],
  embeddings: { batch: 100 },
  models: false,
  rename: { max_completion_tokens: 'max_tokens' },
  known: models,
})
