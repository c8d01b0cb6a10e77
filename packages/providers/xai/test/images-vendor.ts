import type { ImagesAnswer, ImagesFacts, ImagesMeaning, Received } from '@headgate/conformance'
import { number, object, objects, text } from '@headgate/core/provider'

const KNOWN = ['model', 'prompt', 'n', 'aspect_ratio', 'resolution', 'response_format', 'image', 'images']

function read({ body, path }: Received): ImagesMeaning {
  const fields = object(body) ?? {}
  const unknown = Object.keys(fields).filter((name) => !KNOWN.includes(name))
  if (unknown.length > 0) throw new Error(`unknown fields: ${unknown.join(', ')}`)
  const inputs = objects(fields['images'] ?? [fields['image']])
  if (inputs.length > 0 !== path.endsWith('/edits')) throw new Error('images belong to edits')
  if (inputs.some(({ type }) => type !== 'image_url')) throw new Error('the type of an image must be image_url')
  return {
    model: text(fields['model']) ?? '',
    prompt: text(fields['prompt']) ?? '',
    n: number(fields['n']),
    ratio: text(fields['aspect_ratio']),
    resolution: text(fields['resolution']),
    images: inputs.map(({ url }) => ({ url: text(url) ?? '' })),
  }
}

function write({ images }: ImagesAnswer, { body }: Received): object {
  if (object(body)?.['response_format'] !== 'b64_json') throw new Error('the default would be a URL')
  const data = images.map((image) => ({ b64_json: Buffer.from(image).toString('base64'), respect_moderation: true }))
  return { data, usage: { cost_in_usd_ticks: 500_000_000 } }
}

/** Written from https://docs.x.ai/developers/rest-api-reference/inference/images */
export const images: ImagesFacts = {
  model: 'grok-imagine-image-quality',
  paths: ['/v1/images/generations', '/v1/images/edits'],
  can: {
    n: 10,
    ratios: ['1:1', '16:9', '9:16', '4:3', '3:4', '3:2', '2:3', '2:1', '1:2', '19.5:9', '9:19.5', '20:9', '9:20'],
    resolutions: { '1k': 1_024, '2k': 2_048 },
    images: 5,
  },
  read,
  write,
  blocked: () => ({ data: [{ url: '', respect_moderation: false }] }),
  error: (status, message) => ({ code: String(status), error: message }),
}
