import type { BudgetItem } from '../api/budgets.ts'
import { Meter } from '../components/meter.tsx'
import { money } from '../formats/money.ts'
import { forecastOf, type Paced } from './forecast.ts'

/** Bar with the spent and remaining amount of a budget. */
export function BudgetMeter({ budget, now }: { readonly budget: Paced; readonly now: number }) {
  const { limit, spent } = budget
  const { share, atEnd } = forecastOf(budget, now)
  const label = `${money(spent)} spent of ${money(limit)}, ${money(leftOf(budget))} left`
  return (
    <Meter
      label={label}
      forecast={atEnd}
      marks={[0.5, 0.8, 1]}
      parts={[{ title: 'spent', share, tone: share >= 1 ? 'bad' : 'spent' }]}
    />
  )
}

/** Remaining amount of a budget in nano-dollars, at least 0. It includes the amounts leased to gateways. */
export function leftOf({ limit, spent }: Pick<Paced, 'limit' | 'spent'>): bigint {
  const left = BigInt(limit) - BigInt(spent)
  return left > 0n ? left : 0n
}

/** True if gateways hold all that is left of a hard limit, so that other gateways refuse requests. */
export function isBlocked(budget: Pick<BudgetItem, 'limit' | 'spent' | 'tiedUp' | 'soft'>): boolean {
  const left = leftOf(budget)
  return !budget.soft && left > 0n && BigInt(budget.tiedUp) >= left
}
