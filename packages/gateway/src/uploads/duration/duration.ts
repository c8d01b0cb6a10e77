import { aiffDuration } from './aiff.ts'
import { ByteReader, type ByteSource } from './byte-source.ts'
import { flacDuration } from './flac.ts'
import { matroskaDuration } from './matroska.ts'
import { mp4Duration } from './mp4.ts'
import { adtsDuration, mp3Duration } from './mpeg-audio.ts'
import { oggDuration } from './ogg.ts'
import { wavDuration } from './wav.ts'

/** Maximum number of ID3 tags before the sound. */
const MAX_TAGS = 16

/** Kind of an audio file, as its content shows. */
export type AudioKind = 'wav' | 'aiff' | 'mp3' | 'aac' | 'flac' | 'ogg' | 'mp4' | 'webm'

const READERS: Readonly<Record<AudioKind, (reader: ByteReader, start: number) => Promise<number | undefined>>> = {
  wav: wavDuration,
  aiff: aiffDuration,
  mp3: mp3Duration,
  aac: adtsDuration,
  flac: flacDuration,
  ogg: oggDuration,
  mp4: mp4Duration,
  webm: matroskaDuration,
}

/** Media types of audio files by kind. */
export const AUDIO_TYPES: Readonly<Record<AudioKind, string>> = {
  wav: 'audio/wav',
  aiff: 'audio/aiff',
  mp3: 'audio/mpeg',
  aac: 'audio/aac',
  flac: 'audio/flac',
  ogg: 'audio/ogg',
  mp4: 'audio/mp4',
  webm: 'audio/webm',
}

/** Kind and length of an audio file. */
export interface AudioFacts {
  readonly kind: AudioKind
  /** Rounded up; undefined if it cannot be read from the file. */
  readonly milliseconds: number | undefined
}

/**
 * Kind and length of an audio file, read from its content without decoding. If the header and the content differ,
 * the greater length counts. Time is linear in the size of the file, and memory is constant.
 * @returns undefined for unknown content
 */
export async function audioFacts(source: ByteSource): Promise<AudioFacts | undefined> {
  const reader = new ByteReader(source)
  const start = await afterTags(reader)
  const kind = kindOf(await reader.at(start, 16))
  if (!kind) return undefined
  const milliseconds = await READERS[kind](reader, start).catch(withoutRange)
  return { kind, milliseconds: milliseconds === undefined ? undefined : Math.ceil(milliseconds) }
}

/** A file that ends within a header has no known length. */
function withoutRange(error: unknown): undefined {
  if (error instanceof RangeError) return undefined
  throw error
}

/** Position after the ID3 tags. */
async function afterTags(reader: ByteReader): Promise<number> {
  let at = 0
  for (let count = 0; count < MAX_TAGS; count++) {
    const head = await reader.at(at, 10)
    if (head.length < 10 || head.toString('latin1', 0, 3) !== 'ID3') return at
    const size = head.subarray(6).reduce((sum, byte) => sum * 128 + (byte & 0x7f), 0)
    at += 10 + size + ((head[5] ?? 0) & 0x10 ? 10 : 0)
  }
  return at
}

function kindOf(head: Buffer): AudioKind | undefined {
  const id = head.toString('latin1', 0, 4)
  const form = head.toString('latin1', 8, 12)
  if ((id === 'RIFF' || id === 'RF64') && form === 'WAVE') return 'wav'
  if (id === 'FORM' && form.startsWith('AIF')) return 'aiff'
  if (id === 'fLaC') return 'flac'
  if (id === 'OggS') return 'ogg'
  if (head.length >= 4 && head.readUInt32BE(0) === 0x1a45dfa3) return 'webm'
  if (['ftyp', 'moov', 'mdat', 'wide', 'free', 'styp'].includes(head.toString('latin1', 4, 8))) return 'mp4'
  if (head[0] !== 0xff || ((head[1] ?? 0) & 0xe0) !== 0xe0) return undefined
  return ((head[1] ?? 0) & 0x06) === 0 ? 'aac' : 'mp3'
}
