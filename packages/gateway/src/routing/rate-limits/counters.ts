import { isCount } from '@headgate/core/canonical'
import { now } from '../../clock.ts'
import type {
  AppliedLimit,
  CountedAsk,
  RateCounters,
  RateEstimate,
  RatePlace,
  RateRefusal,
  RateState,
  RateUnit,
} from '../../ports/rates.ts'
import { type Bucket, count, createWindow, msUntil, msUntilEmpty, uncount, usedOf, type Window } from '../window.ts'

/** A minute, in slots. */
const SLOT_MS = 250
const SLOTS = 60_000 / SLOT_MS
/** When to ask again where only an answer that ends makes room, in milliseconds. */
const SOON = 1_000
/** So many limits are counted at a time; those that are idle are forgotten when others come. */
const MOST_SUBJECTS = 100_000
/** So many are kept before it is looked whether some are idle. */
const KEPT_SUBJECTS = 1_000

/** What is counted of a limit. */
interface Subject {
  readonly requests: Window
  readonly tokens: Window
  running: number
}

/** What a request has taken of a limit. */
interface Taken {
  readonly subject: Subject
  /** Absent where its tokens are not counted. */
  readonly bucket: Bucket | undefined
  readonly tokens: number
}

export interface MemoryCounters extends RateCounters {
  take(ask: CountedAsk): RatePlace | RateRefusal
  /** Limits of which something is remembered. */
  readonly size: number
}

export interface MemoryCountersOptions {
  /** A clock that never jumps, in milliseconds. */
  readonly clock?: () => number
  /** Most limits that are counted at a time; default 100,000. */
  readonly most?: number
}

const NOTHING: Subject = { requests: createWindow(SLOT_MS, SLOTS), tokens: createWindow(SLOT_MS, SLOTS), running: 0 }

/** How many tokens are reserved within a limit: of the output as many as may be within an empty minute. */
function reserved({ input, output }: RateEstimate, most: number): number {
  return input > most ? input : Math.min(input + output, most)
}

/** The state of a unit is that of its tightest limit. */
function note(states: RateState[], unit: RateUnit, limit: number, used: number, resetMs: number): void {
  const remaining = Math.max(0, limit - used)
  const at = states.findIndex((state) => state.unit === unit)
  if (at < 0) states.push({ unit, limit, remaining, resetMs })
  else if (remaining < (states[at] as RateState).remaining) states[at] = { unit, limit, remaining, resetMs }
}

function noteAll(
  states: RateState[],
  { limit }: AppliedLimit,
  subject: Subject,
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

type Refused = Omit<RateRefusal, 'states'>

/** That of two which lasts longer. */
function later(one: Refused | undefined, other: Refused): Refused {
  if (!one) return other
  return (other.retryAfterMs ?? Number.POSITIVE_INFINITY) > (one.retryAfterMs ?? Number.POSITIVE_INFINITY) ? other : one
}

/** Why a limit has no room for a request; undefined = it has. */
function refusalOf(
  applied: AppliedLimit,
  subject: Subject,
  tokens: RateEstimate | undefined,
  moment: number,
): Refused | undefined {
  const { scope, id, limit } = applied
  let refused: Refused | undefined
  const check = (unit: RateUnit, window: Window, most: number, asked: number): void => {
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

function isIdle({ requests, tokens, running }: Subject, moment: number): boolean {
  return running === 0 && usedOf(requests, moment) === 0 && usedOf(tokens, moment) === 0
}

function keyOf({ scope, id }: AppliedLimit): string {
  return `${scope}\n${id}`
}

/** Refusal where so many subjects are counted that there is no space for another one. */
function overflow({ scope, id }: AppliedLimit, most: number): Refused {
  return { scope, id, unit: 'concurrent', limit: most, asked: 1, remaining: 0, resetMs: 0, retryAfterMs: SOON }
}

/** Ends what a request takes; `used` are its tokens, if they are known. */
function leaveAll(taken: readonly Taken[], used: number | undefined, moment: number): void {
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
 * Counts in memory: requests and tokens by sliding windows that in any 60 seconds never let more than a limit begin,
 * and what is under way. What a request turns out to have used more than was reserved counts from then on, less counts
 * as if it had never been.
 */
export function memoryCounters({ clock = now, most = MOST_SUBJECTS }: MemoryCountersOptions = {}): MemoryCounters {
  const subjects = new Map<string, Subject>()
  let sweepAt = Math.min(KEPT_SUBJECTS, most)

  /** Each look at all follows as many that were new. */
  const sweep = (moment: number): void => {
    for (const [key, subject] of subjects) if (isIdle(subject, moment)) subjects.delete(key)
    sweepAt = Math.min(most, Math.max(KEPT_SUBJECTS, 2 * subjects.size))
  }
  const subjectOf = (key: string): Subject => {
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
      let refused: Refused | undefined
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
      const taken = limits.map((applied): Taken => {
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
