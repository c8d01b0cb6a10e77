import type { ImagesAnswer, ImagesFacts, ImagesMeaning, Received } from '@headgate/conformance'
import { number, object, text } from '@headgate/core/provider'

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
  only(fields, 'model', 'prompt', 'image', 'size', 'sequential_image_generation', 'response_format')
  const [, width, height] = /^(\d+)x(\d+)$/.exec(text(fields['size']) ?? '') ?? []
  return {
    model: text(fields['model']) ?? '',
    prompt: text(fields['prompt']) ?? '',
    size: width === undefined ? undefined : { width: Number(width), height: Number(height) },
    images: [fields['image'] ?? []].flat().map((url) => ({ url: String(url) })),
  }
}

/** Written from https://www.volcengine.com/docs/82379/1541523 and the types of volcengine-python-sdk. */
export const images: ImagesFacts = {
  model: 'doubao-seedream-4-0-250828',
  paths: ['/api/v3/images/generations'],
  can: { sizes: 'any', images: 14 },
  read,
  write: ({ images: made }: ImagesAnswer) => ({
    model: 'doubao-seedream-4-0-250828',
    created: 1,
    data: made.map((image) => ({ b64_json: base64(image), size: '48x32' })),
    usage: { generated_images: number(made.length), output_tokens: 4_096, total_tokens: 4_096 },
  }),
  blocked: () => ({
    data: [{ error: { code: 'OutputImageSensitiveContentDetected', message: 'sensitive' } }],
    usage: { generated_images: 0 },
  }),
}
