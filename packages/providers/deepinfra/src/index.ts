import { MEDIA_NAMES, openAICompatible } from '@headgate/core/openai-compatible'
import { imageModels, images } from './images.ts'
import { models } from './models.ts'
import { speakers, speechAbilities } from './speech-models.ts'

/**
 * DeepInfra: chat completions, embeddings and images, and the live model list.
 *
 * Usage includes `estimated_cost`. Speech is Kokoro's. Image, speech and rerank models of its list are ignored; some
 * image models are known.
 *
 * @see https://deepinfra.com/docs/openai_api
 */
export const deepinfra = openAICompatible({
  id: 'deepinfra',
  title: 'DeepInfra',
  baseUrl: 'https://api.deepinfra.com/v1/openai',
  env: { apiKey: ['DEEPINFRA_TOKEN'] },
  embeddings: true,
  speech: { can: speechAbilities },
  guards: true,
  images,
  ignoreModels: MEDIA_NAMES,
  known: [...models, ...imageModels, ...speakers],
  unlisted: imageModels,
})
