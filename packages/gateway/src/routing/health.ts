import type { ErrorKind, UpstreamError } from '@headgate/core/errors'
import type { Overrun, Overruns } from './overruns.ts'

/** Error kinds that are a problem of the model or provider, not of the request. */
const UNHEALTHY: ReadonlySet<ErrorKind> = new Set([
  'rate-limited',
  'overloaded',
  'upstream',
  'timeout',
  'our-credential',
  'our-quota',
])
/** Error kinds that concern the whole provider. */
const PROVIDER_WIDE: ReadonlySet<ErrorKind> = new Set(['our-credential', 'our-quota'])
const FIRST_COOLDOWN_MS = 2_000
const LONGEST_COOLDOWN_MS = 60_000
/** Maximum number of cooldowns. Callers choose model names, so memory must be limited. */
const MAX_COOLDOWNS = 10_000
/** Maximum number of remembered errors. */
const MAX_ERRORS = 500

/** Target of a cooldown: a model at a provider. */
export interface HealthTarget {
  readonly provider: string
  /** Empty for targets without models. */
  readonly model: string
}

/** The failure of an attempt. */
export interface AttemptFailure extends Pick<UpstreamError, 'kind'> {
  readonly retryAfterMs?: number | undefined
  readonly code?: string | undefined
  readonly upstreamStatus?: number | undefined
}

/** A recent failure, without its message, which may quote a prompt. */
export interface RecentError {
  readonly kind: ErrorKind
  /** HTTP status of the upstream's response; absent = no response. */
  readonly status?: number
  /** Code of the upstream's error. */
  readonly code?: string
  /** Unix milliseconds. */
  readonly at: number
}

/** Health of a provider or of one of its models. */
export interface HealthReport {
  readonly provider: string
  /** The provider's name for the model; absent = the whole provider. */
  readonly model?: string
  /** End of the cooldown in Unix milliseconds; absent = not in cooldown. */
  readonly restsUntil?: number
  readonly lastError?: RecentError
  /** Recent output above the limit of its request; absent = none within the last day. */
  readonly overrun?: Pick<Overrun, 'count' | 'at' | 'limit' | 'output'>
}

/**
 * Cooldowns after failures, so that other candidates are tried first. In memory only: each node learns by itself. `now`
 * is the time of a monotonic clock.
 */
export interface Health {
  isHealthy(subject: HealthTarget, now: number): boolean
  served(subject: HealthTarget): void
  failed(subject: HealthTarget, failing: AttemptFailure, now: number): void
  /** Copies the cooldowns and errors of a provider from a previous gateway. */
  copyFrom(before: Health, provider: string): void
  /** Cooldowns by provider, and by provider and model. */
  readonly cooldowns: ReadonlyMap<string, Cooldown>
  /** Last failure of each target. */
  readonly recentErrors: ReadonlyMap<string, RecentError>
  /** Targets that are in cooldown, failed recently or exceeded output limits. */
  report(now: number, overruns?: Overruns): readonly HealthReport[]
}

export interface Cooldown {
  readonly until: number
  readonly length: number
}

export function createHealth(): Health {
  /** Keys are a provider, or a provider and a model. */
  const rests = new Map<string, Cooldown>()
  const troubles = new Map<string, RecentError>()
  const keyOf = ({ provider, model }: HealthTarget): string => `${provider}\n${model}`
  const isOver = (key: string, now: number): boolean => (rests.get(key)?.until ?? 0) <= now
  const forget = (now: number): void => {
    for (const key of rests.keys()) if (isOver(key, now)) rests.delete(key)
    for (const key of rests.keys()) if (rests.size >= MAX_COOLDOWNS) rests.delete(key)
  }
  const note = (key: string, trouble: RecentError): void => {
    troubles.delete(key)
    const [oldest] = troubles.size >= MAX_ERRORS ? troubles.keys() : []
    if (oldest !== undefined) troubles.delete(oldest)
    troubles.set(key, trouble)
  }
  return {
    cooldowns: rests,
    recentErrors: troubles,
    report(now, overruns) {
      const overrun = overruns?.known ?? new Map<string, Overrun>()
      return [...new Set([...rests.keys(), ...troubles.keys(), ...overrun.keys()])].map((key) => {
        const mark = key.indexOf('\n')
        const [provider, model] = mark < 0 ? [key, ''] : [key.slice(0, mark), key.slice(mark + 1)]
        const left = (rests.get(key)?.until ?? 0) - now
        const lastError = troubles.get(key)
        const beyond = overruns?.of({ provider, model })
        return {
          provider,
          ...(model !== '' && { model }),
          ...(left > 0 && { restsUntil: Math.round(Date.now() + left) }),
          ...(lastError && { lastError }),
          ...(beyond && {
            overrun: { count: beyond.count, at: beyond.at, limit: beyond.limit, output: beyond.output },
          }),
        }
      })
    },
    copyFrom(before, provider) {
      const isIts = (key: string): boolean => key === provider || key.startsWith(`${provider}\n`)
      for (const [key, rest] of before.cooldowns) if (isIts(key)) rests.set(key, rest)
      for (const [key, trouble] of before.recentErrors) if (isIts(key)) troubles.set(key, trouble)
    },
    isHealthy: (subject, now) => rests.size === 0 || (isOver(subject.provider, now) && isOver(keyOf(subject), now)),
    served(subject) {
      if (rests.size === 0) return
      rests.delete(subject.provider)
      rests.delete(keyOf(subject))
    },
    failed(subject, { kind, retryAfterMs, code, upstreamStatus: status }, now) {
      if (!UNHEALTHY.has(kind)) return
      const key = PROVIDER_WIDE.has(kind) ? subject.provider : keyOf(subject)
      const length = Math.min(LONGEST_COOLDOWN_MS, (rests.get(key)?.length ?? FIRST_COOLDOWN_MS / 2) * 2)
      if (rests.size >= MAX_COOLDOWNS) forget(now)
      note(key, { kind, ...(status !== undefined && { status }), ...(code !== undefined && { code }), at: Date.now() })
      rests.set(key, { length, until: now + Math.max(length, Math.min(retryAfterMs ?? 0, LONGEST_COOLDOWN_MS)) })
    },
  }
}
