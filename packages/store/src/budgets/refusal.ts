import type { BudgetRefusal } from '@headgate/gateway/ports'
import { type LeaseAccount, usualDuration } from './account.ts'

/** Range of the suggested wait, in milliseconds. */
const WAIT = { least: 1_000, most: 60_000 }

/** Reason why a call with a worst-case cost of `bound` is rejected. */
export function refusalOf(
  account: LeaseAccount,
  why: BudgetRefusal['why'],
  bound: number,
  retryAfterMs?: number,
): BudgetRefusal {
  const { budget, window, free, reserved, state } = account
  const { id, name, scope, limit, period } = budget
  const available = Math.max(0, free)
  // Usage of this process that is not in the store yet.
  const uncounted = state ? Math.max(0, Number(state.own) - reserved - available) : 0
  const spent = state ? state.spent + BigInt(uncounted) : 0n
  const others = state && state.leased > state.own ? state.leased - state.own : 0n
  const left = state ? limit - state.spent - state.leased : 0n
  const room = BigInt(available) + (left > 0n ? left : 0n)
  const wait = why === 'limit' ? waitFor(account, spent + BigInt(bound) > limit) : retryAfterMs
  return {
    why,
    budget: { id, name, scope, limit, period },
    spent,
    held: BigInt(reserved) + others,
    room,
    ...(window.end !== undefined && { resetAt: window.end }),
    ...(wait !== undefined && { retryAfterMs: wait }),
  }
}

function waitFor({ durations }: LeaseAccount, isSpent: boolean): number | undefined {
  if (isSpent) return undefined
  return Math.min(Math.max(Math.round(usualDuration(durations) ?? WAIT.least), WAIT.least), WAIT.most)
}
