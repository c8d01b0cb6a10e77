import type { ImagesAnswer, ImagesFacts, ImagesMeaning, Received } from '@headgate/conformance'
import { object, text } from '@headgate/core/provider'

/** @throws for a field that the vendor does not have */
function only(fields: object, ...names: readonly string[]): void {
  const unknown = Object.keys(fields).filter((name) => !names.includes(name))
  if (unknown.length > 0) throw new Error(`unknown fields: ${unknown.join(', ')}`)
}

function base64(image: Uint8Array): string {
  return Buffer.from(image).toString('base64')
}

function read({ body, parts }: Received): ImagesMeaning {
  if (parts.length === 0) throw new Error('requests are forms')
  const fields = object(body) ?? {}
  only(fields, 'prompt', 'aspect_ratio', 'seed', 'negative_prompt', 'output_format', 'image', 'strength')
  const images = parts.filter(({ name }) => name === 'image')
  if (images.length > 0 && !(Number(fields['strength']) >= 0)) throw new Error('strength is required')
  return {
    model: 'stable-image-ultra',
    prompt: text(fields['prompt']) ?? '',
    ratio: text(fields['aspect_ratio']),
    seed: fields['seed'] === undefined ? undefined : Number(fields['seed']),
    negative: text(fields['negative_prompt']),
    format: text(fields['output_format']),
    images,
  }
}

/** Written from https://platform.stability.ai/docs/api-reference#tag/Generate. */
export const images: ImagesFacts = {
  model: 'stable-image-ultra',
  paths: ['/v2beta/stable-image/generate/ultra'],
  can: {
    ratios: ['1:1', '16:9', '9:16', '21:9', '9:21', '3:2', '2:3', '5:4', '4:5'],
    seed: true,
    negative: true,
    formats: ['png', 'jpeg', 'webp'],
    images: 1,
  },
  read,
  write: ({ images: [image] }: ImagesAnswer) => ({ image: image && base64(image), finish_reason: 'SUCCESS', seed: 1 }),
  blocked: () => ({ image: 'iVBO', finish_reason: 'CONTENT_FILTERED', seed: 1 }),
  error: (_, message) => ({ id: 'i', name: 'error', errors: [message] }),
}
