import { isCount } from '@headgate/core/canonical'
import {
  type Budget,
  type BudgetRefusal,
  type BudgetRequest,
  type Budgets,
  budgetAmounts,
} from '../../ports/budgets.ts'
import type { Principal } from '../../ports/ledger.ts'
import { type PeriodWindow, windowAt } from './window.ts'

/**
 * Budget that is kept in memory. Defaults: scope `key`, zone `UTC`, not soft, counts `charged`, the owner as name, and
 * an id of scope, owner and period.
 */
export type MemoryBudget = Pick<Budget, 'owner' | 'limit' | 'period'> & Partial<Budget>

/** A budget and its state in the current window. Amounts are in nano-dollars. */
export interface MemoryBudgetState {
  readonly budget: Budget
  readonly spent: bigint
  /** Reserved for requests in progress, and held for unknown costs. */
  readonly held: bigint
  /** End of the window, Unix time in milliseconds; absent for a budget without a period. */
  readonly resetAt?: number
}

/** Budgets of one process, without persistence. */
export interface MemoryBudgets extends Required<Budgets> {
  reserve(ask: BudgetRequest): BudgetRefusal | undefined
  state(): readonly MemoryBudgetState[]
}

interface BudgetAccount {
  readonly budget: Budget
  readonly window: PeriodWindow
  spent: bigint
  held: bigint
  /** Amounts held for unknown costs, by key. Used only if keys share the budget. */
  readonly unknown: Map<string, bigint>
}

/** Amounts reserved for a request. */
interface MemoryReservation {
  readonly accounts: readonly BudgetAccount[]
  /** Worst-case cost of each call. */
  readonly bounds: number[]
}

/** Time to wait for requests in progress, in milliseconds. */
const RETRY_AFTER_MS = 1_000
/** Maximum number of principals whose owners are remembered. */
const MAX_PRINCIPALS = 10_000
/** Number of recent rows that are remembered, so that no row counts twice. */
const MAX_ROWS = 10_000
const HELD_SHARE = 0.2
/** Precision of a percentage: parts per million. */
const PARTS_PER_MILLION = 1_000_000

function budgetOf({ owner, limit, period, ...given }: MemoryBudget): Budget {
  const { scope = 'key', zone = 'UTC', soft = false, counts = 'charged', name = owner } = given
  if (typeof limit !== 'bigint' || limit < 0n)
    throw new TypeError(`The limit of the budget "${name}" must be a bigint of nano-dollars that is not below 0.`)
  windowAt(period, zone, Date.now())
  return { id: given.id ?? `${scope}:${owner}:${period}`, scope, owner, name, limit, period, zone, soft, counts }
}

function allBudgets(budgets: readonly MemoryBudget[]): readonly Budget[] {
  const all = budgets.map(budgetOf)
  const twice = all.find(({ id }, index) => all.findIndex((one) => one.id === id) !== index)
  if (twice) throw new TypeError(`Two budgets have the id "${twice.id}". Give one of them another.`)
  return all
}

/** Account of a budget's window. `accounts` contains the newest window of each budget. */
function accountOf(accounts: Map<string, BudgetAccount>, budget: Budget, at: number): BudgetAccount {
  const window = windowAt(budget.period, budget.zone, at)
  const newest = accounts.get(budget.id)
  if (newest && newest.window.start >= window.start) return newest
  const account: BudgetAccount = { budget, window, spent: 0n, held: 0n, unknown: new Map() }
  accounts.set(budget.id, account)
  return account
}

/** Budgets that apply to a principal. */
function budgetsOf(all: readonly Budget[], id: string, owners: Principal['owners']): Budget[] {
  return all.filter(({ scope, owner }) => (scope === 'key' ? owner === id : owners?.[scope] === owner))
}

/** Refusal by the account that is too low. `room` is the lowest remaining amount of all accounts. */
function refusalOf(
  short: BudgetAccount,
  taken: readonly BudgetAccount[],
  why: BudgetRefusal['why'],
  bound = 0n,
): BudgetRefusal {
  const { budget, window, spent, held } = short
  const { id, name, scope, limit, period } = budget
  let room = limit - spent - held
  for (const one of taken) {
    const own = one.budget.limit - one.spent - one.held
    if (own < room) room = own
  }
  const isTiedUp = why === 'limit' && taken.every((one) => one.spent + bound <= one.budget.limit)
  return {
    why,
    budget: { id, name, scope, limit, period },
    spent,
    held,
    room: room > 0n ? room : 0n,
    ...(window.end !== undefined && { resetAt: window.end }),
    ...(isTiedUp && { retryAfterMs: RETRY_AFTER_MS }),
  }
}

/**
 * Refusal of an amount by one of the accounts; undefined = all accounts allow it. `heldShare`: see {@link
 * memoryBudgets}.
 */
function shortOf(
  taken: readonly BudgetAccount[],
  principal: string,
  nanos: bigint,
  heldShare: number,
): BudgetRefusal | undefined {
  for (const account of taken) {
    const unknown = account.unknown.get(principal) ?? 0n
    const most = (account.budget.limit * BigInt(Math.round(heldShare * PARTS_PER_MILLION))) / BigInt(PARTS_PER_MILLION)
    if (unknown > 0n && unknown + nanos > most)
      return { ...refusalOf(account, taken, 'held'), held: unknown, room: unknown < most ? most - unknown : 0n }
  }
  const lacks = taken.filter(({ budget, spent, held }) => spent + held + nanos > budget.limit)
  // Report the account for which waiting does not help.
  const short = lacks.find(({ budget, spent }) => spent + nanos > budget.limit) ?? lacks[0]
  return short && refusalOf(short, taken, 'limit', nanos)
}

/** Removes the oldest entry if the collection is full. */
function dropOldest(
  keys: { readonly size: number; delete(key: string): unknown; keys(): Iterable<string> },
  most: number,
): void {
  const [oldest] = keys.size >= most ? keys.keys() : []
  if (oldest !== undefined) keys.delete(oldest)
}

/**
 * Creates budgets that are kept in memory and count for this process only. Use them if you embed the gateway without a
 * store, and in tests.
 *
 * @throws TypeError if a limit is not a bigint of at least 0, or if two budgets have the same id.
 * @throws RangeError if a time zone is unknown.
 * @example
 * ```ts
 * const budgets = memoryBudgets({
 *   budgets: [{ owner: 'alice', limit: 50_000_000_000n, period: 'month' }], // 50 US dollars
 * })
 * const gateway = createGateway({ providers, authenticate, budgets })
 * ```
 */
export function memoryBudgets({
  budgets,
  heldShare = HELD_SHARE,
  now = Date.now,
}: {
  readonly budgets: readonly MemoryBudget[]
  /**
   * Maximum share of a budget that unknown costs of one key can hold if several keys share the budget, from 0 to 1;
   * default 0.2.
   */
  readonly heldShare?: number
  now?: () => number
}): MemoryBudgets {
  const all = allBudgets(budgets)
  /** Newest window of each budget. Older windows exist as long as their reservations. */
  const accounts = new Map<string, BudgetAccount>()
  const open = new Map<string, MemoryReservation>()
  /** Owners by principal: rows name only the principal. */
  const known = new Map<string, Principal['owners']>()
  const counted = new Set<string>()

  const remember = ({ id, owners }: Principal): void => {
    if (!owners) return
    known.delete(id)
    dropOldest(known, MAX_PRINCIPALS)
    known.set(id, owners)
  }

  const release = (id: string): void => {
    const reservation = open.get(id)
    if (!reservation) return
    open.delete(id)
    for (const account of reservation.accounts) for (const bound of reservation.bounds) account.held -= BigInt(bound)
  }
  /** Rows of tasks may be written repeatedly. */
  const isCounted = (id: string): boolean => {
    if (counted.has(id)) return true
    dropOldest(counted, MAX_ROWS)
    counted.add(id)
    return false
  }

  return {
    bounds(principal) {
      const own = budgetsOf(all, principal.id, principal.owners)
      if (own.length > 0) remember(principal)
      return own.some(({ soft }) => !soft)
    },
    reserve({ id, principal, bound, at }) {
      const before = open.get(id)
      const taken =
        before?.accounts ??
        budgetsOf(all, principal.id, principal.owners)
          .filter(({ soft }) => !soft)
          .map((budget) => accountOf(accounts, budget, at))
      const [first] = taken
      if (!first) return undefined
      if (!isCount(bound)) return refusalOf(first, taken, 'price-unknown')
      const nanos = BigInt(bound)
      const refusal = shortOf(taken, principal.id, nanos, heldShare)
      if (refusal) return refusal
      for (const account of taken) account.held += nanos
      if (before) before.bounds.push(bound)
      else open.set(id, { accounts: taken, bounds: [bound] })
      return undefined
    },
    release,
    settle(row) {
      if (isCounted(row.id)) return
      const reservation = open.get(row.id)
      const bounds = reservation?.bounds ?? []
      release(row.id)
      const own = budgetsOf(all, row.principal, known.get(row.principal))
      const free = own.filter(({ id }) => !reservation?.accounts.some(({ budget }) => budget.id === id))
      const others = free.map((budget) => accountOf(accounts, budget, row.startedAt))
      for (const account of [...(reservation?.accounts ?? []), ...others]) {
        const { settled, held } = budgetAmounts(row, bounds, account.budget.counts)
        account.spent += BigInt(settled) + BigInt(held)
        if (held > 0 && account.budget.scope !== 'key')
          account.unknown.set(row.principal, (account.unknown.get(row.principal) ?? 0n) + BigInt(held))
      }
    },
    state: () =>
      all.map((budget) => {
        const { window, spent, held } = accountOf(accounts, budget, now())
        return { budget, spent, held, ...(window.end !== undefined && { resetAt: window.end }) }
      }),
  }
}
