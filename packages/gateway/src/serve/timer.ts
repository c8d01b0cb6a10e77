import { now } from '../clock.ts'
import { createInFlight, type InFlightEntry } from '../edge/in-flight.ts'

/**
 * Delay in milliseconds from which timers share one interval. A separate timer per request would cost more than all of
 * its other clocks.
 */
const FAR = 60_000
/** Period of that interval in milliseconds. */
const SWEEP = 1_000

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

  const end = (alarm: SharedTimer): void => {
    if (alarm.isOver) return
    alarm.isOver = true
    waiting.remove(alarm)
  }
  const sweep = (): void => {
    const moment = now()
    for (const alarm of waiting.entries.filter(({ at }) => at <= moment)) {
      // An earlier one may have canceled it.
      if (alarm.isOver) continue
      end(alarm)
      alarm.run()
    }
    if (waiting.entries.length > 0) return
    clearInterval(sweeping)
    sweeping = undefined
  }

  return (at, run) => {
    const ms = at - now()
    if (ms <= FAR) {
      const timer = setTimeout(run, Math.max(0, Math.ceil(ms)))
      return () => clearTimeout(timer)
    }
    const alarm: SharedTimer = { at, run, isOver: false, index: 0 }
    waiting.add(alarm)
    sweeping ??= setInterval(sweep, SWEEP).unref()
    return () => end(alarm)
  }
}

/** Timers of this process. */
export const timerAt = createTimers()
