import { crc32, deflateSync, inflateSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { plainMask } from '../../src/families/images/mask.ts'
import { png } from '../support/pictures.ts'

const WIDTH = 5
const HEIGHT = 4

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(data.length)
  sum.writeUInt32BE(crc32(body))
  return Buffer.concat([length, body, sum])
}

interface Written {
  readonly depth?: 8 | 16
  readonly channels?: 2 | 4
  readonly filter?: number
  readonly interlace?: number
}

/** True for pixels that the mask of the tests changes. */
const isChanged = (x: number, y: number): boolean => (x + y) % 3 === 0

/** Image whose changed pixels are transparent, with one filter for all rows. @see https://www.w3.org/TR/png-3/#9Filters */
function mask({ depth = 8, channels = 4, filter = 0, interlace = 0 }: Written = {}): Buffer {
  const bytes = depth / 8
  const pixel = bytes * channels
  const plain = Array.from({ length: HEIGHT }, (_, y) =>
    Buffer.concat(
      Array.from({ length: WIDTH }, (__, x) => {
        const values = Array.from({ length: channels - 1 }, (___, index) => (x * 37 + y * 91 + index * 53) & 255)
        const samples = [...values, isChanged(x, y) ? 0 : 255]
        return Buffer.from(samples.flatMap((value) => Array<number>(bytes).fill(value)))
      }),
    ),
  )
  const rows = plain.map((row, y) => {
    const above = plain[y - 1] ?? Buffer.alloc(row.length)
    const out = Buffer.alloc(row.length + 1, filter)
    for (let at = 0; at < row.length; at++) {
      const [left, up, corner] = [row[at - pixel] ?? 0, above[at] ?? 0, above[at - pixel] ?? 0]
      const nearest = [left, up, corner].reduce((best, one) => {
        const distance = (value: number) => Math.abs(left + up - corner - value)
        return distance(one) < distance(best) ? one : best
      }, left)
      const predicted = [0, left, up, (left + up) >> 1, nearest][filter] ?? 0
      out[at + 1] = (row[at] ?? 0) - predicted
    }
    return out
  })
  const header = Buffer.alloc(13)
  header.writeUInt32BE(WIDTH, 0)
  header.writeUInt32BE(HEIGHT, 4)
  header.writeUInt8(depth, 8)
  header.writeUInt8(channels === 4 ? 6 : 4, 9)
  header.writeUInt8(interlace, 12)
  const data = deflateSync(Buffer.concat(rows))
  const parts = [data.subarray(0, 7), data.subarray(7)].map((part) => chunk('IDAT', part))
  const signature = Buffer.from('89504e470d0a1a0a', 'hex')
  return Buffer.concat([signature, chunk('IHDR', header), ...parts, chunk('IEND', Buffer.alloc(0))])
}

/** Gray values of an image as it is written. */
function grays(image: Buffer | undefined): number[][] {
  if (!image) return []
  expect([image.readUInt32BE(16), image.readUInt32BE(20), image[24], image[25]]).toEqual([WIDTH, HEIGHT, 8, 0])
  const at = image.indexOf('IDAT')
  const rows = inflateSync(image.subarray(at + 4, at + 4 + image.readUInt32BE(at - 4)))
  return Array.from({ length: HEIGHT }, (_, y) => [...rows.subarray(y * (WIDTH + 1) + 1, (y + 1) * (WIDTH + 1))])
}

describe('A mask with transparency', () => {
  const filters = [0, 1, 2, 3, 4]
  const cases = [8, 16].flatMap((depth) =>
    [2, 4].flatMap((channels) => filters.map((filter) => [depth, channels, filter])),
  )

  it.each(cases)(
    'is black and white for a provider: %i bits, %i channels, filter %i',
    async (depth, channels, filter) => {
      const given = mask({ depth: depth as 8, channels: channels as 2, filter: filter as number })
      for (const [color, changed] of [
        ['white', 255],
        ['black', 0],
      ] as const) {
        const due = Array.from({ length: HEIGHT }, (_, y) =>
          Array.from({ length: WIDTH }, (__, x) => (isChanged(x, y) ? changed : 255 - changed)),
        )
        expect(grays(await plainMask(given, color, 'mask'))).toEqual(due)
      }
    },
  )

  it('stays unchanged if it has none', async () => {
    expect(await plainMask(png(4, 4), 'white', 'mask')).toBeUndefined()
    expect(await plainMask(Buffer.from('no image'), 'white', 'mask')).toBeUndefined()
  })

  it('is refused if it cannot be read', async () => {
    const large = mask()
    large.writeUInt32BE(100_000, 16)
    const broken = mask()
    broken.fill(0, broken.indexOf('IDAT') + 4, broken.indexOf('IDAT') + 11)
    const short = mask()
    short.writeUInt32BE(HEIGHT + 1, 20)
    for (const [image, message] of [
      [mask({ interlace: 1 }), 'interlaced'],
      [large.fill(255, 20, 22), 'pixels'],
      [broken, 'not a valid PNG'],
      [short, 'not a complete PNG'],
    ] as const)
      await expect(plainMask(image, 'white', 'mask')).rejects.toMatchObject({
        kind: 'invalid-request',
        param: 'mask',
        message: expect.stringContaining(message),
      })
  })
})
