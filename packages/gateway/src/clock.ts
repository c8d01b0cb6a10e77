const BEGUN = performance.timeOrigin

/**
 * Milliseconds of a monotonic clock, for durations and deadlines. It starts at the Unix time at which the process
 * began. Use `Date.now()` for the time of day.
 */
export function now(): number {
  return BEGUN + performance.now()
}

/** Whole milliseconds since a moment of {@link now}. */
export function since(moment: number): number {
  return Math.round(now() - moment)
}
