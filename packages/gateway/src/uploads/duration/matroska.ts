import type { ByteReader } from './byte-source.ts'

/** Maximum number of elements that are read. */
const MAX_ELEMENTS = 5_000_000
const NANOSECONDS_PER_MS = 1_000_000

const SEGMENT = 0x18538067
const INFO = 0x1549a966
const TIMESTAMP_SCALE = 0x2ad7b1
const DURATION = 0x4489
const CLUSTER = 0x1f43b675
const TIMESTAMP = 0xe7
const SIMPLE_BLOCK = 0xa3
const BLOCK_GROUP = 0xa0
const BLOCK = 0xa1
const BLOCK_DURATION = 0x9b

/** Elements whose children are read in place. */
const MASTERS: ReadonlySet<number> = new Set([SEGMENT, INFO, CLUSTER, BLOCK_GROUP])

interface Element {
  readonly id: number
  /** Start of its content. */
  readonly start: number
  /** Undefined = unknown, as in live streams. */
  readonly size: number | undefined
}

/**
 * Milliseconds of a WebM or Matroska file: the greater of its header and the end of its last block.
 * @see https://www.rfc-editor.org/rfc/rfc9559
 */
export async function matroskaDuration(reader: ByteReader): Promise<number | undefined> {
  let [scale, announced, cluster, last, length] = [NANOSECONDS_PER_MS, 0, 0, 0, 0]
  let at = 0
  for (let count = 0; count < MAX_ELEMENTS && at < reader.size; count++) {
    const near = reader.at(at, 32)
    const element = elementOf(near instanceof Promise ? await near : near, at)
    if (!element) break
    const { id, start, size } = element
    const content =
      id === SIMPLE_BLOCK || id === BLOCK || (size !== undefined && size <= 8) ? await reader.at(start, 16) : undefined
    const value = content && size !== undefined && size <= 8 ? content.subarray(0, size) : undefined
    if (id === TIMESTAMP_SCALE && value) scale = unsigned(value)
    if (id === DURATION && value) announced = floating(value)
    if (id === TIMESTAMP && value) cluster = unsigned(value)
    if ((id === SIMPLE_BLOCK || id === BLOCK) && content) {
      const time = cluster + blockTime(content)
      // Without a duration, a block lasts as long as the one before it.
      if (time > last) length = time - last
      last = Math.max(last, time)
    }
    if (id === BLOCK_DURATION && value) length = unsigned(value)
    at = MASTERS.has(id) ? start : start + (size ?? 0)
  }
  const units = Math.max(announced, last > 0 ? last + length : 0)
  return units > 0 && scale > 0 ? (units * scale) / NANOSECONDS_PER_MS : undefined
}

/** Number with a length in its first byte, with or without the bits of the length. */
function variable(
  bytes: Buffer,
  at: number,
  keepsLength: boolean,
): { readonly value: number; readonly end: number } | undefined {
  const first = bytes[at]
  if (first === undefined || first === 0) return undefined
  const length = Math.clz32(first) - 23
  if (at + length > bytes.length) return undefined
  let value = keepsLength ? first : first & (0xff >> length)
  let isUnknown = !keepsLength && value === 0xff >> length
  for (let i = 1; i < length; i++) {
    const next = bytes[at + i] ?? 0
    value = value * 256 + next
    isUnknown &&= next === 0xff
  }
  return { value: isUnknown ? Number.NaN : value, end: at + length }
}

function elementOf(bytes: Buffer, at: number): Element | undefined {
  const id = variable(bytes, 0, true)
  const size = id && variable(bytes, id.end, false)
  if (!id || !size) return undefined
  return { id: id.value, start: at + size.end, size: Number.isNaN(size.value) ? undefined : size.value }
}

/** Time of a block, relative to its cluster. */
function blockTime(content: Buffer): number {
  const track = variable(content, 0, false)
  return track && content.length >= track.end + 2 ? content.readInt16BE(track.end) : 0
}

function unsigned(bytes: Buffer): number {
  return bytes.reduce((sum, byte) => sum * 256 + byte, 0)
}

function floating(bytes: Buffer): number {
  if (bytes.length === 4) return bytes.readFloatBE()
  return bytes.length === 8 ? bytes.readDoubleBE() : 0
}
