/** Width and height of a frame in pixels. Both must be even. */
export type FrameSize = readonly [width: number, height: number]

/** Color of a video: luma, and the differences of blue and red, each from 16 to 235. */
export type Color = readonly [y: number, cb: number, cr: number]

/** Side of a macroblock, in pixels. */
const EXTENSIONS = 16
const LUMA = EXTENSIONS * EXTENSIONS
const CHROMA = LUMA / 4

/**
 * Constrained baseline profile of ITU-T H.264, which every player supports, at the lowest level: frames of up to 99
 * macroblocks.
 */
export const PROFILE = [66, 0xc0, 10] as const

const SEQUENCE = 0x67
const PICTURE = 0x68
const KEY_FRAME = 0x65

const I_SLICES = 7
const PCM = 25
/** Prediction mode: the mean of the neighbors, without a residual. */
const PREDICTED = 3

/** Bit writer, most significant bit first. */
function createBits() {
  const bytes: number[] = []
  let free = 0
  const put = (value: number, count: number): void => {
    for (let bit = count - 1; bit >= 0; bit--) {
      if (free === 0) {
        bytes.push(0)
        free = 8
      }
      free--
      const last = bytes.length - 1
      bytes[last] = (bytes[last] ?? 0) | (((value >>> bit) & 1) << free)
    }
  }
  return {
    put,
    /**
     * Writes exponential Golomb codes, the encoding of all numbers without a fixed length. Signed values are always 0
     * here, which has the same code.
     */
    codes(...values: readonly number[]) {
      for (const value of values) put(value + 1, 2 * (32 - Math.clz32(value + 1)) - 1)
    },
    /** Writes bytes, after zero bits up to the next byte boundary. */
    bytes(values: readonly number[]) {
      free = 0
      bytes.push(...values)
    },
    /** Ends the data: a one bit, and zero bits up to the next byte boundary. */
    end() {
      put(1, 1)
      return bytes
    },
  }
}

/** Unit with its type. An emulation prevention byte after two zero bytes avoids a false start code. */
function unit(kind: number, payload: readonly number[]): Uint8Array {
  const out = [kind]
  let zeros = 0
  for (const byte of payload) {
    if (zeros === 2 && byte <= 3) {
      out.push(3)
      zeros = 0
    }
    out.push(byte)
    zeros = byte === 0 ? zeros + 1 : 0
  }
  return Uint8Array.from(out)
}

/** Parameter sets that a decoder needs before the first frame. */
export function parameterSets([width, height]: FrameSize): readonly [sequence: Uint8Array, picture: Uint8Array] {
  const [columns, rows] = macroblocks([width, height])
  const sequence = createBits()
  for (const byte of PROFILE) sequence.put(byte, 8)
  // Id, bits of frame numbers beyond 4, decoding order, reference frames.
  sequence.codes(0, 0, 2, 1)
  sequence.put(0, 1)
  sequence.codes(columns - 1, rows - 1)
  // Whole frames, no finer vectors, and cropping in steps of 2 pixels.
  sequence.put(0b111, 3)
  sequence.codes(0, (columns * EXTENSIONS - width) / 2, 0, (rows * EXTENSIONS - height) / 2)
  sequence.put(0, 1)

  const picture = createBits()
  picture.codes(0, 0)
  picture.put(0, 2)
  picture.codes(0, 0, 0)
  picture.put(0, 3)
  picture.codes(0, 0, 0)
  // Slices contain their deblocking settings.
  picture.put(0b100, 3)
  return [unit(SEQUENCE, sequence.end()), unit(PICTURE, picture.end())]
}

/**
 * Frame of one color that is independent of other frames. The first macroblock has its raw samples, and all others are
 * predicted from it without a residual, so that a frame takes less than half a kilobyte.
 */
export function plainPicture(size: FrameSize, [y, cb, cr]: Color, index: number): Uint8Array {
  const [columns, rows] = macroblocks(size)
  const bits = createBits()
  bits.codes(0, I_SLICES, 0)
  bits.put(0, 4)
  // Consecutive frames must have different ids.
  bits.codes(index % 2)
  bits.put(0, 2)
  // The default quantizer, and no deblocking.
  bits.codes(0, 1)

  bits.codes(PCM)
  bits.bytes([...Array<number>(LUMA).fill(y), ...Array<number>(CHROMA).fill(cb), ...Array<number>(CHROMA).fill(cr)])
  for (let block = 1; block < columns * rows; block++) {
    bits.codes(PREDICTED, 0, 0)
    // The code for "no coefficients" depends on the neighbors' coefficients: the first block counts as full.
    const isNextToFirst = block === 1 ? columns > 1 : block === columns
    if (isNextToFirst) bits.put(0b000011, 6)
    else bits.put(1, 1)
  }
  return unit(KEY_FRAME, bits.end())
}

function macroblocks([width, height]: FrameSize): FrameSize {
  return [Math.ceil(width / EXTENSIONS), Math.ceil(height / EXTENSIONS)]
}
