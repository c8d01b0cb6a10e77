import type { ImagesAnswer, ImagesFacts, ImagesMeaning, Received } from '@headgate/conformance'
import { number, object, objects, text } from '@headgate/core/provider'

/** @throws for a field that the vendor does not have */
function only(fields: object, ...names: readonly string[]): void {
  const unknown = Object.keys(fields).filter((name) => !names.includes(name))
  if (unknown.length > 0) throw new Error(`unknown fields: ${unknown.join(', ')}`)
}

function base64(image: Uint8Array): string {
  return Buffer.from(image).toString('base64')
}

function read({ body }: Received): ImagesMeaning {
  const fields = object(body) ?? {}
  only(fields, 'model', 'prompt', 'n', 'width', 'height', 'seed', 'response_format', 'subject_reference')
  const [width, height] = [number(fields['width']), number(fields['height'])]
  for (const side of [width, height])
    if (side !== undefined && (side % 8 !== 0 || side < 512 || side > 2048)) throw new Error(`a side of ${side}`)
  return {
    model: text(fields['model']) ?? '',
    prompt: text(fields['prompt']) ?? '',
    n: number(fields['n']),
    size: width === undefined || height === undefined ? undefined : { width, height },
    seed: number(fields['seed']),
    images: objects(fields['subject_reference']).map(({ image_file: url }) => ({ url: text(url) ?? '' })),
  }
}

/** Written from https://platform.minimax.io/docs/api-reference/image-generation-t2i and …-i2i. */
export const images: ImagesFacts = {
  model: 'image-01',
  paths: ['/v1/image_generation'],
  can: {
    n: 9,
    sizes: { multiple: 8, pixels: [262_144, 4_194_304], ratio: 4 },
    images: 1,
    seed: true,
  },
  read,
  write: ({ images: made }: ImagesAnswer) => ({
    id: 'i',
    data: { image_base64: made.map(base64) },
    metadata: { success_count: String(made.length), failed_count: '0' },
    base_resp: { status_code: 0, status_msg: 'success' },
  }),
  blocked: () => ({ base_resp: { status_code: 1026, status_msg: 'sensitive' } }),
}
