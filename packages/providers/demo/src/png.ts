/** Picture with one of 256 colors per pixel. */
export interface IndexedPicture {
  readonly width: number
  readonly height: number
  /** Red, green and blue of each color, from 0 to 255. */
  readonly colors: Uint8Array
  /** Rows of the picture from the top, each with one byte per pixel. */
  readonly rows: Iterable<Uint8Array>
}

const SIGNATURE = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]
/** Type of pictures with a palette. */
const PALETTE = 3
const DEPTH = 8
/** Bytes around the data of a chunk: its length, type and checksum. */
const AROUND = 12

/**
 * PNG file of a picture.
 * @see https://www.w3.org/TR/png-3/
 */
export async function png({ width, height, colors, rows }: IndexedPicture): Promise<Uint8Array> {
  const head = new DataView(new ArrayBuffer(13))
  head.setUint32(0, width)
  head.setUint32(4, height)
  head.setUint8(8, DEPTH)
  head.setUint8(9, PALETTE)
  const pixels = new Uint8Array(height * (width + 1))
  let at = 0
  for (const row of rows) {
    // The byte before each row is its filter: none.
    pixels.set(row, at + 1)
    at += width + 1
  }
  return joined([
    Uint8Array.from(SIGNATURE),
    chunk('IHDR', new Uint8Array(head.buffer)),
    chunk('PLTE', colors),
    chunk('IDAT', await deflated(pixels)),
    chunk('IEND', new Uint8Array(0)),
  ])
}

async function deflated(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array> {
  const stream = new Blob([bytes]).stream().pipeThrough(new CompressionStream('deflate'))
  return new Uint8Array(await new Response(stream).arrayBuffer())
}

function chunk(type: string, data: Uint8Array): Uint8Array {
  const out = new Uint8Array(data.length + AROUND)
  const view = new DataView(out.buffer)
  view.setUint32(0, data.length)
  for (let index = 0; index < type.length; index++) out[4 + index] = type.charCodeAt(index)
  out.set(data, 8)
  view.setUint32(data.length + 8, checksum(out.subarray(4, data.length + 8)))
  return out
}

const TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let value = byte
  for (let bit = 0; bit < 8; bit++) value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1
  return value
})

/** CRC-32 of ISO 3309. */
function checksum(bytes: Uint8Array): number {
  let value = 0xffffffff
  for (const byte of bytes) value = (value >>> 8) ^ (TABLE[(value ^ byte) & 0xff] ?? 0)
  return (value ^ 0xffffffff) >>> 0
}

function joined(parts: readonly Uint8Array[]): Uint8Array {
  const out = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0))
  let at = 0
  for (const part of parts) {
    out.set(part, at)
    at += part.length
  }
  return out
}
