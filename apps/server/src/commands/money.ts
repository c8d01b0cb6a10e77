import { type Budget, inDollars } from '@headgate/gateway/ports'
import type { BudgetStatus } from '@headgate/store'
import { BUDGET_WORDS, readBudget, type WrittenBudget } from '../config/budget-text.ts'
import { usageError } from './command.ts'

/** Nano-dollars as dollars with at least two decimals, and as many as they need. */
export function dollars(nanos: bigint): string {
  const [whole, decimals = ''] = inDollars(nanos).split('.')
  return `${whole}.${decimals.padEnd(2, '0')}`
}

/** A budget of a command line. `what` is where it stands. @throws HeadgateError for one that is none. */
export function budgetOf(what: string, text: string): WrittenBudget {
  const budget = readBudget(text)
  if (!budget) throw usageError(`${what}: found ${JSON.stringify(text)}; allowed: ${BUDGET_WORDS}`)
  return budget
}

/** A budget as it is written, with what is not usual about it. */
export function budgetText({ limit, period, zone, soft, counts }: Budget): string {
  const amount = dollars(limit).replace(/\.00$/, '')
  const window = period === 'forever' ? '' : `/${period}@${zone}`
  return `${soft ? 'soft:' : ''}${amount}${window}${counts === 'cost' ? ' (cost)' : ''}`
}

/** What may still be spent of it: some of that processes hold. */
export function leftOf({ limit, spent }: BudgetStatus): bigint {
  return limit > spent ? limit - spent : 0n
}

/** Nano-dollars as dollars with six places, half up. */
export function sixPlaces(nanos: bigint): string {
  const micros = (nanos + 500n) / 1_000n
  return `${micros / 1_000_000n}.${String(micros % 1_000_000n).padStart(6, '0')}`
}
