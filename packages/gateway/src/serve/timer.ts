import { now } from '../clock.ts'
import { createInFlight, type InFlightEntry } from '../edge/in-flight.ts'

/**
 * Delay in milliseconds from which timers share one interval. A separate timer per request would cost more than all of
 * its other clocks.
 */
const SHARED_FROM_MS = 60_000
/** Period of that interval in milliseconds. */
const SWEEP_MS = 1_000

interface SharedTimer extends InFlightEntry {
  readonly at: number
  readonly run: () => void
  isOver: boolean
}

/**
 * Runs a function at a moment of {@link now}; up to a second late if it is more than a minute away.
 * @returns a function that cancels it
 */
export type TimerAt = (at: number, run: () => void) => () => void

/** Creates timers; long ones share an interval. */
export function createTimers(): TimerAt {
  const waiting = createInFlight<SharedTimer>()
  let sweeping: NodeJS.Timeout | undefined

  const end = (shared: SharedTimer): void => {
    if (shared.isOver) return
    shared.isOver = true
    waiting.remove(shared)
  }
  const sweep = (): void => {
    const moment = now()
    for (const shared of waiting.entries.filter(({ at }) => at <= moment)) {
      // An earlier one may have canceled it.
      if (shared.isOver) continue
      end(shared)
      shared.run()
    }
    if (waiting.entries.length > 0) return
    clearInterval(sweeping)
    sweeping = undefined
  }

  return (at, run) => {
    const ms = at - now()
    if (ms <= SHARED_FROM_MS) {
      const timer = setTimeout(run, Math.max(0, Math.ceil(ms)))
      return () => clearTimeout(timer)
    }
    const shared: SharedTimer = { at, run, isOver: false, index: 0 }
    waiting.add(shared)
    sweeping ??= setInterval(sweep, SWEEP_MS).unref()
    return () => end(shared)
  }
}

/** Timers of this process. */
export const timerAt = createTimers()
