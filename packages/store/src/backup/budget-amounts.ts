import type { StoreConnection } from '../database/connection.ts'
import { sumOf } from '../database/sum.ts'

const DAY = 86_400_000

/** Amounts of a budget window: stored sums, and totals of rows and leases. */
export interface WindowAmounts {
  readonly budget: string
  readonly win: string
  readonly spent: bigint
  readonly counted: bigint
  readonly leased: bigint
  readonly left_over: bigint
  readonly held: bigint
  readonly held_by_rows: bigint
}

/** SQL condition of windows whose amounts differ. */
export const DIFFERS = 'spent <> counted OR leased <> left_over OR held <> held_by_rows'

/**
 * SQL query of {@link WindowAmounts}. Windows without complete rows report their stored sums as totals.
 * @param from time since which the store has every row
 */
export function amountsOf(kind: StoreConnection['kind'], from: number, where = ''): string {
  const at = 'budget = w.budget AND win = w.win'
  const counted = `(SELECT ${sumOf(kind, 'amount')} FROM usage_budgets WHERE ${at})`
  const left = `(SELECT ${sumOf(kind, 'granted - used')} FROM budget_leases WHERE ${at} AND granted > used)`
  const heldByRows = `(SELECT ${sumOf(kind, 'held')} FROM usage_budgets WHERE ${at})`
  const heldByKeys = `(SELECT ${sumOf(kind, 'held')} FROM budget_held WHERE ${at})`
  // A request may begin before the window in which it counts.
  const isCovered = `starts_at >= ${from > 0 ? from + DAY : 0}`
  const columns = [
    'budget',
    'win',
    'spent',
    `CASE WHEN ${isCovered} THEN ${counted} ELSE spent END AS counted`,
    'leased',
    `${left} AS left_over`,
    `${heldByKeys} AS held`,
    `CASE WHEN ${isCovered} THEN ${heldByRows} ELSE ${heldByKeys} END AS held_by_rows`,
  ]
  return `SELECT ${columns.join(', ')} FROM budget_windows AS w ${where}`
}
