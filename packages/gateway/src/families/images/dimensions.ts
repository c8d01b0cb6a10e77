import type { ImageSize } from '@headgate/core/contract'

/** Bytes at the start of an image that are enough to find its size, unless metadata precedes it. */
export const HEAD_BYTES = 64 * 1024

/** Media type and size of an image. */
export interface ImageFacts {
  readonly type: string
  /** Undefined if the header is unreadable or further behind. */
  readonly size: ImageSize | undefined
}

/**
 * Facts of a PNG, JPEG, WebP or GIF image, read from its first bytes without decoding; undefined for others.
 * @see https://www.w3.org/TR/png-3/#11IHDR
 * @see https://developers.google.com/speed/webp/docs/riff_container
 */
export function imageFacts(head: Buffer): ImageFacts | undefined {
  if (head.length >= 24 && head.readUInt32BE(0) === 0x89504e47)
    return { type: 'image/png', size: sizeOf(head.readUInt32BE(16), head.readUInt32BE(20)) }
  if (head.length >= 3 && head.readUIntBE(0, 3) === 0xffd8ff) return { type: 'image/jpeg', size: jpegSize(head) }
  if (head.length >= 10 && /^GIF8[79]a$/.test(head.toString('latin1', 0, 6)))
    return { type: 'image/gif', size: sizeOf(head.readUInt16LE(6), head.readUInt16LE(8)) }
  if (head.length >= 12 && head.toString('latin1', 0, 4) === 'RIFF' && head.toString('latin1', 8, 12) === 'WEBP')
    return { type: 'image/webp', size: webpSize(head) }
  if (/^\s*(?:<\?xml[^>]*>\s*)?(?:<!--.*?-->\s*)?<svg[\s>]/is.test(head.toString('utf8', 0, 1024)))
    return { type: 'image/svg+xml', size: undefined }
  return undefined
}

function sizeOf(width: number, height: number): ImageSize | undefined {
  return width > 0 && height > 0 ? { width, height } : undefined
}

/** Size in the first frame header. Other segments are skipped by their length. */
function jpegSize(bytes: Buffer): ImageSize | undefined {
  let at = 2
  while (at + 9 <= bytes.length) {
    if (bytes[at] !== 0xff) return undefined
    const marker = bytes[at + 1] ?? 0
    if (marker === 0xff) {
      at++
      continue
    }
    const isFrame = marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc
    if (isFrame) return sizeOf(bytes.readUInt16BE(at + 7), bytes.readUInt16BE(at + 5))
    at += 2 + bytes.readUInt16BE(at + 2)
  }
  return undefined
}

function webpSize(bytes: Buffer): ImageSize | undefined {
  if (bytes.length < 30) return undefined
  const kind = bytes.toString('latin1', 12, 16)
  if (kind === 'VP8X') return sizeOf(bytes.readUIntLE(24, 3) + 1, bytes.readUIntLE(27, 3) + 1)
  if (kind === 'VP8 ') return sizeOf(bytes.readUInt16LE(26) & 0x3fff, bytes.readUInt16LE(28) & 0x3fff)
  if (kind !== 'VP8L') return undefined
  const bits = bytes.readUInt32LE(21)
  return sizeOf((bits & 0x3fff) + 1, ((bits >>> 14) & 0x3fff) + 1)
}
