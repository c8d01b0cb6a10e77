import { type Budget, type BudgetAmounts, budgetAmounts, type UsageRow } from '@headgate/gateway/ports'
import type { LeaseAccount } from './account.ts'
import type { ReservedRequest } from './settled.ts'

/** Reservation of a request. */
export interface Reservation extends ReservedRequest {
  readonly principal: string
  readonly accounts: readonly LeaseAccount[]
  /** Maximum cost of all its calls, in nano-dollars. */
  bound: number
  /** Maximum cost of each call, if there are several. */
  bounds: number[] | undefined
  /** Monotonic time, in milliseconds. */
  readonly at: number
}

type Costs = Pick<UsageRow, 'cost' | 'charged' | 'attempts'>

/**
 * Amount that a row counts for in a budget, in nano-dollars: settled and held.
 * @param bounds worst-case cost of each attempt
 */
export function amountOf(counts: Budget['counts'], row: Costs, bounds: readonly number[]): number {
  const { settled, held } = budgetAmounts(row, bounds, counts)
  return settled + held
}

/** Amounts of a row without known attempts. An unknown cost is held at the bound of all of them. */
export function amountsOfSum(
  counts: Budget['counts'],
  row: Pick<Costs, 'cost' | 'charged'>,
  bound: number,
): BudgetAmounts {
  return budgetAmounts({ ...row, attempts: [] }, [bound], counts)
}
