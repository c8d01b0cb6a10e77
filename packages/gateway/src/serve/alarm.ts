import { now } from '../clock.ts'
import { createInFlight, type InFlightEntry } from '../edge/in-flight.ts'

/**
 * What is so far away, in milliseconds, is looked after by one timer for all: one of its own costs more than the rest
 * of its request's clocks.
 */
const FAR = 60_000
/** How often that is, in milliseconds. */
const SWEEP = 1_000

interface Alarm extends InFlightEntry {
  readonly at: number
  readonly run: () => void
  isOver: boolean
}

/**
 * Runs something at a moment of {@link now}, up to a second late where that is more than a minute away.
 * @returns what calls it off.
 */
export type AlarmAt = (at: number, run: () => void) => () => void

/** Alarms of which those that are far away share a timer. */
export function createAlarms(): AlarmAt {
  const waiting = createInFlight<Alarm>()
  let sweeping: NodeJS.Timeout | undefined

  const end = (alarm: Alarm): void => {
    if (alarm.isOver) return
    alarm.isOver = true
    waiting.remove(alarm)
  }
  const sweep = (): void => {
    const moment = now()
    for (const alarm of waiting.entries.filter(({ at }) => at <= moment)) {
      // An earlier one may have called it off.
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
    const alarm: Alarm = { at, run, isOver: false, place: 0 }
    waiting.add(alarm)
    sweeping ??= setInterval(sweep, SWEEP).unref()
    return () => end(alarm)
  }
}

/** Those of this process. */
export const alarmAt = createAlarms()
