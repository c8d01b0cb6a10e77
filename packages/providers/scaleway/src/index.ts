import { openAICompatible } from '@headgate/core/openai-compatible'
import { models } from './models.ts'

/**
 * Scaleway: chat completions and embeddings, and the live list of models.
 *
 * A project is named in the base URL: `https://api.scaleway.ai/<project>/v1`. Its list has models of speech, which
 * are left out.
 *
 * @see https://www.scaleway.com/en/docs/generative-apis/api-cli/using-chat-api/
 */
export const scaleway = openAICompatible({
  id: 'scaleway',
  title: 'Scaleway',
  baseUrl: 'https://api.scaleway.ai/v1',
  env: { apiKey: ['SCW_SECRET_KEY'] },
  embeddings: true,
  elsewhere: /whisper|voxtral/,
  known: models,
})
