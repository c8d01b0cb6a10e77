import type { BudgetRefusal, Budgets, RateLimits, RateRefusal } from '@headgate/gateway'

/** Budgets that say what they refuse. */
export function toldBudgets(budgets: Budgets, tell: (refusal: BudgetRefusal) => void): Budgets {
  const hear = (refusal: BudgetRefusal | undefined): void => {
    if (refusal) tell(refusal)
  }
  return { ...budgets, reserve: (ask) => told(budgets.reserve(ask), hear) }
}

/** Rate limits that say what they refuse. */
export function toldRateLimits(limits: RateLimits, tell: (refusal: RateRefusal) => void): RateLimits {
  const hear = (found: Awaited<ReturnType<RateLimits['take']>>): void => {
    if (found && !('leave' in found)) tell(found)
  }
  return { take: (ask) => told(limits.take(ask), hear) }
}

/** Nobody waits for whoever is told. */
function told<T>(answer: T | Promise<T>, hear: (value: T) => void): T | Promise<T> {
  if (answer instanceof Promise) answer.then(hear, () => {})
  else hear(answer)
  return answer
}
