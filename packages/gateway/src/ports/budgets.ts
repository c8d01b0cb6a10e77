import { isCount } from '@headgate/core/canonical'
import type { Principal, UsageRow } from './ledger.ts'

/** How long a budget lasts before its limit is there anew. */
export type BudgetPeriod = 'day' | 'week' | 'month' | 'forever'

/** Whose spending a budget bounds. */
export type BudgetScope = 'key' | 'project' | 'member' | 'organization'

/** Money that may be spent in a window. Amounts are whole nano-dollars. */
export interface Budget {
  readonly id: string
  readonly scope: BudgetScope
  /** Id of the key, project, member or organization. */
  readonly owner: string
  /** As messages name it. */
  readonly name: string
  readonly limit: bigint
  readonly period: BudgetPeriod
  /** Time zone in which windows begin: `Europe/Berlin`. */
  readonly zone: string
  /** It only alerts. */
  readonly soft: boolean
  /**
   * Known costs that count: `charged`, what the caller is billed, or `cost`, all that upstreams charge. Held amounts
   * count in both.
   */
  readonly counts: 'charged' | 'cost'
}

/** A call of an upstream that is about to be made. */
export interface BudgetAsk {
  /** Id of the usage row that the request will have: what settles that row settles the reservation. */
  readonly id: string
  readonly principal: Principal
  /** Most that the call can cost, in nano-dollars, from 0 to 2^53 - 1; null = nobody knows. */
  readonly bound: number | null
  /** When the request began, Unix time in milliseconds. */
  readonly at: number
  readonly family: string
  readonly format: string
  readonly model: string
  readonly provider: string
  readonly providerModel: string
  readonly priceId: string | null
  /** What the caller said of the request; absent = nothing. */
  readonly tags?: Readonly<Record<string, string>> | undefined
}

/** Why a call may not be made. */
export interface BudgetRefusal {
  /**
   * `limit`: the budget has too little left. `price-unknown`: the worst-case cost is unknown. `away`: the store does
   * not answer. `held`: unknown costs of this key hold too much of a budget that it shares; `held` is then the amount
   * of the key.
   */
  readonly why: 'limit' | 'price-unknown' | 'away' | 'held'
  readonly budget: Pick<Budget, 'name' | 'scope' | 'limit' | 'period'>
  /** Nano-dollars that are spent in the window, and that requests under way may still cost. */
  readonly spent: bigint
  readonly held: bigint
  /** Most that could be reserved now: a call that costs no more may be made. */
  readonly room: bigint
  /** When the window ends, Unix time in milliseconds; absent of one for ever. */
  readonly resetAt?: number
  /** Absent where waiting does not help before the window ends: the money is spent, and not only tied up. */
  readonly retryAfterMs?: number
}

/** Keeps what is spent within what may be spent. */
export interface Budgets {
  /** Whether any budget that is not soft bounds what this principal spends: if not, nothing need be reserved. */
  bounds(principal: Principal): boolean
  /**
   * Reserves the bound of one call at all budgets that apply, or at none. Further calls of one request add to it, in
   * the order of the attempts of its row. Whoever settles a row of that id settles all of it. A dry run reserves, and
   * releases at once.
   */
  reserve(ask: BudgetAsk): BudgetRefusal | undefined | Promise<BudgetRefusal | undefined>
  /** Gives back what was reserved under an id, of which no call was made and no row will be settled. */
  release(id: string): void
  /** Told of each row before the ledger is. Absent where budgets hear of rows through their ledger. */
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
 * What a row counts for in a budget. A budget's counter is the sum of settled and held amounts.
 *
 * With `charged`, failed attempts next to one that served do not count, as far as their cost is known. If nothing was
 * served, all known costs count: callers must not be able to spend by failing. An estimate is settled, and the rest of
 * its reservation is held: the upstream may have continued after the response broke off.
 * @param bounds what was reserved for each attempt, in the order of the attempts
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
