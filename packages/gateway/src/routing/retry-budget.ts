import type { Retries } from '../ports/gateway-options.ts'
import { count, createWindow, type SlidingWindow, uncount, usedOf } from './window.ts'

/** A window of two minutes, so that the calls of an outage count even if each of them takes a minute. */
const SLOT_MS = 3_000
const SLOTS = 40

/** Recent calls of a provider. */
interface ProviderCalls {
  readonly first: SlidingWindow
  readonly again: SlidingWindow
}

/** Limit on retries per provider, see `Retries`. In memory only. `now` is the time of a monotonic clock. */
export interface RetryBudget {
  /** Counts a first attempt when it starts. Returns a function that removes it, if no call was sent. */
  countCall(provider: string, now: number): () => void
  /** True if a retry is allowed. The retry is then counted. */
  mayRetry(provider: string, now: number): boolean
  /** Copies the counts of a provider from a previous gateway. */
  copyFrom(before: RetryBudget, provider: string): void
  /** Counts by provider. */
  readonly calls: ReadonlyMap<string, ProviderCalls>
}

export function createRetryBudget({ share = 0.2, least = 10 }: Partial<Retries> = {}): RetryBudget {
  const calls = new Map<string, ProviderCalls>()
  const of = (provider: string): ProviderCalls => {
    const known = calls.get(provider)
    if (known) return known
    const one = { first: createWindow(SLOT_MS, SLOTS), again: createWindow(SLOT_MS, SLOTS) }
    calls.set(provider, one)
    return one
  }
  return {
    calls,
    countCall(provider, now) {
      const { first } = of(provider)
      usedOf(first, now)
      const bucket = count(first, 1, now)
      return () => uncount(first, bucket, 1)
    },
    mayRetry(provider, now) {
      const { first, again } = of(provider)
      if (usedOf(again, now) + 1 > Math.max(least, share * usedOf(first, now))) return false
      count(again, 1, now)
      return true
    },
    copyFrom(before, provider) {
      const known = before.calls.get(provider)
      if (known) calls.set(provider, known)
    },
  }
}
