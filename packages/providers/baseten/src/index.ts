import { openAICompatible } from '@headgate/core/openai-compatible'
import { models } from './models.ts'

/**
 * Baseten: chat completions, and the live list of models.
 *
 * Serves its model APIs; what is deployed for an account alone has a base URL of its own. Every chunk of a stream
 * reports usage so far.
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
