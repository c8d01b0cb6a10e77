import type { VirtualClock } from './clock.ts'
import type { Draw } from './draw.ts'

/** Arrivals that do not depend on each other. */
export interface Arrivals {
  readonly perSecond: number
  /** Time of the simulation at which they end, in milliseconds. */
  readonly until: number
}

/** Calls a function at random times, also several times within a millisecond. */
export function startArrivals(clock: VirtualClock, draw: Draw, { perSecond, until }: Arrivals, act: () => void): void {
  let next = clock.now() + draw.gap(perSecond)
  const run = (): void => {
    for (; next <= clock.now() && next < until; next += draw.gap(perSecond)) act()
    if (next < until) clock.after(next - clock.now(), run)
  }
  clock.after(next - clock.now(), run)
}
