import type { ImagesAnswer, ImagesFacts, ImagesMeaning, Received } from '@headgate/conformance'
import { number, object, text } from '@headgate/core/provider'

function base64(image: Uint8Array): string {
  return Buffer.from(image).toString('base64')
}

function read({ body, path }: Received): ImagesMeaning {
  const fields = object(body) ?? {}
  const { prompt, width, height, seed, output_format, ...rest } = fields
  const inputs = Object.entries(rest).map(([name, value], index) => {
    if (name !== (index === 0 ? 'input_image' : `input_image_${index + 1}`)) throw new Error(`unknown field ${name}`)
    return { url: /^https?:/.test(String(value)) ? String(value) : `data:image/png;base64,${String(value)}` }
  })
  const [wide, high] = [number(width), number(height)]
  if ((wide ?? 0) % 16 !== 0 || (high ?? 0) % 16 !== 0) throw new Error('sides are multiples of 16')
  return {
    model: path.slice('/v1/'.length),
    prompt: text(prompt) ?? '',
    size: wide === undefined || high === undefined ? undefined : { width: wide, height: high },
    seed: number(seed),
    format: text(output_format),
    images: inputs,
  }
}

/** Image of each task; its id is its number. */
const tasks: (Uint8Array | undefined)[] = []

/** Written from https://docs.bfl.ai/quick_start/generating_images. Images are URLs there. */
export const images: ImagesFacts = {
  model: 'flux-2-pro',
  paths: ['/v1/{model}'],
  can: {
    sizes: { multiple: 16, pixels: [65_536, 4_194_304], ratio: 4 },
    images: 8,
    seed: true,
    formats: ['png', 'jpeg'],
  },
  read,
  write({ images: made }: ImagesAnswer, { method, query, headers }: Received) {
    if (method === 'POST') {
      const id = String(tasks.push(made[0]))
      return { id, polling_url: `http://${headers['host']}/v1/get_result?id=${id}` }
    }
    const image = tasks[Number(query.get('id')) - 1]
    return {
      id: query.get('id'),
      status: 'Ready',
      result: { sample: image && `data:image/png;base64,${base64(image)}` },
    }
  },
  error: (_, detail) => ({ detail }),
}
