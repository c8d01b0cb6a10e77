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

const SPEEDS: Readonly<Record<string, string | undefined>> = { TURBO: 'low', QUALITY: 'high' }

function read({ body, path, parts }: Received): ImagesMeaning {
  if (parts.length === 0) throw new Error('requests are forms')
  const fields = object(body) ?? {}
  const isRemix = path.endsWith('/remix')
  const isInpaint = path.endsWith('/inpaint')
  only(
    fields,
    ...['prompt', 'num_images', 'seed', 'rendering_speed'],
    ...(isInpaint ? ['image', 'mask'] : ['aspect_ratio', 'negative_prompt']),
    ...(isRemix ? ['image'] : []),
  )
  const mask = parts.find(({ name }) => name === 'mask')
  if (isInpaint && !mask) throw new Error('the mask is missing')
  return {
    model: 'ideogram-v3',
    prompt: text(fields['prompt']) ?? '',
    n: Number(fields['num_images']),
    ratio: text(fields['aspect_ratio'])?.replace('x', ':'),
    quality: SPEEDS[text(fields['rendering_speed']) ?? ''],
    seed: fields['seed'] === undefined ? undefined : Number(fields['seed']),
    negative: text(fields['negative_prompt']),
    images: parts.filter(({ name }) => name === 'image'),
    mask,
  }
}

/** Written from https://developer.ideogram.ai/api-reference. Images are URLs there. */
export const images: ImagesFacts = {
  model: 'ideogram-v3',
  paths: ['/v1/{model}/generate', '/v1/{model}/remix', '/v1/{model}/inpaint'],
  can: {
    n: 8,
    ratios: '1:1 1:3 3:1 1:2 2:1 9:16 16:9 10:16 16:10 2:3 3:2 3:4 4:3 4:5 5:4'.split(' '),
    qualities: ['low', 'medium', 'high'],
    seed: true,
    negative: true,
    images: 1,
    mask: 'black',
  },
  read,
  write: ({ images: made, request }: ImagesAnswer) => ({
    created: '2026-11-26T00:00:00Z',
    data: made.map((image) => ({
      url: `data:image/png;base64,${base64(image)}`,
      prompt: request.prompt,
      is_image_safe: true,
    })),
  }),
  blocked: () => ({ data: [{ url: '', prompt: 'x', is_image_safe: false }] }),
  error: (_, error) => ({ error }),
}
