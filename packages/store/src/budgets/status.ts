import type { Budget } from '@headgate/gateway/ports'
import type { Connection } from '../database/connection.ts'
import { listBudgets } from './defined.ts'
import { windowAt } from './window.ts'

/** A budget, and what is spent of it in the window that is now. Amounts are nano-dollars. */
export interface BudgetStatus extends Budget {
  readonly spent: bigint
  /** What processes may spend beyond it without asking; some of it is reserved for requests under way. */
  readonly leased: bigint
  /** Part of `spent` that is held for unknown costs. */
  readonly held: bigint
  /** When its window ends, Unix time in milliseconds; absent of one for ever. */
  readonly resetAt?: number
}

/** Those that hold, in the order of their making. */
export async function budgetStatuses(connection: Connection, now = Date.now()): Promise<BudgetStatus[]> {
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
