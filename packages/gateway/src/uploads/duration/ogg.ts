import type { ByteReader } from './byte-source.ts'

const HEAD = 27
/** Bytes without a page after which a file ends. */
const MAX_GAP = 256 * 1024
const OPUS_RATE = 48_000
const BEGINS = 2
/** Granule position of a page on which no packet ends. */
const NONE = 0xffff_ffff_ffff_ffffn

/** Stream of sound in a file. */
interface SoundStream {
  readonly rate: number
  /** Samples at the start that players leave out. */
  readonly skipped: number
  last: number
}

/**
 * Milliseconds of an Ogg file with Opus, Vorbis, FLAC or Speex. Streams that follow each other are added.
 * @see https://www.rfc-editor.org/rfc/rfc3533
 */
export async function oggDuration(reader: ByteReader): Promise<number | undefined> {
  let streams = new Map<number, SoundStream>()
  let [total, at, gap] = [0, 0, 0]
  let hasContent = false
  while (at + HEAD <= reader.size && gap < MAX_GAP) {
    const near = reader.at(at, HEAD + 255)
    const head = near instanceof Promise ? await near : near
    if (head.readUInt32BE(0) !== 0x4f676753) {
      at++
      gap++
      continue
    }
    gap = 0
    const segments = head[26] ?? 0
    const size = head.subarray(HEAD, HEAD + segments).reduce((sum, one) => sum + one, 0)
    const begins = ((head[5] ?? 0) & BEGINS) !== 0
    if (begins && hasContent) {
      total += longest(streams)
      streams = new Map()
    }
    hasContent = !begins
    const serial = head.readUInt32LE(14)
    if (begins) {
      const stream = streamOf(await reader.at(at + HEAD + segments, Math.min(size, 64)))
      if (stream) streams.set(serial, stream)
    } else {
      const stream = streams.get(serial)
      const granule = head.readBigUInt64LE(6)
      if (stream && granule !== NONE) stream.last = Math.max(stream.last, Number(granule))
    }
    at += HEAD + segments + size
  }
  total += longest(streams)
  return total > 0 ? total : undefined
}

function longest(streams: ReadonlyMap<number, SoundStream>): number {
  return Math.max(
    0,
    ...[...streams.values()].map(({ rate, skipped, last }) => (Math.max(0, last - skipped) / rate) * 1_000),
  )
}

function streamOf(packet: Buffer): SoundStream | undefined {
  const id = packet.toString('latin1', 0, 8)
  if (id === 'OpusHead' && packet.length >= 12) return { rate: OPUS_RATE, skipped: packet.readUInt16LE(10), last: 0 }
  const rate =
    id.startsWith('\x01vorbis') && packet.length >= 16
      ? packet.readUInt32LE(12)
      : id.startsWith('\x7fFLAC') && packet.length >= 35
        ? packet.readUIntBE(27, 3) >> 4
        : id === 'Speex   ' && packet.length >= 40
          ? packet.readUInt32LE(36)
          : 0
  return rate > 0 ? { rate, skipped: 0, last: 0 } : undefined
}
