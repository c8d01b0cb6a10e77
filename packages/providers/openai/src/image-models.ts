import type { ModelFacts } from '@headgate/core/provider'

const source = 'openai.com/pricing@2026-11-23'

/**
 * Models of images, by tokens.
 * @see https://platform.openai.com/docs/models/gpt-image-2.6-sunburst
 */
export const imageModels: readonly ModelFacts[] = [
  'gpt-image-2',
  'gpt-image-2.5-sunburst',
  'gpt-image-2.5-flare',
  'gpt-image-2.6-sunburst',
  'gpt-image-2.6-flare',
].map((id) => ({
  id,
  families: ['images'],
  price: {
    id: source,
    input: 5_000_000_000,
    cacheRead: 1_250_000_000,
    imageInput: 8_000_000_000,
    output: 30_000_000_000,
    imageOutput: 30_000_000_000,
  },
}))
