import type { ByteReader } from './byte-source.ts'

/** Bytes without a frame after which a file is not MPEG audio. */
const MAX_GAP = 64 * 1024

const BITRATES: readonly (readonly (readonly number[])[])[] = [
  [
    [32, 64, 96, 128, 160, 192, 224, 256, 288, 320, 352, 384, 416, 448],
    [32, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384],
    [32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320],
  ],
  [
    [32, 48, 56, 64, 80, 96, 112, 128, 144, 160, 176, 192, 224, 256],
    [8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
    [8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
  ],
]
const RATES: readonly number[] = [44_100, 48_000, 32_000]
const ADTS_RATES: readonly number[] = [
  96_000, 88_200, 64_000, 48_000, 44_100, 32_000, 24_000, 22_050, 16_000, 12_000, 11_025, 8_000, 7_350,
]

/** Frame of MPEG audio. */
interface AudioFrame {
  readonly size: number
  readonly samples: number
  readonly rate: number
}

/** Frame that begins with these 4 bytes (MPEG 1, 2 and 2.5, layers I to III); undefined if none does. */
function mpegFrame(head: Buffer): AudioFrame | undefined {
  const [first = 0, second = 0, third = 0] = head
  if (head.length < 4 || first !== 0xff || (second & 0xe0) !== 0xe0) return undefined
  const version = (second >> 3) & 3
  const layer = 4 - ((second >> 1) & 3)
  const rate = RATES[(third >> 2) & 3]
  if (version === 1 || layer === 4 || rate === undefined) return undefined
  const isFirst = version === 3
  const kilobits = BITRATES[isFirst ? 0 : 1]?.[layer - 1]?.[(third >> 4) - 1]
  if (kilobits === undefined) return undefined
  const own = isFirst ? rate : version === 2 ? rate / 2 : rate / 4
  const padding = (third >> 1) & 1
  const samples = layer === 1 ? 384 : layer === 3 && !isFirst ? 576 : 1_152
  const size =
    layer === 1
      ? (Math.floor((12 * kilobits * 1_000) / own) + padding) * 4
      : Math.floor(((samples / 8) * kilobits * 1_000) / own) + padding
  return { size, samples, rate: own }
}

/** Frame of AAC in ADTS that begins with these 7 bytes; undefined if none does. */
function adtsFrame(head: Buffer): AudioFrame | undefined {
  const [first = 0, second = 0, third = 0, fourth = 0, fifth = 0, sixth = 0, seventh = 0] = head
  if (head.length < 7 || first !== 0xff || (second & 0xf6) !== 0xf0) return undefined
  const rate = ADTS_RATES[(third >> 2) & 15]
  const size = ((fourth & 3) << 11) | (fifth << 3) | (sixth >> 5)
  return rate === undefined || size < 7 ? undefined : { size, samples: 1_024 * ((seventh & 3) + 1), rate }
}

/** Milliseconds of an MP3 file, from its frames. Undefined if it has none. */
export function mp3Duration(reader: ByteReader, start: number): Promise<number | undefined> {
  return framesDuration(reader, start, 4, mpegFrame)
}

/** Milliseconds of AAC in ADTS, from its frames. Undefined if it has none. */
export function adtsDuration(reader: ByteReader, start: number): Promise<number | undefined> {
  return framesDuration(reader, start, 7, adtsFrame)
}

async function framesDuration(
  reader: ByteReader,
  start: number,
  headSize: number,
  frameOf: (head: Buffer) => AudioFrame | undefined,
): Promise<number | undefined> {
  let at = start
  let gap = 0
  let seconds = 0
  while (at + headSize <= reader.size && gap < MAX_GAP) {
    const near = reader.at(at, headSize)
    const frame = frameOf(near instanceof Promise ? await near : near)
    if (!frame) {
      at++
      gap++
      continue
    }
    gap = 0
    if (seconds > 0 || !isTag(await reader.at(at, Math.min(frame.size, 64)))) seconds += frame.samples / frame.rate
    at += frame.size
  }
  return seconds > 0 ? seconds * 1_000 : undefined
}

/**
 * True for a frame with facts about the file instead of sound.
 * @see http://gabriel.mp3-tech.org/mp3infotag.html
 */
function isTag(frame: Buffer): boolean {
  return ['Xing', 'Info', 'VBRI'].some((name) => frame.includes(name, 0, 'latin1'))
}
