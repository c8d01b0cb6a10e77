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
  only(
    fields,
    ...['model', 'prompt', 'n', 'width', 'height', 'seed', 'negative_prompt', 'output_format', 'response_format'],
    ...['image_url', 'reference_images'],
  )
  const [width, height] = [number(fields['width']), number(fields['height'])]
  return {
    model: text(fields['model']) ?? '',
    prompt: text(fields['prompt']) ?? '',
    n: number(fields['n']),
    size: width === undefined || height === undefined ? undefined : { width, height },
    seed: number(fields['seed']),
    negative: text(fields['negative_prompt']),
    format: text(fields['output_format']),
    images: [fields['reference_images'] ?? []].flat().map((url) => ({ url: String(url) })),
  }
}

/** Written from https://docs.together.ai/reference/post-images-generations. */
export const images: ImagesFacts = {
  model: 'black-forest-labs/FLUX.2-pro',
  paths: ['/v1/images/generations'],
  can: {
    sizes: { multiple: 16, pixels: [65_536, 4_194_304], ratio: 4 },
    images: 8,
    seed: true,
    negative: true,
    formats: ['png', 'jpeg'],
  },
  read,
  write({ images: made, request }: ImagesAnswer, { body }: Received) {
    if (object(body)?.['response_format'] !== 'base64') throw new Error('the default would be a URL')
    return {
      model: request.model,
      object: 'list',
      data: made.map((image, index) => ({ index, b64_json: base64(image) })),
    }
  },
}
