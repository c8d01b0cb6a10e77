import { type Color, type FrameSize, PROFILE, parameterSets, plainPicture } from './h264.ts'

/** Ticks per second. The duration of a frame must be a whole number of ticks. */
const TIMESCALE = 600
/** Identity matrix: no rotation and no scaling. */
const MATRIX = [0x10000, 0, 0, 0, 0x10000, 0, 0, 0, 0x40000000] as const
const TRACK = 1
/** Track flags: enabled, and in the movie. */
const SHOWN = 3

export interface Film {
  readonly size: FrameSize
  /** Frames per second. */
  readonly rate: number
  /** Color of each frame. */
  readonly pictures: readonly Color[]
}

/** Video in an MP4 file (ISO/IEC 14496-12 and 14496-15) that plays while it loads: H.264, without sound. */
export function mp4({ size, rate, pictures }: Film): Uint8Array {
  const samples = pictures.map((color, index) => prefixed(plainPicture(size, color, index), 4))
  const type = box('ftyp', ascii('isom'), u32(512), ascii('isomiso2avc1mp41'))
  const index = (offset: number): Uint8Array => moov(size, TIMESCALE / rate, samples, offset)
  const start = type.length + index(0).length + HEADER
  return join([type, index(start), box('mdat', ...samples)])
}

function moov(size: FrameSize, ticks: number, samples: readonly Uint8Array[], offset: number): Uint8Array {
  const [width, height] = size
  const length = ticks * samples.length
  const table = box(
    'stbl',
    full('stsd', 0, u32(1), sampleEntry(size)),
    full('stts', 0, u32(1, samples.length, ticks)),
    full('stsc', 0, u32(1, 1, samples.length, 1)),
    full('stsz', 0, u32(0, samples.length), u32(...samples.map((sample) => sample.length))),
    full('stco', 0, u32(1, offset)),
  )
  const place = box('dinf', full('dref', 0, u32(1), full('url ', 1)))
  const media = box(
    'mdia',
    full('mdhd', 0, u32(0, 0, TIMESCALE, length), u16(UNDETERMINED, 0)),
    full('hdlr', 0, u32(0), ascii('vide'), u32(0, 0, 0), ascii('demo\0')),
    box('minf', full('vmhd', 1, u16(0, 0, 0, 0)), place, table),
  )
  const head = full(
    'mvhd',
    0,
    u32(0, 0, TIMESCALE, length, 0x10000),
    u16(0x100, 0),
    u32(0, 0, ...MATRIX, 0, 0, 0, 0, 0, 0, TRACK + 1),
  )
  const track = full(
    'tkhd',
    SHOWN,
    u32(0, 0, TRACK, 0, length, 0, 0),
    u16(0, 0, 0, 0),
    u32(...MATRIX, width << 16, height << 16),
  )
  return box('moov', head, box('trak', track, media))
}

/** Language `und`, five bits per letter. */
const UNDETERMINED = 0x55c4

function sampleEntry(size: FrameSize): Uint8Array {
  const [sequence, picture] = parameterSets(size)
  const sets = [bytes(0xe1), prefixed(sequence, 2), bytes(1), prefixed(picture, 2)]
  const config = box('avcC', bytes(1, ...PROFILE, 0xff), ...sets)
  const name = new Uint8Array(32)
  return box(
    'avc1',
    u16(0, 0, 0, 1),
    u32(0, 0, 0, 0),
    u16(...size),
    u32(0x480000, 0x480000, 0),
    u16(1),
    name,
    u16(24, 0xffff),
    config,
  )
}

/** Bytes of a box before its content. */
const HEADER = 8

function box(type: string, ...content: readonly Uint8Array[]): Uint8Array {
  const body = join(content)
  return join([u32(HEADER + body.length), ascii(type), body])
}

/** Box with flags, version 0. */
function full(type: string, flags: number, ...content: readonly Uint8Array[]): Uint8Array {
  return box(type, u32(flags), ...content)
}

/** Unit after its length; `size` is the number of bytes of the length. */
function prefixed(unit: Uint8Array, size: 2 | 4): Uint8Array {
  return join([size === 2 ? u16(unit.length) : u32(unit.length), unit])
}

function bytes(...values: readonly number[]): Uint8Array {
  return Uint8Array.from(values)
}

function u16(...values: readonly number[]): Uint8Array {
  return bytes(...values.flatMap((value) => [(value >>> 8) & 0xff, value & 0xff]))
}

function u32(...values: readonly number[]): Uint8Array {
  return bytes(
    ...values.flatMap((value) => [(value >>> 24) & 0xff, (value >>> 16) & 0xff, (value >>> 8) & 0xff, value & 0xff]),
  )
}

function ascii(text: string): Uint8Array {
  return new TextEncoder().encode(text)
}

function join(parts: readonly Uint8Array[]): Uint8Array {
  const out = new Uint8Array(parts.reduce((length, part) => length + part.length, 0))
  let at = 0
  for (const part of parts) {
    out.set(part, at)
    at += part.length
  }
  return out
}
