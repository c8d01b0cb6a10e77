import { MEDIA_NAMES, openAICompatible } from '@headgate/core/openai-compatible'
import { models } from './models.ts'

/**
 * OVHcloud AI Endpoints: chat completions and embeddings, and the live model list.
 *
 * Image and speech models of its list are ignored.
 *
 * @see https://help.ovhcloud.com/csm/en-public-cloud-ai-endpoints-getting-started
 * @see https://www.ovhcloud.com/en/public-cloud/ai-endpoints/catalog/
 */
export const ovhcloud = openAICompatible({
  id: 'ovhcloud',
  title: 'OVHcloud AI Endpoints',
  baseUrl: 'https://oai.endpoints.kepler.ai.cloud.ovh.net/v1',
  env: { apiKey: ['OVH_AI_ENDPOINTS_ACCESS_TOKEN'] },
  embeddings: true,
  ignoreModels: MEDIA_NAMES,
  known: models,
})
