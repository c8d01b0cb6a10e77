import { MEDIA_NAMES, openAICompatible } from '@headgate/core/openai-compatible'
import { models } from './models.ts'

/**
 * DeepInfra: chat completions and embeddings, and the live list of models.
 *
 * Usage has `estimated_cost` beside the tokens. Its list has models of every kind: those of pictures, speech and
 * rerank are left out.
 *
 * @see https://deepinfra.com/docs/openai_api
 */
export const deepinfra = openAICompatible({
  id: 'deepinfra',
  title: 'DeepInfra',
  baseUrl: 'https://api.deepinfra.com/v1/openai',
  env: { apiKey: ['DEEPINFRA_TOKEN'] },
  embeddings: true,
  elsewhere: MEDIA_NAMES,
  known: models,
})
