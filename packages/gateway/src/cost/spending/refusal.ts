import { HeadgateError } from '@headgate/core/errors'
import type { BudgetRefusal, BudgetScope } from '../../ports/budgets.ts'
import { inDollars } from '../dollars.ts'

/** Where a budget does not say how long to wait, in milliseconds. */
const WAIT = 1_000

const OWNERS: Readonly<Record<BudgetScope, string>> = {
  key: 'this key',
  project: 'its project',
  member: 'its member',
  organization: 'its organization',
}
const PERIODS = { day: ' a day', week: ' a week', month: ' a month', forever: '' } as const

/** A call that a budget does not allow. */
export interface Refused {
  /** Nano-dollars; null = nobody knows. */
  readonly bound: number | null
  /** Why nobody knows, and what to do about it: a sentence or several. */
  readonly unknown: string
}

/** Failure of a request whose budgets the store does not report: 503, because the budget may have money left. */
export function awayError(retryAfterMs = WAIT): HeadgateError {
  const message = 'The gateway cannot reach the store that has the budgets of this key. Try again later.'
  return new HeadgateError('unavailable', message, { retryAfterMs })
}

/**
 * A budget's refusal as the caller is told. Without a wait the money is spent, or nobody knows how much it would be.
 */
export function refusalError(
  { why, budget, spent, held, resetAt, retryAfterMs }: BudgetRefusal,
  refused: Refused,
): HeadgateError {
  if (why === 'away') return awayError(retryAfterMs)
  const named = `the budget "${budget.name}" of ${OWNERS[budget.scope]}`
  if (why === 'price-unknown' || refused.bound === null)
    return new HeadgateError(
      'over-budget',
      `Nobody knows what this request may cost, and ${named} bounds it. ${refused.unknown}`,
    )
  if (why === 'held')
    return new HeadgateError(
      'over-budget',
      `Unknown costs of this key hold ${inDollars(held)} dollars of ${named}, and this request could hold ${inDollars(refused.bound)} more, which is beyond what one key may hold of a shared budget. They are of requests that were sent and then failed, timed out or were canceled. ${resetAt === undefined ? 'Ask' : `Wait until ${new Date(resetAt).toISOString()}, or ask`} an owner to release held amounts. Other keys are not affected.`,
    )
  const limit = `${inDollars(budget.limit)} dollars${PERIODS[budget.period]}`
  const reset = resetAt === undefined ? '' : ` It begins anew at ${new Date(resetAt).toISOString()}.`
  const request = `This request may cost up to ${inDollars(refused.bound)} dollars`
  if (retryAfterMs === undefined)
    return new HeadgateError(
      'over-budget',
      `${request}, which is more than ${named} has left: ${inDollars(spent)} of ${limit} are spent.${reset} Ask for less${resetAt === undefined ? '' : ', wait until then'}, or have it raised.`,
    )
  const seconds = Math.max(1, Math.ceil(retryAfterMs / 1000))
  return new HeadgateError(
    'over-budget',
    `${request}, for which ${named} has no room now: ${inDollars(spent)} of ${limit} are spent, and ${inDollars(held)} are held for requests under way.${reset} Try again in ${seconds}s.`,
    { retryAfterMs },
  )
}
