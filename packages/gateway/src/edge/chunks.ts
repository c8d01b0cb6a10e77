/** Size in bytes below which the overhead of a chunk exceeds its content. */
const SMALL_CHUNK = 4_096
/** Number of small chunks that are merged into one. */
const CHUNKS_PER_MERGE = 1_024

/** Collector of chunks. Its memory is close to the size of the bytes, even for tiny chunks. */
export interface Chunks {
  add(chunk: Uint8Array): void
  /** All bytes so far, in one buffer. */
  whole(): Buffer
  /** All bytes so far, in the chunks in which they are stored. */
  parts(): readonly Uint8Array[]
}

export function createChunks(): Chunks {
  const parts: Uint8Array[] = []
  let small: Uint8Array[] = []
  const merge = (): void => {
    if (small.length > 0) parts.push(small.length === 1 && small[0] ? small[0] : Buffer.concat(small))
    small = []
  }
  return {
    add(chunk) {
      if (chunk.length < SMALL_CHUNK) {
        small.push(chunk)
        if (small.length === CHUNKS_PER_MERGE) merge()
        return
      }
      merge()
      parts.push(chunk)
    },
    whole() {
      merge()
      const [only] = parts
      return parts.length === 1 && Buffer.isBuffer(only) ? only : Buffer.concat(parts)
    },
    parts() {
      merge()
      return parts
    },
  }
}
