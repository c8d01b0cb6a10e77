import { promisify } from 'node:util'
import zlib from 'node:zlib'
import { HeadgateError, invalid } from '@headgate/core/errors'
import { takeTurn } from '#transport'

/** Color of the pixels that change in a mask without transparency. */
export type MaskColor = 'white' | 'black'

/** Maximum pixels of a mask: the largest image that OpenAI's models make. */
const MAX_PIXELS = 8_294_400
/** Alpha below which a pixel changes. */
const OPAQUE = 128
const SIGNATURE = Buffer.from('89504e470d0a1a0a', 'hex')
const HEADER_BYTES = 13
/** Color types of PNG with an alpha channel, with their channels: gray, and red, green and blue. */
const CHANNELS: Readonly<Record<number, number>> = { 4: 2, 6: 4 }

const inflate = promisify<Buffer, zlib.ZlibOptions, Buffer>(zlib.inflate)
const deflate = promisify<Buffer, Buffer>(zlib.deflate)

interface Bitmap {
  readonly width: number
  readonly height: number
  /** Bytes of one channel: 1 or 2. */
  readonly depth: number
  readonly channels: number
  /** Compressed rows. */
  readonly data: Buffer
}

/**
 * PNG mask in black and white for a PNG mask with an alpha channel, whose transparent pixels change. Undefined for
 * other images, which are masks in the provider's colors already.
 * @see https://www.w3.org/TR/png-3/#11IDAT
 * @throws HeadgateError `invalid-request` for a PNG image that cannot be read. `path` is the caller's field.
 */
export async function plainMask(png: Buffer, color: MaskColor, path: string): Promise<Buffer | undefined> {
  const bitmap = readPng(png, path)
  if (!bitmap) return undefined
  const { width, height, depth, channels } = bitmap
  const size = height * (1 + width * depth * channels)
  const rows = await inflate(bitmap.data, { maxOutputLength: size }).catch((cause: unknown) => {
    throw new HeadgateError('invalid-request', `${path} is not a valid PNG image.`, { param: path, cause })
  })
  if (rows.length < size) throw invalid(path, `${path} is not a complete PNG image.`)
  const gray = await takeTurn(() => grayRows(rows, bitmap, color))
  return writePng(bitmap, await deflate(gray))
}

/** Undefined for images that are not PNG, or have no alpha channel. */
function readPng(png: Buffer, path: string): Bitmap | undefined {
  if (!png.subarray(0, SIGNATURE.length).equals(SIGNATURE) || png.length < 33) return undefined
  const header = png.subarray(16, 16 + HEADER_BYTES)
  const [width, height] = [header.readUInt32BE(0), header.readUInt32BE(4)]
  const channels = CHANNELS[header.readUInt8(9)]
  if (channels === undefined) return undefined
  if (width * height > MAX_PIXELS) throw invalid(path, `${path} has more than ${MAX_PIXELS} pixels.`)
  if (width * height === 0 || header.readUInt8(12) !== 0)
    throw invalid(path, `${path} is an interlaced PNG image. Save it without interlacing.`)
  const chunks: Buffer[] = []
  for (let at = SIGNATURE.length; at + 12 <= png.length; ) {
    const length = png.readUInt32BE(at)
    if (png.toString('latin1', at + 4, at + 8) === 'IDAT') chunks.push(png.subarray(at + 8, at + 8 + length))
    at += 12 + length
  }
  return { width, height, depth: header.readUInt8(8) === 16 ? 2 : 1, channels, data: Buffer.concat(chunks) }
}

/** Rows of a gray image, each with filter 0. The given rows are changed in place. */
function grayRows(rows: Buffer, { width, height, depth, channels }: Bitmap, color: MaskColor): Buffer {
  const pixel = depth * channels
  const stride = 1 + width * pixel
  const [changed, kept] = color === 'white' ? [255, 0] : [0, 255]
  const gray = Buffer.alloc(height * (1 + width))
  for (let y = 0; y < height; y++) {
    unfilter(rows, y * stride, stride, pixel, y > 0)
    for (let x = 0; x < width; x++) {
      // The alpha channel is the last one, with its high byte first.
      const alpha = rows[y * stride + 1 + x * pixel + (channels - 1) * depth] ?? 0
      gray[y * (1 + width) + 1 + x] = alpha < OPAQUE ? changed : kept
    }
  }
  return gray
}

/** Undoes the filter of a row in place. @see https://www.w3.org/TR/png-3/#9Filters */
function unfilter(rows: Buffer, start: number, stride: number, pixel: number, hasAbove: boolean): void {
  const filter = rows[start]
  for (let at = start + 1; at < start + stride; at++) {
    const isFirst = at - start <= pixel
    const left = isFirst ? 0 : (rows[at - pixel] ?? 0)
    const above = hasAbove ? (rows[at - stride] ?? 0) : 0
    const corner = isFirst || !hasAbove ? 0 : (rows[at - stride - pixel] ?? 0)
    const own = rows[at] ?? 0
    if (filter === 1) rows[at] = own + left
    else if (filter === 2) rows[at] = own + above
    else if (filter === 3) rows[at] = own + ((left + above) >> 1)
    else if (filter === 4) rows[at] = own + paeth(left, above, corner)
  }
}

function paeth(left: number, above: number, corner: number): number {
  const estimate = left + above - corner
  const [a, b, c] = [Math.abs(estimate - left), Math.abs(estimate - above), Math.abs(estimate - corner)]
  if (a <= b && a <= c) return left
  return b <= c ? above : corner
}

function writePng({ width, height }: Bitmap, data: Buffer): Buffer {
  const header = Buffer.alloc(HEADER_BYTES)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header.writeUInt8(8, 8)
  return Buffer.concat([SIGNATURE, chunk('IHDR', header), chunk('IDAT', data), chunk('IEND', Buffer.alloc(0))])
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(data.length)
  sum.writeUInt32BE(zlib.crc32(body))
  return Buffer.concat([length, body, sum])
}
