import type { ImagesFacts } from '@headgate/conformance'

/** Written from https://platform.openai.com/docs/api-reference/images/create */
export const images: ImagesFacts = {
  model: 'gpt-image-2',
  paths: ['/v1/images/generations', '/v1/images/edits'],
  can: {
    n: 10,
    sizes: { multiple: 16, pixels: [655_360, 8_294_400], ratio: 3, side: 3_840 },
    qualities: ['low', 'medium', 'high'],
    formats: ['png', 'jpeg', 'webp'],
    compression: true,
    transparent: true,
    user: true,
    images: 16,
    mask: true,
  },
  counts: 'tokens',
}
