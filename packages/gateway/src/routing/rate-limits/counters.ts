import { isCount } from '@headgate/core/canonical'
import { now } from '../../clock.ts'
import type {
  AppliedLimit,
  CountedRequest,
  RateCounters,
  RateEstimate,
  RateRefusal,
  RateSlot,
  RateState,
  RateUnit,
} from '../../ports/rates.ts'
import {
  type Bucket,
  count,
  createWindow,
  msUntil,
  msUntilEmpty,
  type SlidingWindow,
  uncount,
  usedOf,
} from '../window.ts'

/** A window of one minute. */
const SLOT_MS = 250
const SLOTS = 60_000 / SLOT_MS
/** `retryAfterMs` if only the end of another request frees capacity, in milliseconds. */
const SOON = 1_000
/** Maximum number of targets. Idle ones are removed when new ones need space. */
const MAX_TARGETS = 100_000
/** Number of targets before the first removal of idle ones. */
const FIRST_SWEEP = 1_000

/** Counters of one limit. */
interface LimitCounters {
  readonly requests: SlidingWindow
  readonly tokens: SlidingWindow
  running: number
}

/** Amounts that a request reserved in one limit. */
interface LimitReservation {
  readonly subject: LimitCounters
  /** Absent if tokens are not limited. */
  readonly bucket: Bucket | undefined
  readonly tokens: number
}

export interface MemoryCounters extends RateCounters {
  take(ask: CountedRequest): RateSlot | RateRefusal
  /** Number of limits with counters. */
  readonly size: number
}

export interface MemoryCountersOptions {
  /** Monotonic clock in milliseconds. */
  readonly clock?: () => number
  /** Maximum number of limits to count; default 100,000. */
  readonly most?: number
}

const NOTHING: LimitCounters = {
  requests: createWindow(SLOT_MS, SLOTS),
  tokens: createWindow(SLOT_MS, SLOTS),
  running: 0,
}

/** Tokens to reserve within a limit. Output counts only as far as it fits into an empty minute. */
export function reserved({ input, output }: RateEstimate, most: number): number {
  return input > most ? input : Math.min(input + output, most)
}

/** Reports the state of the tightest limit of each unit. */
export function note(states: RateState[], unit: RateUnit, limit: number, used: number, resetMs: number): void {
  const remaining = Math.max(0, limit - used)
  const at = states.findIndex((state) => state.unit === unit)
  if (at < 0) states.push({ unit, limit, remaining, resetMs })
  else if (remaining < (states[at] as RateState).remaining) states[at] = { unit, limit, remaining, resetMs }
}

function noteAll(
  states: RateState[],
  { limit }: AppliedLimit,
  subject: LimitCounters,
  hasTokens: boolean,
  moment: number,
): void {
  const { requestsPerMinute, tokensPerMinute, concurrent } = limit
  const { requests, tokens, running } = subject
  if (requestsPerMinute !== undefined)
    note(states, 'requests', requestsPerMinute, usedOf(requests, moment), msUntilEmpty(requests, moment))
  if (tokensPerMinute !== undefined && hasTokens)
    note(states, 'tokens', tokensPerMinute, usedOf(tokens, moment), msUntilEmpty(tokens, moment))
  if (concurrent !== undefined) note(states, 'concurrent', concurrent, running, 0)
}

type LimitRefusal = Omit<RateRefusal, 'states'>

/** The refusal with the longer wait. */
function later(one: LimitRefusal | undefined, other: LimitRefusal): LimitRefusal {
  if (!one) return other
  return (other.retryAfterMs ?? Number.POSITIVE_INFINITY) > (one.retryAfterMs ?? Number.POSITIVE_INFINITY) ? other : one
}

/** Reason why a limit refuses a request; undefined = it does not. */
function refusalOf(
  applied: AppliedLimit,
  subject: LimitCounters,
  tokens: RateEstimate | undefined,
  moment: number,
): LimitRefusal | undefined {
  const { scope, id, limit } = applied
  let refused: LimitRefusal | undefined
  const check = (unit: RateUnit, window: SlidingWindow, most: number, asked: number): void => {
    const used = usedOf(window, moment)
    if (used + asked <= most) return
    const state = {
      scope,
      id,
      unit,
      limit: most,
      asked,
      remaining: Math.max(0, most - used),
      resetMs: msUntilEmpty(window, moment),
    }
    refused = later(refused, asked > most ? state : { ...state, retryAfterMs: msUntil(window, most - asked, moment) })
  }
  const { requestsPerMinute, tokensPerMinute, concurrent } = limit
  if (requestsPerMinute !== undefined) check('requests', subject.requests, requestsPerMinute, 1)
  if (tokensPerMinute !== undefined && tokens)
    check('tokens', subject.tokens, tokensPerMinute, reserved(tokens, tokensPerMinute))
  if (concurrent !== undefined && subject.running >= concurrent)
    refused = later(refused, {
      scope,
      id,
      unit: 'concurrent',
      limit: concurrent,
      asked: 1,
      remaining: 0,
      resetMs: 0,
      retryAfterMs: SOON,
    })
  return refused
}

function isIdle({ requests, tokens, running }: LimitCounters, moment: number): boolean {
  return running === 0 && usedOf(requests, moment) === 0 && usedOf(tokens, moment) === 0
}

function keyOf({ scope, id }: AppliedLimit): string {
  return `${scope}\n${id}`
}

/** Refusal because the maximum number of targets is reached. */
function overflow({ scope, id }: AppliedLimit, most: number): LimitRefusal {
  return { scope, id, unit: 'concurrent', limit: most, asked: 1, remaining: 0, resetMs: 0, retryAfterMs: SOON }
}

/** Ends a request's reservations. `used` is its number of tokens, if known. */
function leaveAll(taken: readonly LimitReservation[], used: number | undefined, moment: number): void {
  const isKnown = used !== undefined && isCount(used)
  for (const { subject, bucket, tokens } of taken) {
    subject.running--
    if (!bucket || !isKnown) continue
    if (used < tokens) uncount(subject.tokens, bucket, tokens - used)
    else if (used > tokens) {
      usedOf(subject.tokens, moment)
      count(subject.tokens, used - tokens, moment)
    }
  }
}

/**
 * Counters in memory. Sliding windows ensure that no 60 seconds contain more requests or tokens than a limit;
 * concurrent requests are counted separately. Tokens used beyond the reservation count from now on; unused tokens are
 * returned as if never reserved.
 * @example
 * ```ts
 * const rateLimits = rateLimitsBy(memoryCounters(), limitsOfKey)
 * ```
 */
export function memoryCounters({ clock = now, most = MAX_TARGETS }: MemoryCountersOptions = {}): MemoryCounters {
  const subjects = new Map<string, LimitCounters>()
  let sweepAt = Math.min(FIRST_SWEEP, most)

  /**
   * Removes idle targets. The next removal comes after as many new targets as remain, so the cost per request stays
   * constant.
   */
  const sweep = (moment: number): void => {
    for (const [key, subject] of subjects) if (isIdle(subject, moment)) subjects.delete(key)
    sweepAt = Math.min(most, Math.max(FIRST_SWEEP, 2 * subjects.size))
  }
  const subjectOf = (key: string): LimitCounters => {
    const known = subjects.get(key)
    if (known) return known
    const subject = { requests: createWindow(SLOT_MS, SLOTS), tokens: createWindow(SLOT_MS, SLOTS), running: 0 }
    subjects.set(key, subject)
    return subject
  }
  return {
    get size() {
      return subjects.size
    },
    take({ limits, tokens }) {
      const moment = clock()
      const states: RateState[] = []
      let refused: LimitRefusal | undefined
      let fresh = 0
      for (const applied of limits) {
        const subject = subjects.get(keyOf(applied))
        if (!subject) fresh++
        const own = refusalOf(applied, subject ?? NOTHING, tokens, moment)
        if (own) refused = later(refused, own)
      }
      if (!refused && fresh > 0 && subjects.size + fresh > sweepAt) {
        sweep(moment)
        const [first] = limits
        if (first && subjects.size + fresh > most) refused = overflow(first, most)
      }
      if (refused) {
        for (const applied of limits)
          noteAll(states, applied, subjects.get(keyOf(applied)) ?? NOTHING, tokens !== undefined, moment)
        return { ...refused, states }
      }
      const taken = limits.map((applied): LimitReservation => {
        const subject = subjectOf(keyOf(applied))
        const { requestsPerMinute, tokensPerMinute } = applied.limit
        subject.running++
        if (requestsPerMinute !== undefined) count(subject.requests, 1, moment)
        const amount = tokens && tokensPerMinute !== undefined ? reserved(tokens, tokensPerMinute) : 0
        const bucket = tokens && tokensPerMinute !== undefined ? count(subject.tokens, amount, moment) : undefined
        noteAll(states, applied, subject, tokens !== undefined, moment)
        return { subject, bucket, tokens: amount }
      })
      let isLeft = false
      return {
        states,
        leave(used) {
          if (isLeft) return
          isLeft = true
          leaveAll(taken, used, clock())
        },
      }
    },
  }
}
