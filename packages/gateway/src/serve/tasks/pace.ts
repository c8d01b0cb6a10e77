/**
 * How fast the tasks of a provider are granted, in all processes: a bucket of tokens that holds those of one second,
 * and one at least. All that is kept of it is until when what was granted is used up. Times are in microseconds.
 */
export interface Pace {
  /** Most tasks that may be granted now. */
  readonly room: number
  /** Until when what was granted is used up, once `count` more are. */
  spentUntil(count: number): number
}

const SECOND = 1_000_000
/** Paces, in a second: so fast that it is no limit, and once a day. */
const [FASTEST, SLOWEST] = [SECOND, 1 / 86_400]
/** What is used up later than this was written by a clock that was wrong. */
const LATEST = 60 * SECOND
/** Of a token: what rounding may take. */
const CRUMB = 1e-6

/** @param pace in a second; 0 = none. @param nowMs in milliseconds. */
export function paceOf(pace: number, spent: number, nowMs: number): Pace {
  const now = Math.floor(nowMs * 1_000)
  if (!(pace > 0)) return { room: 0, spentUntil: () => spent }
  const speed = Math.min(Math.max(pace, SLOWEST), FASTEST) / SECOND
  const whole = Math.max(1, Math.floor(speed * SECOND + CRUMB)) / speed
  const from = spent > now + whole + LATEST ? now : Math.max(spent, now)
  return {
    room: Math.max(0, Math.floor((now + whole - from) * speed + CRUMB)),
    spentUntil: (count) => Math.floor(from + count / speed),
  }
}
