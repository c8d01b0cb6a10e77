import { openAICompatible } from '@headgate/core/openai-compatible'

/**
 * Featherless: chat completions, and the live model list.
 *
 * A model is `<owner>/<model>` of Hugging Face; the list has many thousands. A plan limits concurrent requests: further
 * requests get the status of a rate limit.
 *
 * @see https://featherless.ai/docs/api
 * @see https://featherless.ai/docs/concurrency-limits
 */
export const featherless = openAICompatible({
  id: 'featherless',
  title: 'Featherless',
  baseUrl: 'https://api.featherless.ai/v1',
})
