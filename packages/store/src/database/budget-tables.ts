import type { Int, MaybeInt } from './column-types.ts'

/** A budget. Amounts are nano-dollars, times Unix milliseconds. */
export interface BudgetTable {
  id: string
  scope: string
  owner: string
  name: string
  limit_nanos: Int
  period: string
  zone: string
  soft: Int
  counts: string
  /** `config` where the configuration names it, else `store`. */
  source: string
  created_at: Int
  removed_at: MaybeInt
  /** Of the topic `budgets` of `changes`, when it was last changed. */
  version: Int
}

/** What is spent of a budget in one of its windows. */
export interface BudgetWindowTable {
  budget: string
  win: string
  starts_at: Int
  /** Null = never. */
  ends_at: MaybeInt
  spent: Int
  /** What lives may spend beyond it: the sum of what their leases have left. */
  leased: Int
  /** Rises whenever lives are asked to give back what they do not need. */
  recall: Int
}

/** A share of a budget that was spent in a window, as the budget was then. */
export interface BudgetAlertTable {
  /** Of budget, window, share and limit. */
  id: string
  budget: string
  win: string
  ends_at: MaybeInt
  percent: Int
  name: string
  scope: string
  owner: string
  soft: Int
  limit_nanos: Int
  spent: Int
  at: Int
  /** How often somebody has taken it to tell of it. */
  tries: Int
  /** Nobody gets it before; null = nobody any more. */
  next_at: MaybeInt
  /** When somebody was told. */
  done_at: MaybeInt
}

/** What a life may spend in a window. */
export interface BudgetLeaseTable {
  budget: string
  win: string
  life: string
  granted: Int
  /** Of that, what its rows in the store have used; may be more, where a bound was too small. */
  used: Int
  /** Of the last change that the life asked for, and what it changed: one that is asked for again changes nothing. */
  seq: Int
  delta: Int
  /** The last recall that it has answered. */
  answered: Int
}

/** Held amount of a key in a window: the sum of `held` in `usage_budgets`, by process run. */
export interface BudgetHeldTable {
  budget: string
  win: string
  /** Id of the key. */
  principal: string
  /** Process run that wrote the rows; empty for corrections. */
  life: string
  held: Int
}

/** A run of a process that leases budgets. */
export interface LifeTable {
  id: string
  /** Name of its machine. */
  node: string
  seen_at: Int
  /** `open`; `closed`: its journal was read to the end; `doubt`: some of its journal is lost. */
  state: string
}

/** What a row of `usage` counts for in a window of a budget. */
export interface UsageBudgetTable {
  at: Int
  usage_id: string
  budget: string
  win: string
  amount: Int
  /** Part of `amount` that is held for unknown costs. */
  held: Int
}
