import { type Budget, type BudgetAmounts, budgetAmounts, type UsageRow } from '@headgate/gateway/ports'
import type { Account } from './account.ts'
import type { Settling } from './settled.ts'

/** What is reserved for a request. */
export interface Reservation extends Settling {
  readonly principal: string
  readonly accounts: readonly Account[]
  /** Most that all its calls can cost, in nano-dollars. */
  bound: number
  /** That of each call, where there are several. */
  bounds: number[] | undefined
  /** By a clock that nobody sets. */
  readonly at: number
}

type Costs = Pick<UsageRow, 'cost' | 'charged' | 'attempts'>

/**
 * What a row counts for in a budget, in nano-dollars: settled and held. @param bounds what was reserved for each of its
 * attempts
 */
export function amountOf(counts: Budget['counts'], row: Costs, bounds: readonly number[]): number {
  const { settled, held } = budgetAmounts(row, bounds, counts)
  return settled + held
}

/** The same of a row whose attempts are not known: an unknown cost is held at the bound of all of them. */
export function amountsOfSum(
  counts: Budget['counts'],
  row: Pick<Costs, 'cost' | 'charged'>,
  bound: number,
): BudgetAmounts {
  return budgetAmounts({ ...row, attempts: [] }, [bound], counts)
}
