import { now } from '../clock.ts'
import { FAILURES, type HeadgateError } from '../errors.ts'
import type { Health, Subject } from './health.ts'

/** Calls of a candidate beyond the first pass over all of them. */
const MORE_CALLS = 3

/** What came of asking one candidate: served (or failed after the commit point, which is the same here), or an error. */
export type Outcome = 'served' | HeadgateError

export interface AttemptPlan<C> {
  /** At least one, in the order in which they are asked; each is taken when its turn comes. */
  readonly candidates: Iterable<C>
  readonly subjectOf: (candidate: C) => Subject
  readonly attempt: (candidate: C) => Promise<Outcome>
  readonly health: Health
  /** The moment of {@link now} after which nothing more is begun. */
  readonly deadline: number
  /** The first wait in milliseconds; doubles each time. */
  readonly backoff: number
  /** Resolves after so many milliseconds, or at once when {@link isOver} becomes true. */
  readonly wait: (ms: number) => Promise<void>
  /** Whether nobody waits for an answer any more. */
  readonly isOver: () => boolean
  /** Whether what ended an attempt came from here, so that it says nothing of the candidate; by default never. */
  readonly isExcused?: () => boolean
}

/**
 * Asks candidates until one serves: each once; then up to three times one that may be asked
 * again, after 1 s, 2 s, 4 s or what it asked for, while the deadline allows. After a timeout one more is asked, no further.
 */
export async function runAttempts<C>(plan: AttemptPlan<C>): Promise<Outcome> {
  const { candidates, health, subjectOf, isOver } = plan
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
    if (!plan.isExcused?.()) health.failed(subject, outcome.kind, now(), outcome.retryAfterMs)
    const { next } = FAILURES[outcome.kind]
    const isLast = next === false || isLastChance || isOver() || now() >= plan.deadline
    isLastChance ||= next === 'once'
    return isLast
  }

  /** The first healthy one that may be asked again, else the one that asks for the shortest wait. */
  const nextAgain = (backoff: number): { candidate: C; wait: number } | undefined => {
    const moment = now()
    const again = [...failures]
      .flatMap(([candidate, failure]) => (FAILURES[failure.kind].again ? [{ candidate, wait: failure.retryAfterMs ?? backoff }] : []))
      .sort((a, b) => a.wait - b.wait)
    return again.find(({ candidate }) => health.isWell(subjectOf(candidate), moment)) ?? again[0]
  }

  let last: Outcome | undefined
  for (const candidate of candidates) {
    last = await plan.attempt(candidate)
    if (isFinal(candidate, last)) return last
  }
  if (!last) throw new TypeError('There is no candidate to ask.')
  for (let extra = 0; extra < MORE_CALLS; extra++) {
    const next = nextAgain(plan.backoff * 2 ** extra)
    if (!next || now() + next.wait >= plan.deadline) break
    await plan.wait(next.wait)
    if (isOver()) break
    last = await plan.attempt(next.candidate)
    if (isFinal(next.candidate, last)) break
  }
  return last
}
