import type { ByteReader } from './byte-source.ts'

const UNKNOWN_SIZE = 0xffffffff
const PCM = 1
const FLOAT = 3
/** Formats with a number of samples per block: ADPCM of Microsoft and IMA. */
const BLOCK_CODED: ReadonlySet<number> = new Set([2, 17])

/** Chunks of a file after which its content is not an audio file. */
const MAX_CHUNKS = 1_000

interface WaveFormat {
  readonly bytesPerSecond: number
}

/**
 * Milliseconds of a WAV file: RIFF, RF64, or a stream without sizes. Undefined for an invalid file.
 * @see https://tech.ebu.ch/docs/tech/tech3306v1_0.pdf
 */
export async function wavDuration(reader: ByteReader): Promise<number | undefined> {
  let format: WaveFormat | undefined
  let large: number | undefined
  let at = 12
  for (let count = 0; count < MAX_CHUNKS && at + 8 <= reader.size; count++) {
    const head = await reader.at(at, 8)
    const id = head.toString('latin1', 0, 4)
    const size = head.readUInt32LE(4)
    const start = at + 8
    if (id === 'ds64') large = Number((await reader.at(start + 8, 8)).readBigUInt64LE())
    if (id === 'fmt ' && size >= 16) format = formatOf(await reader.at(start, Math.min(size, 20)))
    if (id === 'data') {
      if (!format || format.bytesPerSecond === 0) return undefined
      const bytes = await dataSize(reader, start, size === UNKNOWN_SIZE ? large : size)
      return (bytes / format.bytesPerSecond) * 1_000
    }
    at = start + size + (size % 2)
  }
  return undefined
}

function formatOf(bytes: Buffer): WaveFormat {
  const kind = bytes.readUInt16LE(0)
  const [channels, perSecond, block] = [bytes.readUInt16LE(2), bytes.readUInt32LE(4), bytes.readUInt16LE(12)]
  // The rate of plain and block-coded samples follows from their size, not from the header.
  if (kind === PCM || kind === FLOAT)
    return { bytesPerSecond: perSecond * channels * Math.ceil(bytes.readUInt16LE(14) / 8) }
  const samples = BLOCK_CODED.has(kind) && bytes.length >= 20 ? bytes.readUInt16LE(18) : 0
  return { bytesPerSecond: samples > 0 ? (perSecond * block) / samples : bytes.readUInt32LE(8) }
}

/** Size of the samples: the announced size, or all bytes if what follows them is not a chunk. */
async function dataSize(reader: ByteReader, start: number, announced: number | undefined): Promise<number> {
  const available = reader.size - start
  if (announced === undefined || announced === 0 || announced >= available) return available
  const after = start + announced + (announced % 2)
  if (after + 8 > reader.size) return announced
  const head = await reader.at(after, 8)
  const isChunk =
    /^[\x20-\x7e]{4}$/.test(head.toString('latin1', 0, 4)) && after + 8 + head.readUInt32LE(4) <= reader.size + 1
  return isChunk ? announced : available
}
