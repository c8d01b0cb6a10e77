import type { Price } from '../canonical/target.ts'
import { isCount, type Usage } from '../canonical/usage.ts'
import type { AttemptRow } from '../contract/ledger.ts'
import type { UpstreamCall } from '../http/upstream.ts'
import { costOf } from './cost.ts'

/** An attempt that is noted, and may still learn what it costs. */
export type NotedAttempt = { -readonly [K in keyof AttemptRow]: AttemptRow[K] }

/** What tells whether an attempt that failed may be charged. */
export interface Failed {
  /** The call of its upstream; undefined = there was none. */
  readonly call: Pick<UpstreamCall, 'sent'> | undefined
  /** The upstream has said that it does not do it. */
  readonly refused: boolean
}

/** What an upstream charges for a call that failed: nothing where it refused or never got it, else nobody knows. */
export function costOfFailure({ call, refused }: Failed): 0 | null {
  return refused || call?.sent() !== true ? 0 : null
}

/** Notes what an attempt costs. Its price is that of its own model. */
export function charge(attempt: NotedAttempt | undefined, usage: Usage | undefined, price: Price | undefined): void {
  if (!attempt) return
  attempt.cost = costOf(usage, price)
  attempt.priceId = isCount(attempt.cost) ? (price?.id ?? null) : null
}

/** What attempts cost, from one on: an integer, or no count where it is 2^53 or more; null where that of one is not known. */
export function sumOf(attempts: readonly Pick<AttemptRow, 'cost'>[], from: number): number | null {
  let sum = 0
  for (let at = from; at < attempts.length; at++) {
    const cost = attempts[at]?.cost ?? null
    if (cost === null) return null
    sum += cost
  }
  return sum
}
