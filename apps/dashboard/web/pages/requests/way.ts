import type { Attempt, UsageOfRequest } from '../../api/usage.ts'

/**
 * A part of the way that a request took: a call of an upstream, or a wait before the next. Milliseconds from its
 * beginning.
 */
export type Step =
  | { readonly kind: 'attempt'; readonly from: number; readonly to: number; readonly attempt: Attempt }
  | { readonly kind: 'wait'; readonly from: number; readonly to: number }

/** What is shorter is the gateway's own doing, and no wait. */
const WAIT = 20

type Way = Pick<UsageOfRequest, 'at' | 'durationMs' | 'attempts'>

/** The way that a request took, in its order. */
export function wayOf({ at, attempts = [] }: Way): readonly Step[] {
  return attempts.flatMap((attempt, index): Step[] => {
    const from = Math.max(0, attempt.startedAt - at)
    const before = attempts[index - 1]
    const since = before ? Math.max(0, before.startedAt + before.durationMs - at) : from
    const step: Step = { kind: 'attempt', from, to: from + attempt.durationMs, attempt }
    return from - since >= WAIT ? [{ kind: 'wait', from: since, to: from }, step] : [step]
  })
}

/** All that a time line of it has to hold, in milliseconds. */
export function lengthOf(way: Way): number {
  return Math.max(1, way.durationMs, ...wayOf(way).map(({ to }) => to))
}
