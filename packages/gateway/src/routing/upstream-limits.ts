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

/** Limit that an upstream reported. Its reset is parsed when it is needed, since most amounts are sufficient. */
interface ReportedLimit {
  readonly header: LimitHeader
  readonly remaining: number
  /** Values of the headers. */
  readonly limit: string | undefined
  readonly reset: string | undefined
  /** Time of the report on the monotonic clock, and in Unix milliseconds. */
  readonly at: number
  readonly atUnix: number
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

const UNITS: Readonly<Record<string, number>> = { d: 86_400_000, h: 3_600_000, m: 60_000, s: 1_000, ms: 1 }
/** Maximum length of a duration. */
const MAX_DURATION = 40

function headerOf(given: UpstreamHeaders, name: string | undefined): string | undefined {
  const value = name === undefined ? undefined : given[name]
  return typeof value === 'string' ? value : value?.[0]
}

function isDigit(value: string, at: number): boolean {
  const code = value.charCodeAt(at)
  return code >= 48 && code <= 57
}

/** Number that is not negative. */
function amountOf(value: string | undefined): number | undefined {
  const amount = value !== undefined && isDigit(value, 0) ? Number(value) : Number.NaN
  return Number.isFinite(amount) ? amount : undefined
}

/** Milliseconds of a duration such as `1m2.5s`. */
function durationOf(value: string): number | undefined {
  if (value === '' || value.length > MAX_DURATION) return undefined
  let ms = 0
  for (let at = 0; at < value.length; ) {
    let end = at
    while (isDigit(value, end) || value[end] === '.') end++
    const amount = amountOf(value.slice(at, end))
    const name = value.startsWith('ms', end) ? 'ms' : value.charAt(end)
    const unit = Object.hasOwn(UNITS, name) ? UNITS[name] : undefined
    if (amount === undefined || unit === undefined) return undefined
    ms += amount * unit
    at = end + name.length
  }
  return ms
}

/** Milliseconds from `nowUnix` until a reset, at most one day. Undefined if it is in the past. */
function resetMs(value: string | undefined, as: ResetNotation | undefined, nowUnix: number): number | undefined {
  return value === undefined ? undefined : soundWait(unlimitedMs(value, as, nowUnix))
}

function unlimitedMs(value: string, as: ResetNotation | undefined, nowUnix: number): number | undefined {
  const amount = amountOf(value)
  switch (as) {
    case 'duration':
      return durationOf(value)
    case 'seconds':
    case 'ietf':
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

/** Remaining amount and reset of the smallest limit in a `RateLimit` field: a list such as `"api";r=999;t=295`. */
function readField(value: string | undefined): { remaining: number; reset: string | undefined } | undefined {
  let least: { remaining: number; reset: string | undefined } | undefined
  for (const item of value?.split(',') ?? []) {
    const remaining = amountOf(/;\s*r=(\d+)/.exec(item)?.[1])
    if (remaining !== undefined && remaining < (least?.remaining ?? Number.POSITIVE_INFINITY))
      least = { remaining, reset: /;\s*t=(\d+)/.exec(item)?.[1] }
  }
  return least
}

/** Limit in a response. Undefined if the response does not have it. */
function readLimit(header: LimitHeader, given: UpstreamHeaders, at: number, atUnix: number): ReportedLimit | undefined {
  const value = headerOf(given, header.remaining)
  if (value === undefined) return undefined
  if (header.resetAs === 'ietf') {
    const field = readField(value)
    return field && { header, remaining: field.remaining, limit: undefined, reset: field.reset, at, atUnix }
  }
  const remaining = amountOf(value)
  if (remaining === undefined) return undefined
  const limit = headerOf(given, header.limit)
  return { header, remaining, limit, reset: headerOf(given, header.reset), at, atUnix }
}

/** Milliseconds from the report until the reset. Undefined if the upstream did not report it. */
function reportedReset({ header, reset, atUnix }: ReportedLimit): number | undefined {
  return resetMs(reset, header.resetAs, atUnix)
}

/** Milliseconds from the report until the reset, else the length of the window. Undefined if both are unknown. */
function waitOf(report: ReportedLimit): number | undefined {
  const window = soundWait(report.header.windowMs)
  return reportedReset(report) ?? (window === undefined ? undefined : Math.min(window, MAX_WINDOW_MS))
}

/** Time until which a report applies. */
function endOf(report: ReportedLimit): number {
  return report.at + (waitOf(report) ?? DECAY_MS)
}

/** True if the upstream reports a limit of 0 or less: it does not have this limit. */
function isUnlimited({ limit }: ReportedLimit): boolean {
  return limit !== undefined && !amountOf(limit)
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
    const report = readLimit(header, given, 0, nowUnix)
    const isUsedUp = report?.remaining === 0 && !isUnlimited(report)
    const wait =
      header.remaining === undefined
        ? resetMs(headerOf(given, header.reset), header.resetAs, nowUnix)
        : isUsedUp
          ? waitOf(report)
          : undefined
    if (wait !== undefined) last = Math.max(last ?? 0, wait)
  }
  return last
}

/** Time until which less than `needed` remains; 0 if enough remains. */
function shortage(report: ReportedLimit, needed: number): number {
  const { header, remaining, at } = report
  if (remaining >= needed || isUnlimited(report)) return 0
  const whole = header.refills === true ? amountOf(report.limit) : undefined
  const reset = whole === undefined || whole < needed ? undefined : reportedReset(report)
  if (whole === undefined || reset === undefined) return endOf(report)
  return at + (reset * (needed - remaining)) / (whole - remaining)
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
  return {
    known,
    note(key, headers, given, now) {
      const nowUnix = Date.now()
      let limits: ReportedLimit[] | undefined
      for (const header of headers) {
        const report = readLimit(header, given, now, nowUnix)
        if (!report) continue
        limits ??= []
        limits.push(report)
      }
      if (limits) put(key, limits)
    },
    shortUntil(key, tokens, now) {
      const limits = known.size === 0 ? undefined : known.get(key)
      if (!limits) return undefined
      let last = now
      for (const report of limits)
        last = Math.max(last, shortage(report, report.header.unit === 'tokens' ? Math.max(1, tokens) : 1))
      return last > now ? last : undefined
    },
    state(key, now) {
      const limits = (known.get(key) ?? []).filter(
        (report) => report.header.unit !== 'output-tokens' && !isUnlimited(report) && endOf(report) > now,
      )
      if (limits.length === 0) return undefined
      const least = (unit: LimitHeader['unit']): number =>
        Math.min(...limits.filter(({ header }) => header.unit === unit).map(({ remaining }) => remaining))
      const [requests, tokens] = [least('requests'), least('tokens')]
      const reset = Math.max(...limits.map((report) => report.at + (reportedReset(report) ?? Number.NEGATIVE_INFINITY)))
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
