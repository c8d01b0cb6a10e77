import { createChunks } from './chunks.ts'

const QUOTE = 34
const BACKSLASH = 92
const LOWER_U = 117
/** Bytes that are left of a string: more than any id, name or error message that is read. */
const LEFT = 4_096

/** States of the reader. From `HEX` down to the state above `INSIDE`, one hexadecimal digit must follow for each. */
const OUTSIDE = 0
const INSIDE = 1
const HEX = INSIDE + 4
const ESCAPED = HEX + 1

/** A byte that no JSON text has. */
const BROKEN = Buffer.from('\0')

/** A set of bytes, for loops in which each nanosecond counts. */
function bytesWith(isIn: (byte: number) => boolean): Uint8Array {
  return Uint8Array.from({ length: 256 }, (_, byte) => (isIn(byte) ? 1 : 0))
}

/** Bytes of a string that mean themselves. */
const PLAIN = bytesWith((byte) => byte >= 32 && byte !== QUOTE && byte !== BACKSLASH)
const MAY_FOLLOW_BACKSLASH = bytesWith((byte) => '"\\/bfnrtu'.includes(String.fromCharCode(byte)))
const HEX_DIGIT = bytesWith((byte) => /[\da-f]/i.test(String.fromCharCode(byte)))

/**
 * A JSON text without the ends of its long strings: what a response says of itself, such as its usage and ids, in a
 * fraction of its size. It takes about 1.5 nanoseconds per byte.
 */
export interface Outline {
  /** The next bytes of the text. */
  add(chunk: Uint8Array): void
  /** The shortened text: JSON if and only if the text is. */
  whole(): Buffer
  /** Bytes of the shortened text so far. */
  readonly size: number
}

class Reader implements Outline {
  size = 0
  private readonly kept = createChunks()
  private state = OUTSIDE
  /** Bytes of the present string, without what follows a backslash. */
  private length = 0
  private isCut = false

  add(chunk: Uint8Array): void {
    let { state, length, isCut } = this
    let from = 0
    for (let i = 0; i < chunk.length; i++) {
      if (isCut && state === INSIDE) while (PLAIN[chunk[i] ?? QUOTE] === 1) i++
      const byte = chunk[i]
      if (byte === undefined) break
      if (state === OUTSIDE) {
        if (byte !== QUOTE) continue
        state = INSIDE
        length = 0
      } else if (state !== INSIDE) {
        const allowed = state === ESCAPED ? MAY_FOLLOW_BACKSLASH : HEX_DIGIT
        if (isCut && allowed[byte] !== 1) this.keep(BROKEN)
        if (state !== ESCAPED) state--
        else state = byte === LOWER_U ? HEX : INSIDE
      } else if (byte === QUOTE) {
        if (isCut) from = i
        isCut = false
        state = OUTSIDE
      } else {
        if (!isCut && ++length > LEFT) {
          this.keep(chunk.subarray(from, i))
          isCut = true
        }
        if (byte === BACKSLASH) state = ESCAPED
        else if (isCut && PLAIN[byte] !== 1) this.keep(BROKEN)
      }
    }
    if (!isCut) this.keep(chunk.subarray(from))
    this.state = state
    this.length = length
    this.isCut = isCut
  }

  whole(): Buffer {
    return this.kept.whole()
  }

  private keep(bytes: Uint8Array): void {
    this.size += bytes.length
    this.kept.add(bytes)
  }
}

export function createOutline(): Outline {
  return new Reader()
}
