import { MEDIA_NAMES, openAICompatible } from '@headgate/core/openai-compatible'

/**
 * Hyperbolic: chat completions, and the live list of models.
 *
 * Limits the output by `max_tokens`. Its list has models of pictures and speech, which are left out.
 *
 * @see https://docs.hyperbolic.xyz/docs/rest-api
 */
export const hyperbolic = openAICompatible({
  id: 'hyperbolic',
  title: 'Hyperbolic',
  baseUrl: 'https://api.hyperbolic.xyz/v1',
  rename: { max_completion_tokens: 'max_tokens' },
  elsewhere: MEDIA_NAMES,
})
