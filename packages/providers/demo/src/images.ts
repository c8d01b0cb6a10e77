import {
  HeadgateError,
  type ImageSize,
  type ImagesRequest,
  type ImagesSupport,
  type LocalResponse,
  object,
  objects,
  text,
} from '@headgate/core/provider'
import { hueOf } from './hue.ts'
import { png } from './png.ts'

/** Path of requests for images. */
export const IMAGES = '/images'

/** Default size, in pixels. */
const SIZE: ImageSize = { width: 256, height: 256 }
const MOST_PIXELS = 4_194_304
const LONGEST_SIDE = 4_096
/** Maximum images of one request. */
const MOST_IMAGES = 10
const COLORS = 256

/** Pictures with a diagonal gradient whose colors depend on the prompt. They are PNG files of the requested size. */
export const images: ImagesSupport = {
  can: {
    n: MOST_IMAGES,
    sizes: { multiple: 1, pixels: [1, MOST_PIXELS], ratio: LONGEST_SIDE, side: LONGEST_SIDE },
    formats: ['png'],
    seed: true,
    images: 16,
    mask: true,
  },
  request({ prompt, n, size = SIZE, seed, images: inputs, mask }: ImagesRequest, call) {
    if (inputs.length > 0) call.lose('image', 'the demo only reads the prompt')
    if (mask) call.lose('mask', 'the demo only reads the prompt')
    if (/\bdemo:reject\b/.test(prompt))
      throw new HeadgateError('content-policy', 'The demo rejected the prompt, as requested.')
    const hues = Array.from({ length: n }, (_, index) => hueOf(prompt, (seed ?? 0) + index * 40))
    return { method: 'POST', url: IMAGES, body: { json: { size, hues } } }
  },
  response({ body }) {
    const made = objects(object(body)?.['images']).map(({ base64 }) => ({ base64: text(base64), type: 'image/png' }))
    return { images: made, usage: { input: 0, output: 0, units: { images: made.length } } }
  },
}

/** Pictures in JSON, for the body of a request. */
export async function pictures({ size, hues }: { size: ImageSize; hues: readonly number[] }): Promise<LocalResponse> {
  const made: { base64: string }[] = []
  for (const hue of hues) made.push({ base64: base64(await gradient(size, hue)) })
  return { type: 'application/json', bytes: new TextEncoder().encode(JSON.stringify({ images: made })) }
}

/** PNG file with a gradient from the top left to the bottom right. */
function gradient({ width, height }: ImageSize, hue: number): Promise<Uint8Array> {
  const length = width + height - 1
  const diagonal = Uint8Array.from({ length }, (_, at) => Math.floor((at * COLORS) / length))
  const rows = Array.from({ length: height }, (_, row) => diagonal.subarray(row, row + width))
  const colors = Uint8Array.from({ length: COLORS }, (_, index) => index).reduce(
    (all, index) => {
      all.set(colorAt(hue + (index * 120) / COLORS), index * 3)
      return all
    },
    new Uint8Array(COLORS * 3),
  )
  return png({ width, height, colors, rows })
}

/** Bright color of a hue in degrees. */
function colorAt(hue: number): readonly [red: number, green: number, blue: number] {
  const part = (offset: number): number => Math.round(150 + 90 * Math.cos(((hue - offset) / 180) * Math.PI))
  return [part(0), part(120), part(240)]
}

/** Bytes of a piece of base64, a multiple of three. */
const PIECE = 24_576

function base64(bytes: Uint8Array): string {
  let out = ''
  for (let at = 0; at < bytes.length; at += PIECE) out += btoa(String.fromCharCode(...bytes.subarray(at, at + PIECE)))
  return out
}
