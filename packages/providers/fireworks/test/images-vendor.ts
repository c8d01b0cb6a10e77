import type { ImagesAnswer, ImagesFacts, ImagesMeaning, Received } from '@headgate/conformance'
import { number, object, text } from '@headgate/core/provider'

/** @throws for a field that the vendor does not have */
function only(fields: object, ...names: readonly string[]): void {
  const unknown = Object.keys(fields).filter((name) => !names.includes(name))
  if (unknown.length > 0) throw new Error(`unknown fields: ${unknown.join(', ')}`)
}

function read({ body, headers }: Received): ImagesMeaning {
  const fields = object(body) ?? {}
  only(fields, 'prompt', 'aspect_ratio', 'seed')
  return {
    model: 'accounts/fireworks/models/flux-1-schnell-fp8',
    prompt: text(fields['prompt']) ?? '',
    ratio: text(fields['aspect_ratio']),
    seed: number(fields['seed']),
    format: (headers['accept'] ?? '').slice('image/'.length),
    images: [],
  }
}

/** Written from https://docs.fireworks.ai/api-reference/generate-a-new-image-from-a-text-prompt. */
export const images: ImagesFacts = {
  model: 'accounts/fireworks/models/flux-1-schnell-fp8',
  paths: ['/inference/v1/workflows/{model}/text_to_image'],
  can: {
    ratios: ['1:1', '16:9', '9:16', '4:3', '3:4', '3:2', '2:3', '4:5', '5:4', '21:9', '9:21'],
    seed: true,
    formats: ['png', 'jpeg'],
  },
  read,
  write: ({ images: [image] }: ImagesAnswer) => ({
    kind: 'stream',
    headers: { 'content-type': 'image/png' },
    pieces: image ? [image] : [],
  }),
}
