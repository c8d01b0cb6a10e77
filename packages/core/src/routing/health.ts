import type { ErrorKind } from '../errors.ts'

/** Kinds that say that a model at a provider is unwell, not the request. */
const UNWELL: ReadonlySet<ErrorKind> = new Set(['rate-limited', 'overloaded', 'upstream', 'timeout', 'our-credential', 'our-quota'])
/** Of these, those that say it of the whole provider. */
const WHOLE: ReadonlySet<ErrorKind> = new Set(['our-credential', 'our-quota'])
const FIRST_REST_MS = 2_000
const LONGEST_REST_MS = 60_000
/** So many rests are remembered: names of models come from callers. */
const REMEMBERED = 10_000

/** What may be unwell: a model at a provider. */
export interface Subject {
  readonly provider: string
  /** Empty where there are no models. */
  readonly model: string
}

/** Remembers what failed lately, so that others are asked first. In memory only: nodes learn for themselves. `now` is a moment of the clock that never jumps. */
export interface Health {
  isWell(subject: Subject, now: number): boolean
  served(subject: Subject): void
  failed(subject: Subject, kind: ErrorKind, now: number, retryAfterMs?: number): void
  /** Takes over what another one remembers of a provider. */
  take(before: Health, provider: string): void
  /** What rests, by provider, and by provider and model. */
  readonly rests: ReadonlyMap<string, Rest>
}

export interface Rest {
  readonly until: number
  readonly length: number
}

export function createHealth(): Health {
  /** By provider, and by provider and model. */
  const rests = new Map<string, Rest>()
  const keyOf = ({ provider, model }: Subject): string => `${provider}\n${model}`
  const isOver = (key: string, now: number): boolean => (rests.get(key)?.until ?? 0) <= now
  const forget = (now: number): void => {
    for (const key of rests.keys()) if (isOver(key, now)) rests.delete(key)
    for (const key of rests.keys()) if (rests.size >= REMEMBERED) rests.delete(key)
  }
  return {
    rests,
    take(before, provider) {
      for (const [key, rest] of before.rests) if (key === provider || key.startsWith(`${provider}\n`)) rests.set(key, rest)
    },
    isWell: (subject, now) => rests.size === 0 || (isOver(subject.provider, now) && isOver(keyOf(subject), now)),
    served(subject) {
      if (rests.size === 0) return
      rests.delete(subject.provider)
      rests.delete(keyOf(subject))
    },
    failed(subject, kind, now, retryAfterMs) {
      if (!UNWELL.has(kind)) return
      const key = WHOLE.has(kind) ? subject.provider : keyOf(subject)
      const length = Math.min(LONGEST_REST_MS, (rests.get(key)?.length ?? FIRST_REST_MS / 2) * 2)
      if (rests.size >= REMEMBERED) forget(now)
      rests.set(key, { length, until: now + Math.max(length, Math.min(retryAfterMs ?? 0, LONGEST_REST_MS)) })
    },
  }
}
