import { openAICompatible } from '@headgate/core/openai-compatible'

/**
 * Featherless: chat completions, and the live list of models.
 *
 * A model is `<owner>/<model>` of Hugging Face, and the list has many thousands. A plan has so many requests at a
 * time: more have the status of a limit.
 *
 * @see https://featherless.ai/docs/api
 * @see https://featherless.ai/docs/concurrency-limits
 */
export const featherless = openAICompatible({
  id: 'featherless',
  title: 'Featherless',
  baseUrl: 'https://api.featherless.ai/v1',
})
