import { FAILURES, type HeadgateError } from '@headgate/core/errors'
import { now } from '../clock.ts'
import type { Health, Subject } from './health.ts'
import type { RetryBudget } from './retry-budget.ts'

/** Calls of a candidate beyond the first pass over all of them. */
const MORE_CALLS = 3

/**
 * What came of asking one candidate: served (or failed after the commit point, which is the same here), or an error.
 */
export type Outcome = 'served' | HeadgateError

export interface AttemptPlan<C> {
  /** At least one, in the order in which they are asked; each is taken when its turn comes. */
  readonly candidates: Iterable<C>
  readonly subjectOf: (candidate: C) => Subject
  readonly attempt: (candidate: C) => Promise<Outcome>
  readonly health: Health
  readonly retries: RetryBudget
  /** The moment of {@link now} after which nothing more is begun. */
  readonly deadline: number
  /** The first wait in milliseconds, at most; doubles each time. Half of it is left to chance. */
  readonly backoff: number
  /** From 0 to 1; default `Math.random`. */
  readonly random?: () => number
  /** Resolves after so many milliseconds, or at once when {@link isOver} becomes true. */
  readonly wait: (ms: number) => Promise<void>
  /** Calls of providers so far: an attempt that made none was none of its provider. By default each makes one. */
  readonly calls?: () => number
  /** Whether nobody waits for an answer any more. */
  readonly isOver: () => boolean
  /** Whether what ended an attempt came from here, so that it says nothing of the candidate; by default never. */
  readonly isExcused?: () => boolean
}

/**
 * Asks candidates until one serves: each once; then up to three times one that may be asked again, after up to 1 s, 2
 * s, 4 s or what it asked for, while the deadline and what may be asked again of its provider allow. After a timeout
 * one more is asked, no further.
 */
export async function runAttempts<C>(plan: AttemptPlan<C>): Promise<Outcome> {
  const { candidates, health, retries, subjectOf, isOver, random = Math.random } = plan
  const failures = new Map<C, HeadgateError>()
  let isLastChance = false

  /** Whether what came of asking a candidate is what comes of all. */
  const isFinal = (candidate: C, outcome: Outcome): boolean => {
    const subject = subjectOf(candidate)
    if (outcome === 'served') {
      health.served(subject)
      return true
    }
    failures.set(candidate, outcome)
    if (!plan.isExcused?.()) health.failed(subject, outcome, now())
    const { next } = FAILURES[outcome.kind]
    const isLast = next === false || isLastChance || isOver() || now() >= plan.deadline
    isLastChance ||= next === 'once'
    return isLast
  }

  /** The first healthy one that may be asked again, else the one that asks for the shortest wait. */
  const nextAgain = (most: number): { candidate: C; wait: number } | undefined => {
    const moment = now()
    const chance = random()
    // All who were refused at a moment would come back at one. Nobody comes before it was asked to.
    const waitOf = (asked: number | undefined): number =>
      asked === undefined ? (most / 2) * (1 + chance) : asked + (Math.min(asked, most) / 2) * chance
    const again = [...failures]
      .flatMap(([candidate, failure]) =>
        FAILURES[failure.kind].again ? [{ candidate, wait: waitOf(failure.retryAfterMs) }] : [],
      )
      .sort((a, b) => a.wait - b.wait)
    return again.find(({ candidate }) => health.isWell(subjectOf(candidate), moment)) ?? again[0]
  }

  let last: Outcome | undefined
  for (const candidate of candidates) {
    const before = plan.calls?.()
    last = await plan.attempt(candidate)
    if (before === undefined || before !== plan.calls?.()) retries.called(subjectOf(candidate).provider, now())
    if (isFinal(candidate, last)) return last
  }
  if (!last) throw new TypeError('There is no candidate to ask.')
  for (let extra = 0; extra < MORE_CALLS; extra++) {
    const next = nextAgain(plan.backoff * 2 ** extra)
    if (!next || now() + next.wait >= plan.deadline) break
    // Asked before the wait: who may not is told at once.
    if (!retries.mayAgain(subjectOf(next.candidate).provider, now())) break
    await plan.wait(next.wait)
    if (isOver()) break
    last = await plan.attempt(next.candidate)
    if (isFinal(next.candidate, last)) break
  }
  return last
}
