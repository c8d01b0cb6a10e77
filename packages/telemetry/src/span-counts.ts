/** Number of spans since the start. */
export interface SpanCounts {
  sent: number
  dropped: number
}

/** Size of the memory of {@link sharedSpanCounts}, in bytes. */
const SIZE = 16

/** Memory for counts that another thread reads. */
export function spanCountMemory(): SharedArrayBuffer {
  return new SharedArrayBuffer(SIZE)
}

/** Counts in shared memory. Only one thread may write them. */
export function sharedSpanCounts(memory: SharedArrayBuffer): SpanCounts {
  const cells = new BigInt64Array(memory)
  return {
    get sent() {
      return Number(Atomics.load(cells, 0))
    },
    set sent(value) {
      Atomics.store(cells, 0, BigInt(value))
    },
    get dropped() {
      return Number(Atomics.load(cells, 1))
    },
    set dropped(value) {
      Atomics.store(cells, 1, BigInt(value))
    },
  }
}
