/**
 * Poll rate of a provider, over all processes: a token bucket with a capacity of one second, at least one token. Its
 * only state is the time until which granted polls are used up. Times are in microseconds.
 */
export interface PollRate {
  /** Maximum polls that can be granted now. */
  readonly room: number
  /** New state after `count` more polls. */
  spentUntil(count: number): number
}

const SECOND = 1_000_000
/** Maximum rate per second, which is practically no limit, and minimum rate, once a day. */
const [FASTEST, SLOWEST] = [SECOND, 1 / 86_400]
/** A state further in the future was written by a wrong clock and is ignored. */
const MAX_AHEAD = 60 * SECOND
/** Tolerance for rounding, in tokens. */
const TOLERANCE = 1e-6

/**
 * Computes the poll rate from the stored state.
 *
 * @param pace polls per second; 0 = none
 * @param spent stored state, in microseconds
 * @param nowMs current time in milliseconds
 * @example
 * ```ts
 * const { room, spentUntil } = pollRateOf(10, stored, Date.now())
 * if (room >= 1) await save(spentUntil(1))
 * ```
 */
export function pollRateOf(pace: number, spent: number, nowMs: number): PollRate {
  const now = Math.floor(nowMs * 1_000)
  if (!(pace > 0)) return { room: 0, spentUntil: () => spent }
  const speed = Math.min(Math.max(pace, SLOWEST), FASTEST) / SECOND
  const whole = Math.max(1, Math.floor(speed * SECOND + TOLERANCE)) / speed
  const from = spent > now + whole + MAX_AHEAD ? now : Math.max(spent, now)
  return {
    room: Math.max(0, Math.floor((now + whole - from) * speed + TOLERANCE)),
    spentUntil: (count) => Math.floor(from + count / speed),
  }
}
