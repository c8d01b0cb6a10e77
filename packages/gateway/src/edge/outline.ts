import { createChunks } from './chunks.ts'

const QUOTE = 34
const BACKSLASH = 92
const LOWER_U = 117
/** Bytes that are kept of a long string: more than any id, name or error message that is read. */
const MAX_KEPT_BYTES = 4_096

/** States of the reader. Between `HEX` and `INSIDE`, each state expects one more hexadecimal digit. */
const OUTSIDE = 0
const INSIDE = 1
const HEX = INSIDE + 4
const ESCAPED = HEX + 1

/** A byte that never occurs in valid JSON. */
const BROKEN = Buffer.from('\0')

/** Lookup table of bytes, for loops that are sensitive to each nanosecond. */
function bytesWith(isIn: (byte: number) => boolean): Uint8Array {
  return Uint8Array.from({ length: 256 }, (_, byte) => (isIn(byte) ? 1 : 0))
}

/** Bytes of a string that need no special handling. */
const PLAIN = bytesWith((byte) => byte >= 32 && byte !== QUOTE && byte !== BACKSLASH)
const MAY_FOLLOW_BACKSLASH = bytesWith((byte) => '"\\/bfnrtu'.includes(String.fromCharCode(byte)))
const HEX_DIGIT = bytesWith((byte) => /[\da-f]/i.test(String.fromCharCode(byte)))

/**
 * JSON text with shortened long strings: all metadata of a response, such as its usage and ids, in a fraction of its
 * size. Needs about 1.5 nanoseconds per byte.
 */
export interface Outline {
  /** Adds the next bytes of the text. */
  add(chunk: Uint8Array): void
  /** Shortened text. It is valid JSON if and only if the text is. */
  whole(): Buffer
  /** Size of the shortened text so far, in bytes. */
  readonly size: number
}

class OutlineReader implements Outline {
  size = 0
  private readonly kept = createChunks()
  private state = OUTSIDE
  /** Bytes of the current string so far; an escape sequence counts as one. */
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
        if (!isCut && ++length > MAX_KEPT_BYTES) {
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
  return new OutlineReader()
}
