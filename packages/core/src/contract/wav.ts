/** Size of a header in bytes. */
const HEADER = 44
/** Size of a sound whose length is not known yet. */
const UNKNOWN = 0xffffffff
const RATE = 24_000
const SAMPLE = 2
/** Maximum bytes before the sound of a file. */
const MAX_HEAD = 65_536

/**
 * Header of a WAV file with 24 kHz, 16 bits, mono. Without a size it is the header of a stream.
 * @param bytes size of the sound, as `pcm`
 * @example wavHeader(48_000).length // 44
 */
export function wavHeader(bytes?: number): Uint8Array {
  const head = new DataView(new ArrayBuffer(HEADER))
  const tag = (at: number, text: string): void => {
    for (let index = 0; index < text.length; index++) head.setUint8(at + index, text.charCodeAt(index))
  }
  tag(0, 'RIFF')
  head.setUint32(4, bytes === undefined ? UNKNOWN : HEADER - 8 + bytes, true)
  tag(8, 'WAVEfmt ')
  head.setUint32(16, 16, true)
  head.setUint16(20, 1, true)
  head.setUint16(22, 1, true)
  head.setUint32(24, RATE, true)
  head.setUint32(28, RATE * SAMPLE, true)
  head.setUint16(32, SAMPLE, true)
  head.setUint16(34, SAMPLE * 8, true)
  tag(36, 'data')
  head.setUint32(40, bytes ?? UNKNOWN, true)
  return new Uint8Array(head.buffer)
}

/** Facts about the sound of a WAV file. */
export interface WavHead {
  /** True for 24 kHz, 16 bits, mono, which is `pcm`. */
  readonly isPcm: boolean
  /** Index of the first byte of the sound. */
  readonly start: number
  /** Size of the sound in bytes; undefined = until the end of the file. */
  readonly size: number | undefined
}

/** Reads the beginning of a WAV file. `more`: the bytes end before the sound. Undefined: it is not a WAV file. */
export function readWavHead(bytes: Uint8Array): WavHead | 'more' | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const tagAt = (at: number): string => String.fromCharCode(...bytes.subarray(at, at + 4))
  if (bytes.length < 12) return 'RIFF'.startsWith(tagAt(0)) || tagAt(0) === 'RIFF' ? 'more' : undefined
  if (tagAt(0) !== 'RIFF' || tagAt(8) !== 'WAVE') return undefined
  let isPcm = false
  for (let at = 12; at + 8 <= bytes.length; ) {
    const size = view.getUint32(at + 4, true)
    if (tagAt(at) === 'data') return { isPcm, start: at + 8, size: size === UNKNOWN || size === 0 ? undefined : size }
    if (tagAt(at) === 'fmt ' && at + 24 <= bytes.length) isPcm = isPcmFormat(view, at + 8)
    at += 8 + size + (size % 2)
    if (at > MAX_HEAD) return undefined
  }
  return bytes.length > MAX_HEAD ? undefined : 'more'
}

function isPcmFormat(view: DataView, at: number): boolean {
  const format = view.getUint16(at, true)
  return (
    (format === 1 || format === 0xfffe) &&
    view.getUint16(at + 2, true) === 1 &&
    view.getUint32(at + 4, true) === RATE &&
    view.getUint16(at + 14, true) === SAMPLE * 8
  )
}

/**
 * Sound of a WAV file as `pcm`. Undefined: it is not a WAV file with 24 kHz, 16 bits, mono.
 * @example pcmOfWav(wavHeader(0))?.length // 0
 */
export function pcmOfWav(bytes: Uint8Array): Uint8Array | undefined {
  const head = readWavHead(bytes)
  if (!head || head === 'more' || !head.isPcm) return undefined
  const { start, size } = head
  return bytes.subarray(start, size === undefined ? undefined : start + size)
}
