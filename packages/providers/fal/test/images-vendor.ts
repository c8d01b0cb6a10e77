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

function read({ body, path }: Received): ImagesMeaning {
  const fields = object(body) ?? {}
  only(fields, 'prompt', 'num_images', 'image_size', 'seed', 'output_format', 'image_urls')
  const { width, height } = object(fields['image_size']) ?? {}
  const urls = [fields['image_urls'] ?? []].flat().map(String)
  if (urls.length > 0 !== path.endsWith('/edit')) throw new Error('images belong to /edit')
  const [wide, high] = [number(width), number(height)]
  return {
    model: 'fal-ai/flux-2',
    prompt: text(fields['prompt']) ?? '',
    n: number(fields['num_images']),
    size: wide === undefined || high === undefined ? undefined : { width: wide, height: high },
    seed: number(fields['seed']),
    format: text(fields['output_format']),
    images: urls.map((url) => ({ url })),
  }
}

/** Images of each task; its id is its number. */
const tasks: (readonly Uint8Array[])[] = []

/** Written from https://fal.ai/docs/api-reference/inference-api. Images are URLs there, or data URLs with `sync_mode`. */
export const images: ImagesFacts = {
  model: 'fal-ai/flux-2',
  paths: ['/{model}', '/{model}/edit'],
  can: {
    n: 4,
    sizes: { multiple: 16, pixels: [262_144, 4_194_304], ratio: 4 },
    images: 4,
    seed: true,
    formats: ['png', 'jpeg'],
  },
  read,
  write({ images: made }: ImagesAnswer, { method, path, headers }: Received) {
    const id = method === 'POST' ? tasks.push(made) : Number(/requests\/(\d+)/.exec(path)?.[1])
    const at = `http://${headers['host']}/fal-ai/flux-2/requests/${id}`
    if (method === 'POST')
      return {
        status: 'IN_QUEUE',
        request_id: String(id),
        status_url: `${at}/status`,
        response_url: at,
        cancel_url: `${at}/cancel`,
      }
    if (path.endsWith('/status')) return { status: 'COMPLETED', request_id: String(id) }
    return {
      images: (tasks[id - 1] ?? []).map((image) => ({
        url: `data:image/png;base64,${base64(image)}`,
        content_type: 'image/png',
        width: 48,
        height: 32,
      })),
      has_nsfw_concepts: made.map(() => false),
    }
  },
  error: (_, detail) => ({ detail }),
}
