import type { ByteReader } from './byte-source.ts'

/** Bytes at the end of a file in which its last frame begins: the largest frame and its metadata. */
const TAIL = 512 * 1024
/** Maximum length of a frame header. */
const MAX_HEADER = 16

const CRC = Uint8Array.from({ length: 256 }, (_, byte) => {
  let value = byte
  for (let bit = 0; bit < 8; bit++) value = value & 0x80 ? ((value << 1) ^ 0x07) & 0xff : (value << 1) & 0xff
  return value
})

/**
 * Milliseconds of a FLAC file: the greater of its header and the position of its last frame.
 * @see https://www.rfc-editor.org/rfc/rfc9639
 */
export async function flacDuration(reader: ByteReader, start: number): Promise<number | undefined> {
  const info = await reader.at(start + 8, 34)
  if (info.length < 34) return undefined
  const packed = info.readBigUInt64BE(10)
  const rate = Number(packed >> 44n)
  if (rate === 0) return undefined
  const announced = Number(packed & 0xf_ffff_ffffn)
  const blockSize = info.readUInt16BE(2)
  const from = Math.max(start + 42, reader.size - TAIL)
  return (Math.max(announced, lastSample(await reader.at(from, TAIL), blockSize)) / rate) * 1_000
}

/** Number of samples until the end of the last frame. */
function lastSample(bytes: Buffer, blockSize: number): number {
  for (let at = bytes.length - MAX_HEADER; at >= 0; at--) {
    const end = bytes[at] === 0xff ? endOfFrame(bytes, at, blockSize) : undefined
    if (end !== undefined) return end
  }
  return 0
}

/** Samples until the end of the frame whose header begins at `at`; undefined if none does. */
function endOfFrame(bytes: Buffer, at: number, blockSize: number): number | undefined {
  const second = bytes[at + 1] ?? 0
  const third = bytes[at + 2] ?? 0
  if ((second & 0xfe) !== 0xf8) return undefined
  const coded = codedNumber(bytes, at + 4)
  if (!coded) return undefined
  let end = coded.end
  const code = third >> 4
  let samples = code === 1 ? 192 : code >= 2 && code <= 5 ? 576 << (code - 2) : code >= 8 ? 256 << (code - 8) : 0
  if (code === 6) samples = (bytes[end++] ?? 0) + 1
  if (code === 7) {
    samples = bytes.readUInt16BE(end) + 1
    end += 2
  }
  const rateCode = third & 15
  if (rateCode === 12) end += 1
  if (rateCode === 13 || rateCode === 14) end += 2
  if (samples === 0 || rateCode === 15) return undefined
  let crc = 0
  for (let i = at; i < end; i++) crc = CRC[crc ^ (bytes[i] ?? 0)] ?? 0
  if (crc !== bytes[end]) return undefined
  // With a fixed block size, frames are numbered; otherwise samples are.
  return second & 1 ? coded.value + samples : coded.value * blockSize + samples
}

/** Number in the extended UTF-8 of frame headers, and the position after it. */
function codedNumber(bytes: Buffer, at: number): { readonly value: number; readonly end: number } | undefined {
  const first = bytes[at] ?? 0xff
  if (first < 0x80) return { value: first, end: at + 1 }
  const length = Math.clz32(~(first << 24))
  if (length < 2 || length > 7) return undefined
  let value = first & (0x7f >> length)
  for (let i = 1; i < length; i++) {
    const next = bytes[at + i] ?? 0
    if ((next & 0xc0) !== 0x80) return undefined
    value = value * 64 + (next & 0x3f)
  }
  return { value, end: at + length }
}
