import type { Budget } from '@headgate/gateway/ports'
import type { StoreConnection } from '../database/connection.ts'
import { listBudgets } from './defined.ts'
import { windowAt } from './window.ts'

/** Budget with the spending of its current window. Amounts are nano-dollars. */
export interface BudgetStatus extends Budget {
  readonly spent: bigint
  /** Amount leased to processes in addition to `spent`; part of it is reserved for requests in progress. */
  readonly leased: bigint
  /** Part of `spent` that is held for unknown costs. */
  readonly held: bigint
  /** End of the window, Unix milliseconds; absent if the window is permanent. */
  readonly resetAt?: number
}

/** Active budgets with the least left, at most `most`. */
export async function fullestBudgets(connection: StoreConnection, most: number): Promise<BudgetStatus[]> {
  const budgets = await budgetStatuses(connection)
  return budgets.sort((one, other) => usedPart(other) - usedPart(one)).slice(0, most)
}

/** Used part of a budget, from 0. A budget without a limit above 0 is used. */
function usedPart({ spent, limit }: BudgetStatus): number {
  return limit > 0n ? Number(spent) / Number(limit) : 1
}

/** Active budgets, in order of creation. */
export async function budgetStatuses(connection: StoreConnection, now = Date.now()): Promise<BudgetStatus[]> {
  const budgets = await listBudgets(connection)
  const windows = await connection.db
    .selectFrom('budget_windows')
    .select(['budget', 'win', 'spent', 'leased'])
    .where('starts_at', '<=', BigInt(now))
    .where((is) => is.or([is('ends_at', 'is', null), is('ends_at', '>', BigInt(now))]))
    .execute()
  const known = new Map(windows.map((one) => [`${one.budget}\0${one.win}`, one]))
  const amounts = connection.db
    .selectFrom('budget_held')
    .select(({ fn }) => ['budget', 'win', fn.sum<bigint | string>('held').as('held')])
  const held = new Map(
    (await amounts.groupBy(['budget', 'win']).execute()).map((one) => [`${one.budget}\0${one.win}`, BigInt(one.held)]),
  )
  return budgets.map((budget) => {
    const { id, end } = windowAt(budget.period, budget.zone, now)
    const { spent = 0n, leased = 0n } = known.get(`${budget.id}\0${id}`) ?? {}
    return {
      ...budget,
      spent,
      leased,
      held: held.get(`${budget.id}\0${id}`) ?? 0n,
      ...(end !== undefined && { resetAt: end }),
    }
  })
}
