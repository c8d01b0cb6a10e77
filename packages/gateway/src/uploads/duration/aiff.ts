import type { ByteReader } from './byte-source.ts'

const MAX_CHUNKS = 1_000

/** Milliseconds of an AIFF or AIFF-C file. Undefined for an invalid file. */
export async function aiffDuration(reader: ByteReader): Promise<number | undefined> {
  let at = 12
  for (let count = 0; count < MAX_CHUNKS && at + 8 <= reader.size; count++) {
    const head = await reader.at(at, 8)
    const size = head.readUInt32BE(4)
    if (head.toString('latin1', 0, 4) === 'COMM' && size >= 18) {
      const common = await reader.at(at + 8, 18)
      const rate = common.length === 18 ? extended(common, 8) : 0
      return rate > 0 ? (common.readUInt32BE(2) / rate) * 1_000 : undefined
    }
    at += 8 + size + (size % 2)
  }
  return undefined
}

/** Extended-precision number of 80 bits. */
function extended(bytes: Buffer, at: number): number {
  const exponent = (bytes.readUInt16BE(at) & 0x7fff) - 16_383 - 63
  return Number(bytes.readBigUInt64BE(at + 2)) * 2 ** exponent
}
