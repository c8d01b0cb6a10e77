import { openAICompatible } from '@headgate/core/openai-compatible'
import { models } from './models.ts'

/**
 * Inference.net: chat completions and embeddings, and the live model list.
 *
 * A model is `<owner>/<model>/<precision>`.
 *
 * @see https://docs.inference.net/quickstart
 */
export const inferenceNet = openAICompatible({
  id: 'inference-net',
  title: 'Inference.net',
  baseUrl: 'https://api.inference.net/v1',
  env: { apiKey: ['INFERENCE_API_KEY'] },
  embeddings: true,
  known: models,
})
