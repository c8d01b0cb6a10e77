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

const answer = { model: 'qwen-image-2.0-pro' }

function read({ body }: Received): ImagesMeaning {
  const fields = object(body) ?? {}
  only(fields, 'model', 'input', 'parameters')
  const parameters = object(fields['parameters']) ?? {}
  only(parameters, 'n', 'size', 'seed', 'negative_prompt')
  const [message, another] = objects(object(fields['input'])?.['messages'])
  if (another || message?.['role'] !== 'user') throw new Error('one message of the user')
  const content = objects(message['content'])
  const [, width, height] = /^(\d+)\*(\d+)$/.exec(text(parameters['size']) ?? '') ?? []
  return {
    model: text(fields['model']) ?? '',
    prompt: text(content.at(-1)?.['text']) ?? '',
    n: number(parameters['n']),
    size: width === undefined ? undefined : { width: Number(width), height: Number(height) },
    seed: number(parameters['seed']),
    negative: text(parameters['negative_prompt']),
    images: content.slice(0, -1).map(({ image }) => ({ url: text(image) ?? '' })),
  }
}

/** Written from https://www.alibabacloud.com/help/en/model-studio/qwen-image-api. Images are URLs there. */
export const images: ImagesFacts = {
  ...answer,
  paths: ['/api/v1/services/aigc/multimodal-generation/generation'],
  can: { n: 6, sizes: 'any', images: 3, seed: true, negative: true },
  read,
  write: ({ images: made }: ImagesAnswer) => ({
    request_id: 'r',
    output: {
      choices: made.map((image) => ({
        finish_reason: 'stop',
        message: { role: 'assistant', content: [{ image: `data:image/png;base64,${base64(image)}` }] },
      })),
    },
    usage: { image_count: made.length, width: 48, height: 32 },
  }),
  error: (status, message) => ({ code: String(status), message }),
}
