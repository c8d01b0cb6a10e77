/** A smaller chunk costs more than its bytes do. */
const SMALL = 4_096
/** So many small chunks are put together at once. */
const TOGETHER = 1_024

/**
 * The pieces in which something arrives. What is kept of them is about as large as their bytes, however small they
 * come.
 */
export interface Chunks {
  add(chunk: Uint8Array): void
  /** Everything so far, as one. */
  whole(): Buffer
  /** Everything so far, in the pieces in which it is kept. */
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
      if (chunk.length < SMALL) {
        small.push(chunk)
        if (small.length === TOGETHER) merge()
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
