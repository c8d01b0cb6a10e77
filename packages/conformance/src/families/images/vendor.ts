import { crc32, deflateSync } from 'node:zlib'
import type { ImageSize } from '@headgate/core/provider'
import { number, object, objects, text } from '../../json.ts'
import type { Received, UpstreamReply } from '../../upstream.ts'
import type { ImagesAnswer, ImagesFacts, ImagesMeaning } from './facts.ts'

function chunk(type: string, data: Buffer): Buffer {
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)]
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data])
  length.writeUInt32BE(data.length)
  sum.writeUInt32BE(crc32(body))
  return Buffer.concat([length, body, sum])
}

/** A gray PNG image. Different shades are different bytes. */
export function picture({ width, height }: ImageSize, shade = 0): Buffer {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header.writeUInt8(8, 8)
  const pixels = deflateSync(Buffer.alloc((width + 1) * height, shade))
  return Buffer.concat([
    Buffer.from('89504e470d0a1a0a', 'hex'),
    chunk('IHDR', header),
    chunk('IDAT', pixels),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

/** Size of images of vendors that choose it. */
export const OWN_SIZE: ImageSize = { width: 48, height: 32 }

/** Usage of a request. */
export function tokensOf({ prompt, images }: ImagesMeaning, made: number): ImagesAnswer['tokens'] {
  return { input: [...prompt].length + 100 * images.length, output: 196 * made }
}

/** Simulated vendor that draws gray images of the requested size. */
export interface ImagesVendor {
  /** Responds according to its facts. */
  answer(request: Received): UpstreamReply
  /** Requests as it understood them, oldest first. */
  readonly asked: readonly ImagesMeaning[]
  readonly refusals: readonly string[]
  /** All images so far. */
  readonly made: readonly Uint8Array[]
  error(status: number, message: string): object
}

/** @param change changes the images of each answer */
export function imagesVendor(
  facts: ImagesFacts,
  change: (images: Buffer[]) => Buffer[] = (same) => same,
): ImagesVendor {
  const { read = readShared, write = writeShared, error = (_, message) => ({ error: { message } }) } = facts
  const asked: ImagesMeaning[] = []
  const refusals: string[] = []
  const made: Uint8Array[] = []
  const refuse = (reason: string): UpstreamReply => {
    refusals.push(reason)
    return { kind: 'whole', status: 400, body: error(400, reason) }
  }
  return {
    asked,
    refusals,
    made,
    error,
    answer(request) {
      // Other requests are states of a job, or files.
      if (request.method !== 'POST') return replyOf(write(lastOf(asked, made), request))
      try {
        const meaning = read(request)
        const problem = problemOf(meaning, facts)
        if (problem !== undefined) return refuse(problem)
        asked.push(meaning)
        const { n = 1, size = OWN_SIZE } = meaning
        // Large sizes would make the kit slow.
        const drawn = size.width * size.height > 4_000_000 ? OWN_SIZE : size
        const images = change(Array.from({ length: n }, (_, index) => picture(drawn, made.length + index)))
        made.push(...images)
        return replyOf(write({ images, request: meaning, tokens: tokensOf(meaning, images.length) }, request))
      } catch (problem) {
        return refuse(
          `\`read\` or \`write\` of the facts throws: ${problem instanceof Error ? problem.message : String(problem)}`,
        )
      }
    },
  }
}

function lastOf(asked: readonly ImagesMeaning[], made: readonly Uint8Array[]): ImagesAnswer {
  const request = asked.at(-1)
  if (!request) throw new Error('a job was queried before it was created')
  const images = made.slice(-(request.n ?? 1))
  return { images, request, tokens: tokensOf(request, images.length) }
}

function replyOf(written: object | UpstreamReply): UpstreamReply {
  return 'kind' in written ? written : { kind: 'whole', body: written }
}

function problemOf(meaning: ImagesMeaning, { model, can }: ImagesFacts): string | undefined {
  const { prompt, n = 1, size, ratio, resolution, quality, format, images, mask } = meaning
  const pixels = size && `${size.width}x${size.height}`
  for (const [name, isAble] of Object.entries({ seed: can.seed, negative: can.negative, user: can.user }))
    if (!isAble && meaning[name as 'seed'] !== undefined) return `${name} is an unknown field`
  if (meaning.background === 'transparent' && !can.transparent) return 'transparent images are not supported'
  if (prompt === '') return 'the prompt is missing'
  if (meaning.model !== model) return `the model ${meaning.model} is unknown`
  if (n > (can.n ?? 1)) return `${n} images in one request, ${can.n ?? 1} at most`
  if (images.length > (can.images ?? 0)) return `${images.length} images to edit, ${can.images ?? 0} at most`
  if (mask && !can.mask) return 'masks are not supported'
  if (pixels !== undefined && Array.isArray(can.sizes) && !can.sizes.some((one) => one.replace('*', 'x') === pixels))
    return `the size ${pixels} is not supported`
  if (pixels !== undefined && can.sizes === undefined) return 'the size is an unknown field'
  if (ratio !== undefined && !can.ratios?.includes(ratio)) return `the ratio ${ratio} is not supported`
  if (resolution !== undefined && !Object.hasOwn(can.resolutions ?? {}, resolution))
    return `the resolution ${resolution} is not supported`
  if (quality !== undefined && !can.qualities?.includes(quality)) return `the quality ${quality} is not supported`
  return format !== undefined && !can.formats?.some((one) => one === format)
    ? `the format ${format} is not supported`
    : undefined
}

const KNOWN = [
  ...['model', 'prompt', 'n', 'size', 'quality', 'output_format', 'output_compression', 'background', 'seed'],
  ...['negative_prompt', 'user', 'response_format', 'image', 'image[]', 'images', 'mask', 'aspect_ratio', 'resolution'],
]

/** @see https://platform.openai.com/docs/api-reference/images */
function readShared({ body, parts }: Received): ImagesMeaning {
  const fields = object(body)
  const unknown = Object.keys(fields).filter((name) => !KNOWN.includes(name))
  if (unknown.length > 0) throw new Error(`unknown fields: ${unknown.join(', ')}`)
  const value = (name: string): string | undefined => (fields[name] === undefined ? undefined : String(fields[name]))
  const count = (name: string): number | undefined =>
    fields[name] === undefined ? undefined : (number(fields[name]) ?? Number(fields[name]))
  const [, width, height] = /^(\d+)x(\d+)$/.exec(value('size') ?? '') ?? []
  const linked = objects(fields['images']).map(({ image_url }) => ({ url: text(image_url) }))
  const maskUrl = object(fields['mask'])['image_url']
  const mask = parts.find(({ name }) => name === 'mask') ?? (maskUrl === undefined ? undefined : { url: text(maskUrl) })
  return {
    model: text(fields['model']),
    prompt: text(fields['prompt']),
    n: count('n'),
    size: width === undefined ? undefined : { width: Number(width), height: Number(height) },
    ratio: value('aspect_ratio'),
    resolution: value('resolution'),
    quality: value('quality'),
    format: value('output_format'),
    compression: count('output_compression'),
    background: value('background'),
    seed: count('seed'),
    negative: value('negative_prompt'),
    user: value('user'),
    images: [...parts.filter(({ name }) => name === 'image' || name === 'image[]'), ...linked],
    mask,
  }
}

function writeShared({ images, tokens: { input, output } }: ImagesAnswer): object {
  return {
    created: 1_700_000_000,
    data: images.map((image) => ({ b64_json: Buffer.from(image).toString('base64') })),
    usage: { input_tokens: input, output_tokens: output, total_tokens: input + output },
  }
}
