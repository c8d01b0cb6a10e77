import { crc32, deflateSync, inflateSync } from 'node:zlib'

const SIGNATURE = Buffer.from([137, 80, 78, 71, 13, 10, 26, 10])
/** Most colors that a picture with a palette has. */
const COLORS = 256
/** Below which distance two colors look the same. */
const ALIKE = 40

interface Picture {
  readonly width: number
  readonly height: number
  /** Red, green and blue of each point, as one number. */
  readonly points: Uint32Array
}

/**
 * The same picture with a palette: pages have few colors beside those of the edges of letters, which become the
 * nearest ones.
 */
export function withPalette(png: Buffer): Buffer {
  const { width, height, points } = read(png)
  const counts = new Map<number, number>()
  for (const point of points) counts.set(point, (counts.get(point) ?? 0) + 1)
  const colors: number[] = []
  // Shades of one shadow would leave no room for what is rare and another color.
  for (const [color] of [...counts].toSorted(([, one], [, other]) => other - one))
    if (colors.length < COLORS && colors.every((other) => distance(color, other) >= ALIKE)) colors.push(color)
  const places = new Map([...counts.keys()].map((color) => [color, nearest(colors, color)]))
  const rows = Buffer.alloc((width + 1) * height)
  for (let y = 0; y < height; y += 1)
    for (let x = 0; x < width; x += 1) rows[y * (width + 1) + 1 + x] = places.get(points[y * width + x] ?? 0) ?? 0
  const head = Buffer.alloc(13)
  head.writeUInt32BE(width, 0)
  head.writeUInt32BE(height, 4)
  head.set([8, 3], 8)
  const palette = Buffer.from(colors.flatMap((color) => [color >> 16, (color >> 8) & 255, color & 255]))
  const parts = [
    chunk('IHDR', head),
    chunk('PLTE', palette),
    chunk('IDAT', deflateSync(rows, { level: 9 })),
    chunk('IEND', Buffer.alloc(0)),
  ]
  return Buffer.concat([SIGNATURE, ...parts])
}

function nearest(colors: readonly number[], color: number): number {
  let best = 0
  for (const [place, other] of colors.entries())
    if (distance(color, other) < distance(color, colors[best] ?? 0)) best = place
  return best
}

function distance(one: number, other: number): number {
  const squared = (shift: number): number => (((one >> shift) & 255) - ((other >> shift) & 255)) ** 2
  return squared(16) + squared(8) + squared(0)
}

/** A picture as browsers make them: three or four bytes a point, not interlaced. @throws for any other. */
function read(png: Buffer): Picture {
  const [width, height, depth, kind] = [png.readUInt32BE(16), png.readUInt32BE(20), png[24], png[25]]
  const size = kind === 2 ? 3 : kind === 6 ? 4 : undefined
  if (depth !== 8 || size === undefined || png[28] !== 0) throw new Error('A picture is not as browsers make them.')
  const data: Buffer[] = []
  for (let at = SIGNATURE.length; at < png.length; at += png.readUInt32BE(at) + 12)
    if (png.toString('latin1', at + 4, at + 8) === 'IDAT')
      data.push(png.subarray(at + 8, at + 8 + png.readUInt32BE(at)))
  const filtered = inflateSync(Buffer.concat(data))
  const bytes = unfiltered(filtered, width * size, height, size)
  const points = new Uint32Array(width * height)
  for (const place of points.keys()) points[place] = bytes.readUIntBE(place * size, 3)
  return { width, height, points }
}

/** Each row says what it was taken from: nothing, the point before, the one above, or both. */
function unfiltered(rows: Buffer, length: number, height: number, size: number): Buffer {
  const bytes = Buffer.alloc(length * height)
  for (let y = 0; y < height; y += 1) {
    const filter = rows[y * (length + 1)]
    for (let x = 0; x < length; x += 1) {
      const at = y * length + x
      const left = x >= size ? (bytes[at - size] ?? 0) : 0
      const above = y > 0 ? (bytes[at - length] ?? 0) : 0
      const corner = x >= size && y > 0 ? (bytes[at - length - size] ?? 0) : 0
      const guess = [0, left, above, (left + above) >> 1, paeth(left, above, corner)][filter ?? 0] ?? 0
      bytes[at] = (rows[y * (length + 1) + 1 + x] ?? 0) + guess
    }
  }
  return bytes
}

function paeth(left: number, above: number, corner: number): number {
  const guess = left + above - corner
  const [a, b, c] = [Math.abs(guess - left), Math.abs(guess - above), Math.abs(guess - corner)]
  return a <= b && a <= c ? left : b <= c ? above : corner
}

function chunk(kind: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(kind, 'latin1'), data])
  const [length, check] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(data.length)
  check.writeUInt32BE(crc32(body))
  return Buffer.concat([length, body, check])
}
