import type { Budget, UsageRow } from '@headgate/core/store'
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

/** What a row counts for in a budget. What nobody knows is `held`. */
export function amountOf(counts: Budget['counts'], { cost, charged }: Pick<Costs, 'cost' | 'charged'>, held: number): number {
  const amount = counts === 'cost' ? cost : charged
  return isAmount(amount) ? amount : held
}

/** What is held for what nobody knows the cost of: calls that are known count as they are, all others at their bounds. */
export function heldFor({ bound, bounds = [bound] }: Pick<Reservation, 'bound' | 'bounds'>, { attempts }: Costs): number {
  if (attempts.length !== bounds.length) return bound
  let sum = 0
  for (const [index, { cost }] of attempts.entries()) sum += isAmount(cost) ? cost : (bounds[index] ?? 0)
  return sum
}

function isAmount(amount: number | null): amount is number {
  return amount !== null && Number.isSafeInteger(amount) && amount >= 0
}
