import { openAICompatible } from '@headgate/core/openai-compatible'
import { models } from './models.ts'

/**
 * Baseten: chat completions, and the live model list.
 *
 * The default base URL is for the model APIs; a dedicated deployment has a separate base URL. Every chunk of a stream
 * reports the usage so far.
 *
 * @see https://docs.baseten.co/inference/model-apis/overview
 */
export const baseten = openAICompatible({
  id: 'baseten',
  title: 'Baseten',
  baseUrl: 'https://inference.baseten.co/v1',
  facts: { usageInStream: 'always' },
  known: models,
})
