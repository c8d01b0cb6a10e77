import { type ErrorKind, FAILURES, type HeadgateError } from '@headgate/core/errors'
import { now } from '../clock.ts'
import type { Health, HealthTarget } from './health.ts'
import type { RetryBudget } from './retry-budget.ts'

/** Maximum calls after every candidate was tried once. */
const MORE_CALLS = 3

/** Result of an attempt: served, which includes failures after the commit point, or an error. */
export type AttemptOutcome = 'served' | HeadgateError

/** True for a failure that other candidates would not change. */
function endsRequest(outcome: AttemptOutcome): boolean {
  return outcome !== 'served' && FAILURES[outcome.kind].next === false
}

export interface AttemptPlan<C> {
  /** Candidates in the order of the calls, at least one. Each is read when its turn comes. */
  readonly candidates: Iterable<C>
  readonly subjectOf: (candidate: C) => HealthTarget
  readonly attempt: (candidate: C) => Promise<AttemptOutcome>
  /** Kinds of failures after which a candidate is tried; undefined = always. Absent = always for all. */
  readonly onlyAfter?: (candidate: C) => readonly ErrorKind[] | undefined
  readonly health: Health
  readonly retries: RetryBudget
  /** Time of `clock` after which no attempt starts. */
  readonly deadline: number
  /** Maximum of the first wait in milliseconds. It doubles each time; half of each wait is random. */
  readonly backoff: number
  /** Returns 0 to 1; default `Math.random`. */
  readonly random?: () => number
  /** Monotonic clock in milliseconds; default {@link now}. */
  readonly clock?: () => number
  /** Resolves after `ms`, or immediately when {@link isOver} becomes true. */
  readonly wait: (ms: number) => Promise<void>
  /**
   * Number of provider calls so far. An attempt without a call does not count for the provider's retry budget. Absent =
   * every attempt makes one call.
   */
  readonly calls?: () => number
  /** True if `attempt` records the health of what it calls. Default: false. */
  readonly isNoted?: boolean | undefined
  /** True if the caller no longer waits. */
  readonly isOver: () => boolean
  /** True if the gateway itself ended the attempt, which says nothing about the candidate. Default: never. */
  readonly isExcused?: () => boolean
}

/**
 * Tries candidates until one serves the request: each once, then up to three retries after at most 1 s, 2 s and 4 s or
 * the upstream's `retry-after`, within the deadline and the provider's retry budget. After a timeout only one more
 * candidate is tried. Candidates for certain failures are skipped after other failures; after a failure that ends the
 * request, no other candidates are tried.
 */
export async function runAttempts<C>(plan: AttemptPlan<C>): Promise<AttemptOutcome> {
  const { candidates, health, retries, subjectOf, isOver, random = Math.random, clock = now } = plan
  let failures: Map<C, HeadgateError> | undefined
  let isLastChance = false

  /** True if this outcome ends the request. */
  const isFinal = (candidate: C, outcome: AttemptOutcome): boolean => {
    const subject = subjectOf(candidate)
    if (outcome === 'served') {
      if (!plan.isNoted) health.served(subject, clock())
      return true
    }
    failures ??= new Map()
    failures.set(candidate, outcome)
    if (!plan.isNoted && !plan.isExcused?.()) health.failed(subject, outcome, clock())
    const { next } = FAILURES[outcome.kind]
    const isLast = isLastChance || isOver() || clock() >= plan.deadline
    isLastChance ||= next === 'once'
    return isLast
  }

  /** The first healthy candidate that can be retried, else the candidate with the shortest wait. */
  const nextAgain = (most: number): { candidate: C; wait: number } | undefined => {
    const moment = clock()
    const chance = random()
    // Randomness spreads callers that failed at the same time. No retry comes before the upstream's `retry-after`.
    const waitOf = (asked: number | undefined): number =>
      asked === undefined ? (most / 2) * (1 + chance) : asked + (Math.min(asked, most) / 2) * chance
    const again = [...(failures ?? [])]
      .flatMap(([candidate, failure]) =>
        FAILURES[failure.kind].again ? [{ candidate, wait: waitOf(failure.retryAfterMs) }] : [],
      )
      .sort((a, b) => a.wait - b.wait)
    return again.find(({ candidate }) => health.isHealthy(subjectOf(candidate), moment)) ?? again[0]
  }

  let last: AttemptOutcome | undefined
  let isEnded = false
  for (const candidate of candidates) {
    const kinds = plan.onlyAfter?.(candidate)
    const failed: ErrorKind | undefined = last === undefined || last === 'served' ? undefined : last.kind
    if (kinds ? !failed || !kinds.includes(failed) : isEnded) continue
    const before = plan.calls?.()
    // Counted at its start: during an outage, calls may take minutes.
    const uncount = retries.countCall(subjectOf(candidate).provider, clock())
    last = await plan.attempt(candidate)
    if (before !== undefined && before === plan.calls?.()) uncount()
    if (isFinal(candidate, last)) return last
    isEnded = endsRequest(last)
    // Without rules for certain failures, no later candidate is tried.
    if (isEnded && !plan.onlyAfter) return last
  }
  if (!last) throw new TypeError('An attempt plan needs at least one candidate.')
  if (isEnded) return last
  for (let extra = 0; extra < MORE_CALLS; extra++) {
    const next = nextAgain(plan.backoff * 2 ** extra)
    if (!next || clock() + next.wait >= plan.deadline) break
    // Checked before the wait, so that a request without a retry fails immediately.
    if (!retries.mayRetry(subjectOf(next.candidate).provider, clock())) break
    await plan.wait(next.wait)
    if (isOver()) break
    last = await plan.attempt(next.candidate)
    if (isFinal(next.candidate, last) || endsRequest(last)) break
  }
  return last
}
