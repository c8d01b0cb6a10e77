import { readWavHead, type SpeechFormat, wavHeader } from '@headgate/core/contract'
import { HeadgateError } from '@headgate/core/errors'

/** Number of bytes that tell text from sound. */
const TEXT = 16
/** Number of bytes that name a format. */
const MAGIC = 4
/** Size of the header of a WAV file in bytes. */
export const WAV_HEADER = wavHeader(0).length
const EMPTY = new Uint8Array(0)

/** First bytes of formats, in ASCII. */
const NAMES = { RIFF: 'wav', OggS: 'opus', fLaC: 'flac', ID3: 'mp3' } as const

/** Characters that text does not have, of bytes that are read as Latin-1. Samples can look like text beyond ASCII. */
const NO_TEXT = /[^\t\n\r\x20-\x7e\x80-\xf7]/
const NO_ASCII = /[^\t\n\r\x20-\x7e]/

/** Kind of bytes: a format, text, or neither. */
export type SoundKind = SpeechFormat | 'text' | 'other'

/**
 * Kind of a response by its first bytes. Undefined = more bytes are needed. `pcm` has no signature, so only formats
 * with a name are recognized in its place.
 */
export function kindOf(bytes: Uint8Array, expected: SpeechFormat, isWhole: boolean): SoundKind | undefined {
  const [first = 0, second = 0] = bytes
  const start = String.fromCharCode(...bytes.subarray(0, TEXT))
  if (/^[{[<\s]/.test(start)) {
    if ((expected === 'pcm' ? NO_ASCII : NO_TEXT).test(start)) return 'other'
    if (bytes.length < TEXT && !isWhole) return undefined
    return 'text'
  }
  const isCut = bytes.length < MAGIC && !isWhole
  for (const [name, kind] of Object.entries(NAMES)) {
    if (start.startsWith(name)) return kind
    if (isCut && name.startsWith(start)) return undefined
  }
  if (expected === 'pcm') return 'other'
  if (isCut) return undefined
  if (first !== 0xff || (second & 0xe0) !== 0xe0) return 'other'
  return (second & 0x06) === 0 ? 'aac' : 'mp3'
}

/** True if the bytes can be the expected format. Unknown signatures are accepted, such as aac in mp4. */
export function isExpected(kind: SoundKind, expected: SpeechFormat): boolean {
  return kind === expected || kind === 'other'
}

/** Conversion between `wav` and `pcm`, piece by piece. */
export interface SoundConversion {
  /** @throws HeadgateError `upstream` if the sound is not 24 kHz, 16 bits, mono */
  push(bytes: Uint8Array): Uint8Array
  /** @throws HeadgateError `upstream` if the file ended within its header */
  end(): void
}

/** Conversion from the format that the provider makes; undefined = none. `size`: its size in bytes, if it is known. */
export function conversionOf(
  made: SpeechFormat,
  format: SpeechFormat,
  size: number | undefined,
): SoundConversion | undefined {
  if (made === format) return undefined
  return made === 'pcm' ? headerAdder(size) : headerRemover()
}

function headerAdder(size: number | undefined): SoundConversion {
  let hasBegun = false
  return {
    push(bytes) {
      if (hasBegun) return bytes
      hasBegun = true
      return Buffer.concat([wavHeader(size), bytes])
    },
    end() {},
  }
}

function headerRemover(): SoundConversion {
  let head: Uint8Array | undefined = EMPTY
  /** Bytes of the sound that are still to come. */
  let left = Number.POSITIVE_INFINITY
  const taken = (bytes: Uint8Array): Uint8Array => {
    const sound = bytes.length > left ? bytes.subarray(0, left) : bytes
    left -= sound.length
    return sound
  }
  return {
    push(bytes) {
      if (!head) return taken(bytes)
      head = Buffer.concat([head, bytes])
      const read = readWavHead(head)
      if (read === 'more') return EMPTY
      if (!read?.isPcm) throw new HeadgateError('upstream', 'The sound is not a WAV file with 24 kHz, 16 bits, mono.')
      const { start, size = Number.POSITIVE_INFINITY } = read
      const sound = head.subarray(start)
      head = undefined
      left = size
      return taken(sound)
    },
    end() {
      if (head) throw new HeadgateError('upstream', 'The WAV file ended within its header.')
    },
  }
}
