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

function read({ body, headers }: Received): ImagesMeaning {
  if (headers['prefer'] !== 'wait=60') throw new Error('it would be a task')
  const fields = object(body) ?? {}
  only(fields, 'input')
  const input = object(fields['input']) ?? {}
  only(input, 'prompt', 'num_outputs', 'aspect_ratio', 'seed', 'output_format', 'output_quality', 'image')
  const format = text(input['output_format'])
  return {
    model: 'black-forest-labs/flux-dev',
    prompt: text(input['prompt']) ?? '',
    n: number(input['num_outputs']),
    ratio: text(input['aspect_ratio']),
    seed: number(input['seed']),
    format: format === 'jpg' ? 'jpeg' : format,
    compression: number(input['output_quality']),
    images: [input['image'] ?? []].flat().map((url) => ({ url: String(url) })),
  }
}

/** Images of each prediction; its id is its number. */
const tasks: (readonly Uint8Array[])[] = []

/** Written from https://replicate.com/docs/reference/http and https://replicate.com/black-forest-labs/flux-dev/api. */
export const images: ImagesFacts = {
  model: 'black-forest-labs/flux-dev',
  paths: ['/v1/models/{model}/predictions'],
  headers: ['prefer'],
  can: {
    n: 4,
    ratios: ['1:1', '16:9', '9:16', '4:3', '3:4', '3:2', '2:3', '4:5', '5:4', '21:9', '9:21'],
    images: 1,
    seed: true,
    formats: ['png', 'jpeg', 'webp'],
    compression: true,
  },
  read,
  write({ images: made }: ImagesAnswer, { method, path }: Received) {
    if (method === 'POST') return { id: String(tasks.push(made)), status: 'processing', output: null }
    const id = Number(path.slice(path.lastIndexOf('/') + 1))
    const output = (tasks[id - 1] ?? []).map((image) => `data:image/png;base64,${base64(image)}`)
    return { id: String(id), status: 'succeeded', output, error: null }
  },
  blocked: () => ({ id: 'p1', status: 'failed', output: null, error: 'NSFW content detected.' }),
  error: (status, detail) => ({ title: 'Error', detail, status }),
}
