/** Samples of a target. More samples replace the oldest ones. */
const SAMPLES = 64
/** Minimum number of samples for a quantile. */
const LEAST_SAMPLES = 20
/** Maximum number of targets. Callers choose model names, so memory must be limited. */
const MOST_TARGETS = 1_000

/** Recent times of a target, as a ring. */
interface Ring {
  readonly values: number[]
  next: number
}

/** Recent times until the first byte of responses, by target. In memory only. */
export interface LatencySamples {
  /** @param ms milliseconds */
  add(key: string, ms: number): void
  /** Time that 95 % of the recent responses did not exceed, in milliseconds; undefined = fewer than 20 samples. */
  p95(key: string): number | undefined
}

export function createLatencySamples(): LatencySamples {
  const rings = new Map<string, Ring>()
  return {
    add(key, ms) {
      let ring = rings.get(key)
      if (!ring) {
        if (rings.size >= MOST_TARGETS) rings.clear()
        ring = { values: [], next: 0 }
        rings.set(key, ring)
      }
      ring.values[ring.next] = ms
      ring.next = (ring.next + 1) % SAMPLES
    },
    p95(key) {
      const values = rings.get(key)?.values ?? []
      if (values.length < LEAST_SAMPLES) return undefined
      const sorted = [...values].sort((a, b) => a - b)
      return sorted[Math.ceil(sorted.length * 0.95) - 1]
    },
  }
}
