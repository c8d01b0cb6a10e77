import { HeadgateError } from '@headgate/core/errors'
import type { BudgetRefusal, BudgetScope } from '../../ports/budgets.ts'
import { inDollars } from '../dollars.ts'

/** Default `retryAfterMs`. */
const RETRY_AFTER_MS = 1_000

const OWNERS: Readonly<Record<BudgetScope, string>> = {
  key: 'this key',
  project: 'its project',
  member: 'its member',
  organization: 'its organization',
}
const PERIODS = { day: ' a day', week: ' a week', month: ' a month', forever: '' } as const

/** A call that a budget refused. */
export interface RefusedCall {
  /** Worst-case cost in nano-dollars; null = unknown. */
  readonly bound: number | null
  /** Why the worst-case cost is unknown and what to do about it: one or more sentences. */
  readonly unknown: string
}

/** Failure of a request whose budgets the store does not report: 503, because the budget may have money left. */
export function budgetsUnreachable(retryAfterMs = RETRY_AFTER_MS): HeadgateError {
  const message = 'The gateway cannot reach the store that has the budgets of this key. Try again later.'
  return new HeadgateError('unavailable', message, { retryAfterMs })
}

/**
 * Error for the caller of a request that a budget refused. Without `retryAfterMs`, the budget is spent or the
 * worst-case cost is unknown.
 */
export function refusalError(
  { why, budget, spent, held, resetAt, retryAfterMs }: BudgetRefusal,
  refused: RefusedCall,
): HeadgateError {
  if (why === 'away') return budgetsUnreachable(retryAfterMs)
  const named = `the budget "${budget.name}" of ${OWNERS[budget.scope]}`
  if (why === 'price-unknown' || refused.bound === null)
    return new HeadgateError(
      'over-budget',
      `The worst-case cost of this request is unknown, and ${named} requires it. ${refused.unknown}`,
    )
  if (why === 'held')
    return new HeadgateError(
      'over-budget',
      `Unknown costs of this key hold ${inDollars(held)} dollars of ${named}. This request could hold ${inDollars(refused.bound)} more, which exceeds what one key can hold of a shared budget. Unknown costs are from requests that were sent and then failed, timed out or were canceled. ${resetAt === undefined ? 'Ask' : `Wait until ${new Date(resetAt).toISOString()}, or ask`} an owner to release held amounts. Other keys are not affected.`,
    )
  const limit = `${inDollars(budget.limit)} dollars${PERIODS[budget.period]}`
  const reset = resetAt === undefined ? '' : ` It resets at ${new Date(resetAt).toISOString()}.`
  const request = `This request may cost up to ${inDollars(refused.bound)} dollars`
  if (retryAfterMs === undefined)
    return new HeadgateError(
      'over-budget',
      `${request}, which is more than ${named} has left: ${inDollars(spent)} of ${limit} are spent.${reset} Reduce the request${resetAt === undefined ? '' : ', wait until then'}, or ask for a higher limit.`,
    )
  const seconds = Math.max(1, Math.ceil(retryAfterMs / 1000))
  return new HeadgateError(
    'over-budget',
    `${request}, which is more than ${named} has left now: ${inDollars(spent)} of ${limit} are spent, and ${inDollars(held)} are reserved for requests in progress.${reset} Try again in ${seconds}s.`,
    { retryAfterMs },
  )
}
