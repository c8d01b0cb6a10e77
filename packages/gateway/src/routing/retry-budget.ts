import type { Retries } from '../ports/gateway-options.ts'
import { count, createWindow, usedOf, type Window } from './window.ts'

/** Ten seconds, in slots. */
const SLOT_MS = 250
const SLOTS = 40

/** What a provider was asked lately. */
interface Calls {
  readonly first: Window
  readonly again: Window
}

/**
 * Bounds how often a provider is asked again, see `Retries`. In memory only. `now` is a moment of the clock that never
 * jumps.
 */
export interface RetryBudget {
  /** A call that is nobody's second. */
  called(provider: string, now: number): void
  /** Whether a provider may be asked again: then that is counted. */
  mayAgain(provider: string, now: number): boolean
  /** Takes over what another one has counted of a provider. */
  take(before: RetryBudget, provider: string): void
  /** By provider. */
  readonly calls: ReadonlyMap<string, Calls>
}

export function createRetryBudget({ share = 0.2, least = 3 }: Partial<Retries> = {}): RetryBudget {
  const calls = new Map<string, Calls>()
  const of = (provider: string): Calls => {
    const known = calls.get(provider)
    if (known) return known
    const one = { first: createWindow(SLOT_MS, SLOTS), again: createWindow(SLOT_MS, SLOTS) }
    calls.set(provider, one)
    return one
  }
  return {
    calls,
    called(provider, now) {
      const { first } = of(provider)
      usedOf(first, now)
      count(first, 1, now)
    },
    mayAgain(provider, now) {
      const { first, again } = of(provider)
      if (usedOf(again, now) + 1 > Math.max(least, share * usedOf(first, now))) return false
      count(again, 1, now)
      return true
    },
    take(before, provider) {
      const known = before.calls.get(provider)
      if (known) calls.set(provider, known)
    },
  }
}
