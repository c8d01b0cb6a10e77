/** Bytes with random access, such as a file of an upload. */
export interface ByteSource {
  readonly size: number
  /** Reads the bytes from `start` to `end`. */
  bytes(start: number, end: number): Promise<Buffer>
}

/** Bytes of one read. */
const WINDOW = 256 * 1024

/** Reader that moves forward through a source, with one read for many small steps. */
export class ByteReader {
  readonly size: number
  private readonly source: ByteSource
  private window: Buffer = Buffer.alloc(0)
  private start = 0

  constructor(source: ByteSource) {
    this.source = source
    this.size = source.size
  }

  /** Up to `length` bytes at a position, and fewer at the end of the source. A promise only if bytes must be read. */
  at(position: number, length: number): Buffer | Promise<Buffer> {
    const from = position - this.start
    const to = Math.min(from + length, this.size - this.start)
    return from >= 0 && to <= this.window.length
      ? this.window.subarray(from, Math.max(from, to))
      : this.move(position, length)
  }

  private async move(position: number, length: number): Promise<Buffer> {
    if (position >= this.size) return Buffer.alloc(0)
    this.window = await this.source.bytes(position, Math.min(this.size, position + Math.max(WINDOW, length)))
    this.start = position
    return this.window.subarray(0, length)
  }
}

/** Part of a source as a source. */
export function rangeOf(source: ByteSource, start: number, end: number): ByteSource {
  return { size: end - start, bytes: (from, to) => source.bytes(start + from, start + to) }
}
