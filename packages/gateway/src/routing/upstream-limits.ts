import type { LimitHeader, ResetNotation } from '@headgate/core/contract'
import { soundWait } from '@headgate/core/errors'
import type { UpstreamHeaders } from '../http/upstream.ts'

/** Time that an amount without a reset is used, in milliseconds. */
const DECAY_MS = 10_000
/**
 * Maximum wait for the end of a window that began at an unknown time, in milliseconds. An account whose quota of a day
 * is used up is called at most twice an hour.
 */
const MAX_WINDOW_MS = 1_800_000
/** Maximum number of targets. Callers choose model names, so memory must be limited. */
const MAX_TARGETS = 10_000
/** Smallest Unix time that is in milliseconds. In seconds it is the year 5138. */
const MILLISECONDS_FROM = 100_000_000_000

/** State of one limit that an upstream reported. */
interface ReportedLimit {
  readonly unit: LimitHeader['unit']
  readonly remaining: number
  /** Whole amount, if the amount grows continuously from `at` to `until`. */
  readonly growsTo: number | undefined
  /** Times of the monotonic clock: when it was reported, and when it no longer applies. */
  readonly at: number
  readonly until: number
  /** True if the upstream reported the reset. */
  readonly hasReset: boolean
}

/** Remaining amounts of a target, for reports. */
export interface RemainingAmounts {
  readonly requests?: number
  readonly tokens?: number
  /** Time at which the last of these limits resets, in Unix milliseconds; absent = unknown. */
  readonly resetAt?: number
}

/**
 * Limits that upstreams reported in the headers of their responses, by target. A key identifies a target, and has no
 * other meaning. `now` is the time of a monotonic clock. In memory only: each process learns by itself, and other
 * processes use the same limits, so the amounts are estimates.
 */
export interface UpstreamLimits {
  /** Records the limits in the headers of a response with any status. Headers without limits change nothing. */
  note(key: string, headers: readonly LimitHeader[], given: UpstreamHeaders, now: number): void
  /**
   * Time of the monotonic clock until which less remains than a request needs: one request and `tokens` tokens.
   * Undefined if enough remains, or if the amounts are unknown.
   */
  shortUntil(key: string, tokens: number, now: number): number | undefined
  /** Remaining amounts, the smallest of each unit. Undefined if they are unknown. */
  state(key: string, now: number): RemainingAmounts | undefined
  /** Copies the limits of the targets that `isCopied` accepts from a previous gateway. Default: all. */
  copyFrom(before: UpstreamLimits, isCopied?: (key: string) => boolean): void
  /** Reported limits by target, the least recent first. */
  readonly known: ReadonlyMap<string, readonly ReportedLimit[]>
}

const NUMBER = /^\d+(?:\.\d+)?$/
const DURATION = /^(?:\d+(?:\.\d+)?(?:ms|[dhms]))+$/
const UNITS: Readonly<Record<string, number>> = { d: 86_400_000, h: 3_600_000, m: 60_000, s: 1_000, ms: 1 }

function headerOf(given: UpstreamHeaders, name: string | undefined): string | undefined {
  const value = name === undefined ? undefined : given[name]
  return (Array.isArray(value) ? value[0] : value)?.trim()
}

/** Number that is not negative. */
function amountOf(value: string | undefined): number | undefined {
  return value !== undefined && NUMBER.test(value) ? Number(value) : undefined
}

function durationOf(value: string): number | undefined {
  if (value.length > 40 || !DURATION.test(value)) return undefined
  let ms = 0
  for (const [, amount, unit = ''] of value.matchAll(/(\d+(?:\.\d+)?)(ms|[dhms])/g))
    ms += Number(amount) * (UNITS[unit] ?? 0)
  return ms
}

/** Milliseconds from `nowUnix` until a reset. Undefined if it is in the past. */
function resetMs(value: string | undefined, as: ResetNotation | undefined, nowUnix: number): number | undefined {
  if (!value) return undefined
  const amount = amountOf(value)
  switch (as) {
    case 'duration':
      return durationOf(value)
    case 'seconds':
      return amount === undefined ? durationOf(value) : amount * 1_000
    case 'milliseconds':
      return amount ?? durationOf(value)
    case 'epoch':
      return amount === undefined ? undefined : (amount < MILLISECONDS_FROM ? amount * 1_000 : amount) - nowUnix
    case 'rfc3339':
      return Date.parse(value) - nowUnix
    default:
      return undefined
  }
}

interface Reading {
  readonly remaining: number | undefined
  readonly limit: number | undefined
  /** Milliseconds until the reported reset, at most one day. */
  readonly reset: number | undefined
  /** Milliseconds to wait if the limit is used up: until the reset, else for the window. */
  readonly wait: number | undefined
}

/** Smallest limit in a `RateLimit` field: a list such as `"api";r=999;t=295`. */
function readField(value: string | undefined): Reading | undefined {
  let least: Reading | undefined
  for (const item of value?.split(',') ?? []) {
    const remaining = amountOf(/;\s*r=(\d+)/.exec(item)?.[1])
    if (remaining === undefined || remaining >= (least?.remaining ?? Number.POSITIVE_INFINITY)) continue
    const seconds = amountOf(/;\s*t=(\d+)/.exec(item)?.[1])
    const reset = soundWait(seconds === undefined ? undefined : seconds * 1_000)
    least = { remaining, limit: undefined, reset, wait: reset }
  }
  return least
}

/** Values of one limit. Undefined if the response does not have them, or if its limit is 0 or less: no limit. */
function readLimit(header: LimitHeader, given: UpstreamHeaders, nowUnix: number): Reading | undefined {
  const value = headerOf(given, header.remaining)
  if (header.resetAs === 'ietf') return readField(value)
  const remaining = amountOf(value)
  const until = header.remaining === undefined || remaining !== undefined ? headerOf(given, header.reset) : undefined
  if (remaining === undefined && until === undefined) return undefined
  const whole = headerOf(given, header.limit)
  const limit = amountOf(whole)
  if (whole !== undefined && !limit) return undefined
  const reset = soundWait(resetMs(until, header.resetAs, nowUnix))
  const window = remaining === undefined ? undefined : soundWait(header.windowMs)
  return {
    remaining,
    limit,
    reset,
    wait: reset ?? (window === undefined ? undefined : Math.min(window, MAX_WINDOW_MS)),
  }
}

/**
 * Time until a used-up limit resets, for a failure without `retry-after`, in milliseconds. The last reset counts,
 * because all limits must permit a request. Undefined if no limit is used up, or if its reset is unknown.
 * @param nowUnix Unix time in milliseconds.
 * @example
 * const headers = [{ unit: 'requests', remaining: 'x-left', reset: 'x-reset', resetAs: 'seconds' }] as const
 * resetOf(headers, { 'x-left': '0', 'x-reset': '33' }, Date.now()) // 33000
 */
export function resetOf(headers: readonly LimitHeader[], given: UpstreamHeaders, nowUnix: number): number | undefined {
  let last: number | undefined
  for (const header of headers) {
    const found = readLimit(header, given, nowUnix)
    if (found?.wait === undefined || (found.remaining ?? 0) > 0) continue
    last = Math.max(last ?? 0, found.wait)
  }
  return last
}

/** Time until which less than `needed` remains. */
function shortage({ remaining, growsTo, at, until }: ReportedLimit, needed: number): number {
  if (remaining >= needed) return 0
  if (growsTo === undefined || growsTo < needed) return until
  return at + ((until - at) * (needed - remaining)) / (growsTo - remaining)
}

function reported(header: LimitHeader, given: UpstreamHeaders, now: number, nowUnix: number): ReportedLimit[] {
  const found = readLimit(header, given, nowUnix)
  if (found?.remaining === undefined) return []
  const { remaining, limit, reset, wait = DECAY_MS } = found
  const isGrowing = header.refills === true && reset !== undefined
  return [
    {
      unit: header.unit,
      remaining,
      growsTo: isGrowing ? limit : undefined,
      at: now,
      until: now + wait,
      hasReset: reset !== undefined,
    },
  ]
}

/**
 * Creates an empty memory of upstreams' limits.
 * @example
 * const limits = createUpstreamLimits()
 * limits.note('a target', provider.limitHeaders ?? [], headers, now())
 * const isShort = limits.shortUntil('a target', 1_200, now()) !== undefined
 */
export function createUpstreamLimits(): UpstreamLimits {
  const known = new Map<string, readonly ReportedLimit[]>()
  const put = (key: string, limits: readonly ReportedLimit[]): void => {
    known.delete(key)
    const [oldest] = known.size >= MAX_TARGETS ? known.keys() : []
    if (oldest !== undefined) known.delete(oldest)
    known.set(key, limits)
  }
  /** Reported limits that still apply. */
  const of = (key: string, now: number): readonly ReportedLimit[] => {
    const limits = known.get(key) ?? []
    const current = limits.filter(({ until }) => until > now)
    if (limits.length > 0 && current.length === 0) known.delete(key)
    return current
  }
  return {
    known,
    note(key, headers, given, now) {
      const nowUnix = Date.now()
      const limits = headers.flatMap((header) => reported(header, given, now, nowUnix))
      if (limits.length > 0) put(key, limits)
    },
    shortUntil(key, tokens, now) {
      if (known.size === 0) return undefined
      let last = now
      for (const limit of of(key, now))
        last = Math.max(last, shortage(limit, limit.unit === 'tokens' ? Math.max(1, tokens) : 1))
      return last > now ? last : undefined
    },
    state(key, now) {
      const limits = of(key, now).filter(({ unit }) => unit !== 'output-tokens')
      if (limits.length === 0) return undefined
      const least = (unit: LimitHeader['unit']): number =>
        Math.min(...limits.filter((one) => one.unit === unit).map(({ remaining }) => remaining))
      const [requests, tokens] = [least('requests'), least('tokens')]
      const reset = Math.max(...limits.filter(({ hasReset }) => hasReset).map(({ until }) => until))
      return {
        ...(Number.isFinite(requests) && { requests }),
        ...(Number.isFinite(tokens) && { tokens }),
        ...(Number.isFinite(reset) && { resetAt: Math.round(Date.now() + reset - now) }),
      }
    },
    copyFrom(before, isCopied = () => true) {
      for (const [key, limits] of before.known) if (isCopied(key)) put(key, limits)
    },
  }
}
