import { headerOf } from '../edge/sink.ts'
import { invalid } from '../errors.ts'
import type { Times } from '../options.ts'
import type { Visit } from './visit.ts'

/** When a request must have ended, in Unix time in milliseconds: the caller may shorten what is configured. */
export function deadlineOf({ whole }: Times, visit: Visit): number {
  const asked = headerOf(visit.incoming, 'headgate-timeout-ms')
  if (asked === undefined) return visit.startedAt + whole
  const ms = Number(asked)
  if (!Number.isInteger(ms) || ms <= 0)
    throw invalid('headgate-timeout-ms', 'The header headgate-timeout-ms must be a whole number of milliseconds above 0.')
  return visit.startedAt + Math.min(ms, whole)
}

/** Waits, but no longer than the caller does. */
export function waiter(visit: Visit): (ms: number) => Promise<void> {
  return (ms) =>
    new Promise((resolve) => {
      const timer = setTimeout(done, ms)
      function done(): void {
        clearTimeout(timer)
        visit.running = undefined
        resolve()
      }
      visit.running = { stop: done }
    })
}
