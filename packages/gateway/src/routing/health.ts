import type { ErrorKind, UpstreamError } from '@headgate/core/errors'
import { ENDPOINT_FAULTS } from '../ports/provider-faults.ts'
import type { CooldownRecord } from '../ports/routing.ts'
import type { Overrun, Overruns } from './overruns.ts'
import { count, createWindow, type SlidingWindow, usedOf } from './window.ts'

/** Error kinds that concern the whole account. */
const ACCOUNT_WIDE: ReadonlySet<ErrorKind> = new Set(['our-credential', 'our-quota'])

/** Consecutive failures that eject an endpoint. */
const MOST_IN_A_ROW = 5
/** Failures within {@link RATE_SLOTS} seconds that eject an endpoint, if they are this part of its calls. */
const LEAST_FAILURES = 5
const FAILURE_RATE = 0.5
const RATE_SLOT_MS = 1_000
const RATE_SLOTS = 30
/** Slots of the counts for reports, 30 minutes. */
const RECENT_SLOT_MS = 60_000
const RECENT_SLOTS = 30

/** First and maximum cooldowns, in milliseconds. Each further failure doubles the cooldown. */
const FIRST_COOLDOWN_MS = 2_000
const MAX_COOLDOWN_MS = 60_000
const FIRST_ACCOUNT_COOLDOWN_MS = 60_000
const MAX_ACCOUNT_COOLDOWN_MS = 1_800_000
/** Cooldown of an account whose quota is used up, if its reset is unknown. */
const QUOTA_COOLDOWN_MS = 1_800_000
/** Minimum and maximum cooldown that an upstream can request. */
const LEAST_REQUESTED_MS = 1_000
const MAX_REQUESTED_MS = 86_400_000
/** Minimum remaining time of a cooldown for other processes, in milliseconds. */
const LEAST_SHARED_MS = 5_000
/** Maximum number of cooldowns that wait for other processes. */
const MAX_SHARED = 256
/** Maximum random part of a computed cooldown. */
const JITTER = 0.1
/** Number of concurrent calls at which the load of a recovered endpoint has returned. */
export const WHOLE_LOAD = 32

/** Maximum number of targets. Callers choose model names, so memory must be limited. */
const MAX_TARGETS = 10_000
/** Maximum number of remembered errors. */
const MAX_ERRORS = 500

/** Target of calls: a model at an endpoint. */
export interface HealthTarget {
  /** Name of the provider. */
  readonly provider: string
  /** Name of the endpoint; empty if the provider has only one. */
  readonly endpoint: string
  /** Name of the endpoint's account, unique over all providers. */
  readonly account: string
  /** Empty for targets without models. */
  readonly model: string
  /** Result of {@link keyOf}, if it is known already. */
  readonly key?: string | undefined
}

/** Target without endpoints. */
export function plainTarget(provider: string, model: string): HealthTarget {
  return { provider, endpoint: '', account: provider, model }
}

/** Key of a target in maps. */
export function keyOf({ key, provider, endpoint, model }: HealthTarget): string {
  return key ?? `${provider}\n${endpoint}\n${model}`
}

/** Key of an endpoint. A provider with only one endpoint has the key of its account. */
function placeKeyOf({ provider, endpoint, account }: HealthTarget): string {
  return endpoint === '' ? account : `${provider}\n${endpoint}`
}

/** The failure of an attempt. */
export interface AttemptFailure extends Pick<UpstreamError, 'kind'> {
  readonly retryAfterMs?: number | undefined
  readonly code?: string | undefined
  readonly upstreamStatus?: number | undefined
  /** True if it is unknown whether the upstream carried out an expensive request. */
  readonly isUnanswered?: boolean | undefined
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

/** Health of a provider, of one of its endpoints or of one of its models. */
export interface HealthReport {
  readonly provider: string
  /** Absent if the provider has only one endpoint. */
  readonly endpoint?: string | undefined
  /** The provider's name for the model; absent = the whole provider. */
  readonly model?: string
  /** End of the cooldown in Unix milliseconds; absent = not in cooldown. */
  readonly restsUntil?: number
  readonly lastError?: RecentError
  /** Recent output above the limit of its request; absent = none within the last day. */
  readonly overrun?: Pick<Overrun, 'count' | 'at' | 'limit' | 'output'>
  /** Calls of the last 30 minutes. */
  readonly recent?: { readonly calls: number; readonly failures: number } | undefined
  /** Calls in progress. */
  readonly inFlight?: number | undefined
  /** Maximum concurrent calls, if it is limited now. */
  readonly limit?: number | undefined
  /** Remaining amounts that the upstream reported. `resetAt` in Unix milliseconds. */
  readonly remaining?:
    | {
        readonly requests?: number | undefined
        readonly tokens?: number | undefined
        readonly resetAt?: number | undefined
      }
    | undefined
}

/** Period in which an endpoint is tried last, or not at all. Times of a monotonic clock. */
export interface Cooldown {
  readonly until: number
  readonly length: number
  /** True if calls are pointless until its end, as for a day's quota that is used up. */
  readonly isFinal: boolean
  readonly kind: ErrorKind
}

/** Outcomes of the calls of a target. */
interface Outcomes {
  failuresInARow: number
  readonly calls: SlidingWindow
  readonly failures: SlidingWindow
  readonly recentCalls: SlidingWindow
  readonly recentFailures: SlidingWindow
  /** Maximum concurrent calls while the load of a recovered endpoint returns; 0 = no limit. */
  ramp: number
}

/**
 * Cooldowns of endpoints, by model, and of accounts. An endpoint is ejected after {@link MOST_IN_A_ROW} failures in a
 * row, if half of its recent calls failed, or immediately if it cannot be reached, was too slow or refuses further
 * requests. One call tests it after the cooldown; then its load returns gradually. In memory only; processes can
 * exchange cooldowns. `now` is the time of a monotonic clock.
 */
export interface Health {
  /** False in a cooldown. */
  isHealthy(target: HealthTarget, now: number): boolean
  /** True if the account of a target is in cooldown. */
  isAccountDown(target: HealthTarget, now: number): boolean
  /** Cooldown of a target or of its account; undefined = none. */
  cooldownOf(target: HealthTarget, now: number): Cooldown | undefined
  /** Maximum concurrent calls of a target that recovers; Infinity = no limit. */
  admits(target: HealthTarget, now: number): number
  served(target: HealthTarget, now: number): void
  failed(target: HealthTarget, failure: AttemptFailure, now: number): void
  /** Cooldowns for other processes that began since the last call, see `Cooldowns` in `ports/routing.ts`. */
  drain(now: number): readonly CooldownRecord[]
  /** Adds cooldowns of other processes. */
  merge(records: readonly CooldownRecord[], now: number): void
  /** Copies what is known about a provider from a previous gateway, except final cooldowns. */
  copyFrom(before: Health, provider: string): void
  readonly state: HealthState
  /** Targets with calls in the last 30 minutes, a cooldown, an error or an overrun, `others`; and accounts. */
  report(now: number, overruns?: Overruns, others?: readonly string[]): readonly TargetReport[]
}

/** Health of a target or of an account. */
export interface TargetReport extends HealthReport {
  /** Name of the account; undefined = a target. */
  readonly account: string | undefined
}

/** Internal state, which a succeeding gateway takes over. */
export interface HealthState {
  /** Cooldowns by account, and by target. An entry stays after its end until a call succeeds. */
  readonly cooldowns: Map<string, Cooldown>
  readonly outcomes: Map<string, Outcomes>
  readonly errors: Map<string, RecentError>
  /** Keys of cooldowns that other processes do not know yet. */
  readonly undrained: Set<string>
}

/** True if no response arrived: the endpoint cannot be reached, or was too slow. */
function isUnreachable({ kind, upstreamStatus, code, isUnanswered }: AttemptFailure): boolean {
  if (kind === 'timeout' || isUnanswered) return true
  return kind === 'upstream' && upstreamStatus === undefined && UNREACHABLE.has(code ?? '')
}

const UNREACHABLE: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
])

function createOutcomes(): Outcomes {
  return {
    failuresInARow: 0,
    calls: createWindow(RATE_SLOT_MS, RATE_SLOTS),
    failures: createWindow(RATE_SLOT_MS, RATE_SLOTS),
    recentCalls: createWindow(RECENT_SLOT_MS, RECENT_SLOTS),
    recentFailures: createWindow(RECENT_SLOT_MS, RECENT_SLOTS),
    ramp: 0,
  }
}

function countCall({ calls, recentCalls }: Outcomes, now: number): void {
  usedOf(calls, now)
  count(calls, 1, now)
  usedOf(recentCalls, now)
  count(recentCalls, 1, now)
}

/** True if the failures of a target are enough to eject it. */
function isFailing({ failuresInARow, calls, failures }: Outcomes, now: number): boolean {
  if (failuresInARow >= MOST_IN_A_ROW) return true
  const failed = usedOf(failures, now)
  return failed >= LEAST_FAILURES && failed >= FAILURE_RATE * usedOf(calls, now)
}

/** Removes the oldest entries of a map until it has space for another one. */
function makeSpace(map: Map<string, unknown>, most: number): void {
  for (const key of map.keys()) {
    if (map.size < most) return
    map.delete(key)
  }
}

/** The next cooldown after a failure; undefined = none. */
function nextCooldown(
  before: Cooldown | undefined,
  failure: AttemptFailure,
  isEjected: boolean,
  now: number,
  random: () => number,
): Cooldown | undefined {
  const { kind, retryAfterMs } = failure
  const requested = retryAfterMs === undefined ? undefined : Math.min(retryAfterMs, MAX_REQUESTED_MS)
  const isAccount = ACCOUNT_WIDE.has(kind)
  if (requested === undefined && kind !== 'rate-limited' && !isAccount && !isEjected && !before) return undefined
  const [first, most] = isAccount
    ? [kind === 'our-quota' ? QUOTA_COOLDOWN_MS : FIRST_ACCOUNT_COOLDOWN_MS, MAX_ACCOUNT_COOLDOWN_MS]
    : [FIRST_COOLDOWN_MS, MAX_COOLDOWN_MS]
  // Concurrent calls that fail in the same cooldown count once.
  const length = before && before.until > now ? before.length : Math.min(most, before ? before.length * 2 : first)
  const computed = length * (1 + JITTER * random())
  const wait = requested === undefined || requested < LEAST_REQUESTED_MS ? computed : requested
  const isFinal = kind === 'our-quota' || (kind === 'rate-limited' && wait > MAX_COOLDOWN_MS * (1 + JITTER))
  const until = now + wait
  if (before && before.until > until) return before
  return { until, length, isFinal, kind }
}

/** Cooldown that is not over; undefined = none. */
function current({ cooldowns }: HealthState, key: string, now: number): Cooldown | undefined {
  const cooldown = cooldowns.get(key)
  return cooldown && cooldown.until > now ? cooldown : undefined
}

function outcomesOf({ outcomes }: HealthState, key: string): Outcomes {
  const known = outcomes.get(key)
  if (known) return known
  makeSpace(outcomes, MAX_TARGETS)
  const created = createOutcomes()
  outcomes.set(key, created)
  return created
}

function noteError({ errors }: HealthState, key: string, failure: AttemptFailure): void {
  const { kind, code, upstreamStatus: status } = failure
  errors.delete(key)
  makeSpace(errors, MAX_ERRORS)
  errors.set(key, {
    kind,
    ...(status !== undefined && { status }),
    ...(code !== undefined && { code }),
    at: Date.now(),
  })
}

/** Counts a failure of a target. Returns true if the target is ejected. */
function countFailure(state: HealthState, target: HealthTarget, failure: AttemptFailure, now: number): boolean {
  const known = outcomesOf(state, keyOf(target))
  known.failuresInARow++
  known.ramp = 0
  countCall(known, now)
  for (const window of [known.failures, known.recentFailures]) {
    usedOf(window, now)
    count(window, 1, now)
  }
  return isUnreachable(failure) || isFailing(known, now)
}

/** Keys of the cooldowns that a failure begins. */
function cooledBy(target: HealthTarget, { kind }: AttemptFailure): readonly string[] {
  if (!ACCOUNT_WIDE.has(kind)) return [keyOf(target)]
  const place = placeKeyOf(target)
  // A success of another endpoint of the account does not show that this credential works.
  return place === target.account ? [place] : [target.account, place]
}

/**
 * True for a failure that other processes would have as well: the upstream asked to wait, or a quota is used up. A
 * rejected credential may be replaced already in other processes.
 */
function isOfUpstream({ kind, retryAfterMs }: AttemptFailure): boolean {
  return kind === 'our-quota' || (kind !== 'our-credential' && (kind === 'rate-limited' || retryAfterMs !== undefined))
}

function drainCooldowns({ cooldowns, undrained }: HealthState, now: number): readonly CooldownRecord[] {
  if (undrained.size === 0) return NO_RECORDS
  const records = [...undrained].flatMap((key): CooldownRecord[] => {
    const { until = 0, kind = 'rate-limited' } = cooldowns.get(key) ?? {}
    return until > now ? [{ key, kind, leftMs: Math.round(until - now) }] : []
  })
  undrained.clear()
  return records
}

const NO_RECORDS: readonly CooldownRecord[] = []

function mergeCooldowns({ cooldowns }: HealthState, records: readonly CooldownRecord[], now: number): void {
  for (const { key, kind, leftMs } of records) {
    const before = cooldowns.get(key)
    const until = now + Math.min(leftMs, MAX_REQUESTED_MS)
    if (!(leftMs > 0) || (before && before.until >= until)) continue
    if (!before) makeSpace(cooldowns, MAX_TARGETS)
    cooldowns.set(key, { until, length: before?.length ?? FIRST_COOLDOWN_MS, isFinal: false, kind })
  }
}

/** @param random returns 0 to 1, for the random part of cooldowns; default `Math.random` */
export function createHealth(random: () => number = Math.random): Health {
  const state: HealthState = { cooldowns: new Map(), outcomes: new Map(), errors: new Map(), undrained: new Set() }
  const { cooldowns, outcomes, errors } = state
  const cooldownOf = (target: HealthTarget, now: number): Cooldown | undefined => {
    if (cooldowns.size === 0) return undefined
    const ofAccount = current(state, target.account, now) ?? current(state, placeKeyOf(target), now)
    return ofAccount ?? current(state, keyOf(target), now)
  }
  return {
    state,
    cooldownOf,
    isHealthy: (target, now) => cooldownOf(target, now) === undefined,
    isAccountDown: (target, now) => cooldowns.size > 0 && current(state, target.account, now) !== undefined,
    admits(target, now) {
      const key = keyOf(target)
      if (cooldowns.size > 0)
        for (const name of [key, placeKeyOf(target), target.account])
          if ((cooldowns.get(name)?.until ?? Number.POSITIVE_INFINITY) <= now) return 1
      return outcomes.get(key)?.ramp || Number.POSITIVE_INFINITY
    },
    served(target, now) {
      const key = keyOf(target)
      const known = outcomesOf(state, key)
      known.failuresInARow = 0
      countCall(known, now)
      if (known.ramp > 0) known.ramp = known.ramp >= WHOLE_LOAD ? 0 : known.ramp * 2
      if (cooldowns.size === 0) return
      cooldowns.delete(target.account)
      cooldowns.delete(placeKeyOf(target))
      if (cooldowns.delete(key)) known.ramp = 2
    },
    failed(target, failure, now) {
      if (!ENDPOINT_FAULTS.has(failure.kind)) return
      const isEjected = countFailure(state, target, failure, now)
      noteError(state, ACCOUNT_WIDE.has(failure.kind) ? target.account : keyOf(target), failure)
      for (const key of cooledBy(target, failure)) {
        const before = cooldowns.get(key)
        const next = nextCooldown(before, failure, isEjected, now, random)
        if (!next) continue
        if (!before) makeSpace(cooldowns, MAX_TARGETS)
        cooldowns.set(key, next)
        const isNew = next !== before && next.until - now >= LEAST_SHARED_MS
        if (isNew && isOfUpstream(failure) && state.undrained.size < MAX_SHARED) state.undrained.add(key)
      }
    },
    drain: (now) => drainCooldowns(state, now),
    merge: (records, now) => mergeCooldowns(state, records, now),
    copyFrom(before, provider) {
      const isIts = (key: string): boolean => key === provider || key.startsWith(`${provider}\n`)
      for (const [key, cooldown] of before.state.cooldowns)
        if (isIts(key) && !cooldown.isFinal) cooldowns.set(key, cooldown)
      for (const [key, known] of before.state.outcomes) if (isIts(key)) outcomes.set(key, known)
      for (const [key, error] of before.state.errors) if (isIts(key)) errors.set(key, error)
    },
    report: (now, overruns, others) => reportOf(state, now, overruns, others),
  }
}

/** Parts of a key: of a target, or of an account. */
function partsOf(key: string): Pick<TargetReport, 'provider' | 'endpoint' | 'model' | 'account'> {
  const [provider = '', endpoint = '', model] = key.split('\n', 3)
  if (model === undefined) return { provider, account: key }
  return { provider, account: undefined, ...(endpoint !== '' && { endpoint }), ...(model !== '' && { model }) }
}

function recentOf(known: Outcomes | undefined, now: number): HealthReport['recent'] {
  const calls = known ? usedOf(known.recentCalls, now) : 0
  return known && calls > 0 ? { calls, failures: usedOf(known.recentFailures, now) } : undefined
}

function reportOf(
  { cooldowns, outcomes, errors }: HealthState,
  now: number,
  overruns: Overruns | undefined,
  others: readonly string[] = [],
): readonly TargetReport[] {
  const overrun = overruns?.known ?? new Map<string, Overrun>()
  const keys = new Set([...cooldowns.keys(), ...errors.keys(), ...overrun.keys(), ...others])
  for (const [key, known] of outcomes) if (usedOf(known.recentCalls, now) > 0) keys.add(key)
  return [...keys].map((key) => {
    const left = (cooldowns.get(key)?.until ?? 0) - now
    const lastError = errors.get(key)
    const beyond = overrun.get(key)
    const recent = recentOf(outcomes.get(key), now)
    return {
      ...partsOf(key),
      ...(left > 0 && { restsUntil: Math.round(Date.now() + left) }),
      ...(lastError && { lastError }),
      ...(beyond && { overrun: { count: beyond.count, at: beyond.at, limit: beyond.limit, output: beyond.output } }),
      ...(recent && { recent }),
    }
  })
}
