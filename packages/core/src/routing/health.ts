import type { ErrorKind } from '../errors.ts'

/** Kinds that say that the provider itself is unwell, not the request. */
const UNWELL: ReadonlySet<ErrorKind> = new Set(['rate-limited', 'overloaded', 'upstream', 'timeout', 'our-credential', 'our-quota'])
const FIRST_REST_MS = 2_000
const LONGEST_REST_MS = 60_000

/** Remembers who failed lately, so that others are asked first. In memory only: nodes learn for themselves. `now` is a moment of the clock that never jumps. */
export interface Health {
  isWell(name: string, now: number): boolean
  served(name: string): void
  failed(name: string, kind: ErrorKind, now: number, retryAfterMs?: number): void
}

export function createHealth(): Health {
  const rests = new Map<string, { until: number; length: number }>()
  return {
    isWell(name, now) {
      const rest = rests.get(name)
      return !rest || rest.until <= now
    },
    served(name) {
      if (rests.size > 0) rests.delete(name)
    },
    failed(name, kind, now, retryAfterMs) {
      if (!UNWELL.has(kind)) return
      const length = Math.min(LONGEST_REST_MS, (rests.get(name)?.length ?? FIRST_REST_MS / 2) * 2)
      rests.set(name, { length, until: now + Math.max(length, Math.min(retryAfterMs ?? 0, LONGEST_REST_MS)) })
    },
  }
}
