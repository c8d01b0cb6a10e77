/** Number of bytes by which the buffer grows at first. */
const INITIAL = 64 * 1024
const VARINT = 0
const FIXED64 = 1
const BYTES = 2
const FIXED32 = 5

/**
 * Writer of protocol buffers. Messages are written from the last field to the first, so that the length of a nested
 * message is known when its tag is written.
 * @see https://protobuf.dev/programming-guides/encoding/
 */
export class ProtobufWriter {
  #bytes = Buffer.allocUnsafe(INITIAL)
  /** First written byte. */
  #start = INITIAL

  /** Position from which a nested message is written; pass it to {@link message}. */
  get end(): number {
    return this.#bytes.length - this.#start
  }

  /** Ends a nested message that was begun at `end`. */
  message(field: number, end: number): void {
    this.#varint(this.end - end)
    this.#tag(field, BYTES)
  }

  text(field: number, value: string): void {
    const length = Buffer.byteLength(value)
    this.#reserve(length)
    this.#start -= length
    this.#bytes.write(value, this.#start, length)
    this.#varint(length)
    this.#tag(field, BYTES)
  }

  /** Bytes of a string of hexadecimal digits. */
  hex(field: number, digits: string): void {
    const length = digits.length / 2
    this.#reserve(length)
    this.#start -= length
    this.#bytes.write(digits, this.#start, length, 'hex')
    this.#varint(length)
    this.#tag(field, BYTES)
  }

  /** Integer from −2^53 to 2^53. */
  integer(field: number, value: number): void {
    if (value < 0) this.#negative(value)
    else this.#varint(value)
    this.#tag(field, VARINT)
  }

  boolean(field: number, value: boolean): void {
    this.#varint(value ? 1 : 0)
    this.#tag(field, VARINT)
  }

  double(field: number, value: number): void {
    this.#reserve(8)
    this.#start -= 8
    this.#bytes.writeDoubleLE(value, this.#start)
    this.#tag(field, FIXED64)
  }

  /** Time in nanoseconds, from Unix time in milliseconds. */
  nanoseconds(field: number, ms: number): void {
    this.#reserve(8)
    this.#start -= 8
    this.#bytes.writeBigUInt64LE(nanosecondsOf(ms), this.#start)
    this.#tag(field, FIXED64)
  }

  /** Unsigned integer below 2^53, in 64 bits. */
  fixed64(field: number, value: number): void {
    this.#fixed64(value)
    this.#tag(field, FIXED64)
  }

  /** Packed unsigned integers below 2^53, each in 64 bits. */
  packedFixed64(field: number, values: readonly number[]): void {
    const end = this.end
    for (let at = values.length - 1; at >= 0; at--) this.#fixed64(values[at] ?? 0)
    this.message(field, end)
  }

  packedDoubles(field: number, values: readonly number[]): void {
    const end = this.end
    for (let at = values.length - 1; at >= 0; at--) {
      this.#reserve(8)
      this.#start -= 8
      this.#bytes.writeDoubleLE(values[at] ?? 0, this.#start)
    }
    this.message(field, end)
  }

  fixed32(field: number, value: number): void {
    this.#reserve(4)
    this.#start -= 4
    this.#bytes.writeUInt32LE(value, this.#start)
    this.#tag(field, FIXED32)
  }

  /** Copy of the written bytes. The writer is empty afterwards. */
  take(): Buffer {
    const written = Buffer.from(this.#bytes.subarray(this.#start))
    this.#start = this.#bytes.length
    return written
  }

  #reserve(length: number): void {
    if (length + 16 <= this.#start) return
    const size = this.end
    const larger = Buffer.allocUnsafe(Math.max(this.#bytes.length * 2, size + length + INITIAL))
    this.#bytes.copy(larger, larger.length - size, this.#start)
    this.#start = larger.length - size
    this.#bytes = larger
  }

  #fixed64(value: number): void {
    this.#reserve(8)
    this.#start -= 8
    this.#bytes.writeUInt32LE(value % 2 ** 32, this.#start)
    this.#bytes.writeUInt32LE(Math.floor(value / 2 ** 32), this.#start + 4)
  }

  #tag(field: number, type: number): void {
    this.#varint(field * 8 + type)
  }

  #varint(value: number): void {
    this.#reserve(10)
    let length = 1
    for (let rest = value; rest >= 128; rest = Math.floor(rest / 128)) length += 1
    this.#start -= length
    let rest = value
    for (let at = this.#start; at < this.#start + length - 1; at++) {
      this.#bytes[at] = (rest % 128) + 128
      rest = Math.floor(rest / 128)
    }
    this.#bytes[this.#start + length - 1] = rest
  }

  #negative(value: number): void {
    this.#reserve(10)
    let rest = BigInt.asUintN(64, BigInt(value))
    this.#start -= 10
    for (let at = 0; at < 9; at++) {
      this.#bytes[this.#start + at] = Number(rest & 127n) + 128
      rest >>= 7n
    }
    this.#bytes[this.#start + 9] = Number(rest)
  }
}

/** Nanoseconds of Unix time in milliseconds, which may have a fraction. */
export function nanosecondsOf(ms: number): bigint {
  const whole = Math.floor(ms)
  return BigInt(whole) * 1_000_000n + BigInt(Math.round((ms - whole) * 1_000_000))
}
