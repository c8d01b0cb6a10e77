import { isCount } from '@headgate/core/canonical'
import type { Principal, UsageRow } from './ledger.ts'

/** Interval after which a budget resets. */
export type BudgetPeriod = 'day' | 'week' | 'month' | 'forever'

/** Kind of owner whose spending a budget limits. */
export type BudgetScope = 'key' | 'project' | 'member' | 'organization'

/** Spending limit per window. Amounts are integer nano-dollars. */
export interface Budget {
  readonly id: string
  readonly scope: BudgetScope
  /** Id of the key, project, member or organization. */
  readonly owner: string
  /** Name in messages. */
  readonly name: string
  readonly limit: bigint
  readonly period: BudgetPeriod
  /** Time zone of the windows, such as `Europe/Berlin`. */
  readonly zone: string
  /** A soft budget only sends alerts; it refuses nothing. */
  readonly soft: boolean
  /**
   * Known costs that count: `charged`, what the caller is billed, or `cost`, all that upstreams charge. Held amounts
   * count in both.
   */
  readonly counts: 'charged' | 'cost'
}

/** An upstream call that is about to be sent. */
export interface BudgetRequest {
  /** Id that the request's usage row will have. The row settles the reservation. */
  readonly id: string
  readonly principal: Principal
  /** Worst-case cost of the call in nano-dollars, from 0 to 2^53 - 1; null = unknown. */
  readonly bound: number | null
  /** Start of the request, Unix time in milliseconds. */
  readonly at: number
  readonly family: string
  readonly format: string
  readonly model: string
  readonly provider: string
  /** Name of the endpoint; absent if the provider has only one. */
  readonly endpoint?: string | undefined
  readonly providerModel: string
  readonly priceId: string | null
  /** Tags that the caller sent with the request. */
  readonly tags?: Readonly<Record<string, string>> | undefined
}

/** Refusal of a call. */
export interface BudgetRefusal {
  /**
   * `limit`: the budget has too little left. `price-unknown`: the worst-case cost is unknown. `away`: the store does
   * not respond. `held`: unknown costs of this key exceed its share of a shared budget; `held` is then the amount of
   * this key.
   */
  readonly why: 'limit' | 'price-unknown' | 'away' | 'held'
  readonly budget: Pick<Budget, 'name' | 'scope' | 'limit' | 'period'> & { readonly id?: string | undefined }
  /** Nano-dollars that are spent in the window. */
  readonly spent: bigint
  /** Nano-dollars that are reserved for requests in progress or held for unknown costs. */
  readonly held: bigint
  /** Maximum amount that could be reserved now. A call that costs at most this much is allowed. */
  readonly room: bigint
  /** End of the window, Unix time in milliseconds; absent for period `forever`. */
  readonly resetAt?: number
  /** Absent if waiting does not help before the window ends, because the money is spent and not only reserved. */
  readonly retryAfterMs?: number
}

/** Enforcement of budgets. */
export interface Budgets {
  /** True if a budget that is not soft applies to this principal. Otherwise no reservation is needed. */
  bounds(principal: Principal): boolean
  /**
   * Reserves the worst-case cost of one call in all budgets that apply, or in none. Further calls of a request add to
   * it, in the order of the attempts of its row. The row with that id settles the whole reservation. A dry run reserves
   * and releases immediately.
   */
  reserve(ask: BudgetRequest): BudgetRefusal | undefined | Promise<BudgetRefusal | undefined>
  /** Releases a reservation of which no call was sent. No row must follow. */
  release(id: string): void
  /** Receives each row before the ledger does. Absent if budgets read rows from their ledger. */
  settle?(row: UsageRow): void
}

/** Part of a usage row that counts in a budget, in nano-dollars. */
export interface BudgetAmounts {
  /** Known costs. */
  readonly settled: number
  /** Worst-case costs of attempts that were sent and whose usage is unknown, beyond their estimates. */
  readonly held: number
}

/**
 * Amounts of a row that count in a budget. A budget's counter is the sum of settled and held amounts.
 *
 * With `charged`, known costs of failed attempts do not count if another attempt served the request. If none did, all
 * known costs count: callers must not be able to spend by failing. An estimate is settled, and the rest of its
 * reservation is held: the upstream may have continued after the response broke off.
 *
 * @param bounds reserved amounts of the attempts, in the order of the attempts
 * @example
 * ```ts
 * const attempt = { provider: 'demo', model: 'demo', startedAt: 0, durationMs: 1, cost: null, priceId: null }
 * budgetAmounts({ cost: null, charged: null, attempts: [attempt] }, [1_000], 'charged') // { settled: 0, held: 1000 }
 * ```
 */
export function budgetAmounts(
  { cost, charged, attempts }: Pick<UsageRow, 'cost' | 'charged' | 'attempts'>,
  bounds: readonly number[],
  counts: Budget['counts'],
): BudgetAmounts {
  const isCharged = counts === 'charged' && isCount(charged) && charged > 0
  if (attempts.length !== bounds.length) {
    if (isCount(cost)) return { settled: isCharged ? charged : cost, held: 0 }
    return { settled: 0, held: bounds.reduce((sum, bound) => sum + bound, 0) }
  }
  let settled = 0
  let held = 0
  for (const [index, attempt] of attempts.entries()) {
    const known = isCount(attempt.cost) ? attempt.cost : undefined
    settled += known ?? 0
    if (known === undefined || attempt.estimated) held += Math.max(0, (bounds[index] ?? 0) - (known ?? 0))
  }
  return { settled: isCharged ? charged : settled, held }
}
