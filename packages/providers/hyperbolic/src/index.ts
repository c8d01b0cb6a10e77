import { MEDIA_NAMES, openAICompatible } from '@headgate/core/openai-compatible'

/**
 * Hyperbolic: chat completions, and the live model list.
 *
 * The output limit is `max_tokens`. Image and speech models of its list are ignored.
 *
 * @see https://docs.hyperbolic.xyz/docs/rest-api
 */
export const hyperbolic = openAICompatible({
  id: 'hyperbolic',
  title: 'Hyperbolic',
  baseUrl: 'https://api.hyperbolic.xyz/v1',
  rename: { max_completion_tokens: 'max_tokens' },
  ignoreModels: MEDIA_NAMES,
})
