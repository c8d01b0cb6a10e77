import { type Budget, inDollars } from '@headgate/gateway/ports'
import type { BudgetStatus } from '@headgate/store'
import { BUDGET_WORDS, readBudget, type WrittenBudget } from '../config/budget-text.ts'
import { usageError } from './command.ts'

/** Dollars of an amount in nano-dollars, with two or more decimals. */
export function dollars(nanos: bigint): string {
  const [whole, decimals = ''] = inDollars(nanos).split('.')
  return `${whole}.${decimals.padEnd(2, '0')}`
}

/** Budget from a command line. `what` names the argument in errors. @throws HeadgateError for an invalid budget. */
export function budgetOf(what: string, text: string): WrittenBudget {
  const budget = readBudget(text)
  if (!budget) throw usageError(`${what}: found ${JSON.stringify(text)}; allowed: ${BUDGET_WORDS}`)
  return budget
}

/** Budget as written on a command line, with its unusual settings. */
export function budgetText({ limit, period, zone, soft, counts }: Budget): string {
  const amount = dollars(limit).replace(/\.00$/, '')
  const window = period === 'forever' ? '' : `/${period}@${zone}`
  return `${soft ? 'soft:' : ''}${amount}${window}${counts === 'cost' ? ' (cost)' : ''}`
}

/** Unspent amount in nano-dollars. Processes may hold part of it as leases. */
export function leftOf({ limit, spent }: BudgetStatus): bigint {
  return limit > spent ? limit - spent : 0n
}

/** Dollars of an amount in nano-dollars, rounded half up to six decimals. */
export function sixPlaces(nanos: bigint): string {
  const micros = (nanos + 500n) / 1_000n
  return `${micros / 1_000_000n}.${String(micros % 1_000_000n).padStart(6, '0')}`
}
