const BEGUN = performance.timeOrigin

/**
 * Milliseconds by a clock that never jumps, for durations and deadlines. It runs from the Unix time at which the
 * process began; what time it is says `Date.now()`.
 */
export function now(): number {
  return BEGUN + performance.now()
}

/** Whole milliseconds since a moment of {@link now}. */
export function since(moment: number): number {
  return Math.round(now() - moment)
}
