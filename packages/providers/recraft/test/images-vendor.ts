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

function read({ body, path, parts }: Received): ImagesMeaning {
  const fields = object(body) ?? {}
  const isEdit = path.endsWith('/imageToImage')
  only(fields, 'model', 'prompt', 'n', 'size', 'response_format', ...(isEdit ? ['strength', 'image'] : []))
  if (isEdit && !(Number(fields['strength']) >= 0)) throw new Error('strength is required')
  const [, width, height] = /^(\d+)x(\d+)$/.exec(text(fields['size']) ?? '') ?? []
  return {
    model: text(fields['model']) ?? '',
    prompt: text(fields['prompt']) ?? '',
    n: fields['n'] === undefined ? undefined : Number(fields['n']),
    size: width === undefined ? undefined : { width: Number(width), height: Number(height) },
    images: parts.filter(({ name }) => name === 'image'),
  }
}

const SIZES =
  '1024x1024 1536x768 768x1536 1280x832 832x1280 1216x896 896x1216 1152x896 896x1152 832x1344 1280x896 896x1280 1344x768 768x1344'.split(
    ' ',
  )

/** Written from https://www.recraft.ai/docs/api-reference/endpoints and …/appendix. */
export const images: ImagesFacts = {
  model: 'recraftv4_1',
  paths: ['/v1/images/generations', '/v1/images/imageToImage'],
  can: { n: 6, sizes: SIZES, images: 1 },
  read,
  write({ images: made }: ImagesAnswer, { body }: Received) {
    if (object(body)?.['response_format'] !== 'b64_json') throw new Error('the default would be a URL')
    return { created: 1, data: made.map((image) => ({ image_id: 'i', b64_json: base64(image) })) }
  },
  error: (status, message) => ({ code: String(status), message }),
}
