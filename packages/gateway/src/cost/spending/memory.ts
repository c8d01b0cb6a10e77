import { isCount } from '@headgate/core/canonical'
import { type Budget, type BudgetAsk, type BudgetRefusal, type Budgets, budgetAmounts } from '../../ports/budgets.ts'
import type { Principal } from '../../ports/ledger.ts'
import { type BudgetWindow, windowAt } from './window.ts'

/**
 * A budget of this process. Defaults: of a key, in UTC, not soft, counts what counts for callers, and is named and
 * known by its owner.
 */
export type MemoryBudget = Pick<Budget, 'owner' | 'limit' | 'period'> & Partial<Budget>

/** A budget, and what has become of it in the window that is now. Amounts are nano-dollars. */
export interface MemoryBudgetState {
  readonly budget: Budget
  readonly spent: bigint
  /** What requests under way may still cost. */
  readonly held: bigint
  /** When its window ends, Unix time in milliseconds; absent of one for ever. */
  readonly resetAt?: number
}

/** Budgets that live as long as the process. */
export interface MemoryBudgets extends Required<Budgets> {
  reserve(ask: BudgetAsk): BudgetRefusal | undefined
  state(): readonly MemoryBudgetState[]
}

interface Account {
  readonly budget: Budget
  readonly window: BudgetWindow
  spent: bigint
  held: bigint
  /** What unknown costs hold, by key; in budgets that keys share. */
  readonly unknown: Map<string, bigint>
}

/** What is reserved for a request. */
interface Reservation {
  readonly accounts: readonly Account[]
  /** Of each of its calls. */
  readonly bounds: number[]
}

/** How long to wait for requests under way, in milliseconds. */
const WAIT = 1_000
/** Most principals whose owners are remembered. */
const PRINCIPALS = 10_000
/** So many of the newest rows are known, so that none counts twice. */
const ROWS = 10_000
const HELD_SHARE = 0.2
/** Precision of a percentage: parts per million. */
const PARTS = 1_000_000

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

/** The account of a budget's window; `accounts` has those of the newest windows. */
function accountOf(accounts: Map<string, Account>, budget: Budget, at: number): Account {
  const window = windowAt(budget.period, budget.zone, at)
  const newest = accounts.get(budget.id)
  if (newest && newest.window.start >= window.start) return newest
  const account: Account = { budget, window, spent: 0n, held: 0n, unknown: new Map() }
  accounts.set(budget.id, account)
  return account
}

/** The budgets that bound a principal. */
function budgetsOf(all: readonly Budget[], id: string, owners: Principal['owners']): Budget[] {
  return all.filter(({ scope, owner }) => (scope === 'key' ? owner === id : owners?.[scope] === owner))
}

/** Refusal of the account that is short; `room` is the least of all accounts. */
function refusalOf(short: Account, taken: readonly Account[], why: BudgetRefusal['why'], bound = 0n): BudgetRefusal {
  const { budget, window, spent, held } = short
  const { name, scope, limit, period } = budget
  let room = limit - spent - held
  for (const one of taken) {
    const own = one.budget.limit - one.spent - one.held
    if (own < room) room = own
  }
  const isTiedUp = why === 'limit' && taken.every((one) => one.spent + bound <= one.budget.limit)
  return {
    why,
    budget: { name, scope, limit, period },
    spent,
    held,
    room: room > 0n ? room : 0n,
    ...(window.end !== undefined && { resetAt: window.end }),
    ...(isTiedUp && { retryAfterMs: WAIT }),
  }
}

/** Why accounts do not allow an amount; undefined = they do. `heldShare`: see {@link memoryBudgets}. */
function shortOf(
  taken: readonly Account[],
  principal: string,
  nanos: bigint,
  heldShare: number,
): BudgetRefusal | undefined {
  for (const account of taken) {
    const unknown = account.unknown.get(principal) ?? 0n
    const most = (account.budget.limit * BigInt(Math.round(heldShare * PARTS))) / BigInt(PARTS)
    if (unknown > 0n && unknown + nanos > most)
      return { ...refusalOf(account, taken, 'held'), held: unknown, room: unknown < most ? most - unknown : 0n }
  }
  const lacks = taken.filter(({ budget, spent, held }) => spent + held + nanos > budget.limit)
  // The one for which waiting does not help says why.
  const short = lacks.find(({ budget, spent }) => spent + nanos > budget.limit) ?? lacks[0]
  return short && refusalOf(short, taken, 'limit', nanos)
}

/** Makes space for one more key. */
function dropOldest(
  keys: { readonly size: number; delete(key: string): unknown; keys(): Iterable<string> },
  most: number,
): void {
  const [oldest] = keys.size >= most ? keys.keys() : []
  if (oldest !== undefined) keys.delete(oldest)
}

/**
 * Budgets that live as long as the process, and count for it alone: for embedders without a store, and for tests.
 * @throws TypeError for a limit that is none, and for two budgets of one id. @throws RangeError for a zone that is not
 * known.
 */
export function memoryBudgets({
  budgets,
  heldShare = HELD_SHARE,
  now = Date.now,
}: {
  readonly budgets: readonly MemoryBudget[]
  /**
   * Percentage of a budget that the unknown costs of one key may hold if keys share the budget, from 0 to 1; default
   * 0.2.
   */
  readonly heldShare?: number
  now?: () => number
}): MemoryBudgets {
  const all = allBudgets(budgets)
  /** Of the newest window of each budget; older ones live as long as what was reserved in them. */
  const accounts = new Map<string, Account>()
  const open = new Map<string, Reservation>()
  /** Rows name a principal, not who owns it. */
  const known = new Map<string, Principal['owners']>()
  const counted = new Set<string>()

  const remember = ({ id, owners }: Principal): void => {
    if (!owners) return
    known.delete(id)
    dropOldest(known, PRINCIPALS)
    known.set(id, owners)
  }

  const release = (id: string): void => {
    const reservation = open.get(id)
    if (!reservation) return
    open.delete(id)
    for (const account of reservation.accounts) for (const bound of reservation.bounds) account.held -= BigInt(bound)
  }
  /** Rows of tasks may be written again. */
  const isCounted = (id: string): boolean => {
    if (counted.has(id)) return true
    dropOldest(counted, ROWS)
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
