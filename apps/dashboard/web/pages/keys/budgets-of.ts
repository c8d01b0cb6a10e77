import type { Budget } from '../../api/budgets.ts'
import { shareOf } from '../../budgets/forecast.ts'

/** Of each key the budget of which most is gone, since that is what it hits first. */
export function tightest(budgets: readonly Budget[]): ReadonlyMap<string, Budget> {
  const found = new Map<string, Budget>()
  for (const budget of budgets) {
    const other = found.get(budget.owner)
    if (budget.scope === 'key' && (!other || gone(budget) > gone(other))) found.set(budget.owner, budget)
  }
  return found
}

function gone({ spent, limit }: Budget): number {
  return shareOf(spent, limit)
}
