import type { TargetState } from './target-state.ts'

/** Upper ends of the size classes, in input tokens. The last class has no end. */
const SIZES: readonly number[] = [1_000, 8_000, 64_000]
/** Time in which a peak loses half of its weight, in milliseconds. */
const HALF_LIFE_MS = 60_000
/** Increase of the estimate for each call in progress. */
const PER_CALL = 0.1

/**
 * Class of a request's length, because the time to the first token depends on it: 0 below 1,000 input tokens, 1 below
 * 8,000, 2 below 64,000, otherwise 3.
 *
 * @example
 * ```ts
 * sizeClassOf(12_000) // 2
 * ```
 */
export function sizeClassOf(input: number): number {
  let size = 0
  for (const end of SIZES) {
    if (input < end) return size
    size++
  }
  return size
}

/** Adds a time to the first token, as a peak EWMA: a longer time counts immediately, and is forgotten slowly. */
export function addMeasured(state: TargetState, size: number, ms: number, now: number): void {
  const known = state.ms[size]
  const at = state.msAt[size] ?? now
  state.measuredAt = Math.max(state.measuredAt, now)
  state.msAt[size] = Math.max(at, now)
  const left = 2 ** (-Math.max(0, now - at) / HALF_LIFE_MS)
  state.ms[size] = known === undefined || ms >= known ? ms : ms + (known - ms) * left
}

/** Estimate for a target with calls in progress. */
export function withCalls(ms: number, inFlight: number): number {
  return ms * (1 + PER_CALL * inFlight)
}
