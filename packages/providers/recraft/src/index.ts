import { openAICompatible } from '@headgate/core/openai-compatible'
import { images, models } from './images.ts'

/**
 * Recraft: images and vector images.
 *
 * @see https://www.recraft.ai/docs/api-reference
 */
export const recraft = openAICompatible({
  id: 'recraft',
  title: 'Recraft',
  baseUrl: 'https://external.api.recraft.ai/v1',
  env: { apiKey: ['RECRAFT_API_TOKEN'] },
  claims: [/^recraftv\d/],
  chat: false,
  models: false,
  images,
  known: models,
  errors: { not_enough_credits: 'our-quota', unsafe_content: 'content-policy' },
})
