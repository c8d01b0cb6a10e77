import { openAICompatible } from '@headgate/core/openai-compatible'
import { models } from './models.ts'

/**
 * Scaleway: chat completions and embeddings, and the live model list.
 *
 * The base URL can name a project: `https://api.scaleway.ai/<project>/v1`. Speech models of its list are ignored.
 *
 * @see https://www.scaleway.com/en/docs/generative-apis/api-cli/using-chat-api/
 */
export const scaleway = openAICompatible({
  id: 'scaleway',
  title: 'Scaleway',
  baseUrl: 'https://api.scaleway.ai/v1',
  env: { apiKey: ['SCW_SECRET_KEY'] },
  embeddings: true,
  ignoreModels: /whisper|voxtral/,
  known: models,
})
