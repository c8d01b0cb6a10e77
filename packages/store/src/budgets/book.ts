import type { Budget, Principal } from '@headgate/gateway/ports'
import { createAccount, type LeaseAccount } from './account.ts'
import type { BudgetChanges } from './defined.ts'
import { windowAt } from './window.ts'

/** Accounts that one principal spends from, valid until a budget or window changes. */
export interface SpendingPlan {
  /** Accounts that limit spending. */
  readonly hard: readonly LeaseAccount[]
  /** Accounts that only send alerts. */
  readonly soft: readonly LeaseAccount[]
  readonly owners: Principal['owners']
  readonly version: number
  /** Start of the latest window and end of the earliest one, Unix milliseconds. */
  readonly from: number
  readonly until: number
}

/** Known budgets and their accounts. */
export interface BudgetBook {
  /** Version of the store's budgets. */
  version(): number
  /** All known budgets, as changes for another book. */
  known(): BudgetChanges
  /** Undefined if no budget applies. `at`: Unix milliseconds. */
  planOf(principal: Principal, at: number): SpendingPlan | undefined
  /** Plan by the id of a principal that was looked up before. */
  planOfId(principal: string, at: number): SpendingPlan | undefined
  accounts(): Iterable<LeaseAccount>
  accountOf(budget: string, win: string): LeaseAccount | undefined
  /** Applies changes. Returns accounts with a lower limit and accounts of removed budgets. */
  change(changes: BudgetChanges): readonly LeaseAccount[]
  /** Adds budgets that were found with a principal. */
  learn(budgets: readonly Budget[]): void
  remove(budget: string): void
  /**
   * Forgets empty accounts of ended windows. Returns accounts of ended windows with an amount to return.
   * @param at Unix milliseconds
   * @param before monotonic milliseconds: accounts used after this time are kept, since the clock of `at` may be wrong
   * @param isOpen whether a request in progress, even without a reservation, spends from the account
   */
  tidy(at: number, before: number, isOpen: (account: LeaseAccount) => boolean): readonly LeaseAccount[]
}

/** Maximum number of remembered principals. */
const PRINCIPALS = 10_000

/** Budgets by id and by owner. */
interface Index {
  readonly byId: ReadonlyMap<string, Budget>
  put(budget: Budget): void
  drop(id: string): void
  of(principal: BudgetPrincipal): Budget[]
}

type BudgetPrincipal = Pick<Principal, 'id' | 'owners'>

function createIndex(): Index {
  const byId = new Map<string, Budget>()
  const byOwner = new Map<string, Map<string, Budget>>()
  const drop = (id: string): void => {
    const known = byId.get(id)
    if (!known) return
    byId.delete(id)
    const key = `${known.scope}:${known.owner}`
    const own = byOwner.get(key)
    own?.delete(id)
    if (own?.size === 0) byOwner.delete(key)
  }
  return {
    byId,
    drop,
    put(budget) {
      drop(budget.id)
      byId.set(budget.id, budget)
      const key = `${budget.scope}:${budget.owner}`
      const own = byOwner.get(key) ?? new Map<string, Budget>()
      byOwner.set(key, own.set(budget.id, budget))
    },
    of({ id, owners }) {
      const found = [...(byOwner.get(`key:${id}`)?.values() ?? [])]
      if (owners)
        for (const [scope, owner] of Object.entries(owners))
          if (owner) found.push(...(byOwner.get(`${scope}:${owner}`)?.values() ?? []))
      return found
    },
  }
}

export function createBudgetBook(run: string): BudgetBook {
  const index = createIndex()
  const accounts = new Map<string, LeaseAccount>()
  const plans = new Map<string, SpendingPlan>()
  let epoch = 0
  let stored = 0
  let version = 0

  const accountFor = (budget: Budget, at: number): LeaseAccount => {
    const window = windowAt(budget.period, budget.zone, at)
    const key = `${budget.id}\0${window.id}`
    const known = accounts.get(key)
    if (known) return known
    const account = createAccount(budget, window, run, epoch)
    accounts.set(key, account)
    return account
  }

  const current = (principal: BudgetPrincipal, at: number): SpendingPlan | undefined => {
    if (index.byId.size === 0) return undefined
    const known = plans.get(principal.id)
    const plan =
      known && isCurrent(known, version, principal, at)
        ? known
        : planFor(principal, index.of(principal), version, (budget) => accountFor(budget, at))
    if (plan !== known) remember(plans, principal.id, plan)
    return plan.hard.length + plan.soft.length > 0 ? plan : undefined
  }

  return {
    version: () => stored,
    known: () => ({ version: stored, set: [...index.byId.values()], removed: [] }),
    planOf: current,
    planOfId(id, at) {
      const owners = plans.get(id)?.owners
      return current({ id, ...(owners && { owners }) }, at)
    },
    accounts: () => accounts.values(),
    accountOf: (budget, win) => accounts.get(`${budget}\0${win}`),
    change(changes) {
      stored = changes.version
      version += 1
      for (const budget of changes.set) index.put(budget)
      for (const id of changes.removed) index.drop(id)
      return shrunkBy(changes, accounts.values())
    },
    learn(found) {
      const unknown = found.filter(({ id }) => !index.byId.has(id))
      if (unknown.length === 0) return
      version += 1
      for (const budget of unknown) index.put(budget)
    },
    remove(id) {
      version += 1
      index.drop(id)
    },
    tidy(at, before, isOpen) {
      const left: LeaseAccount[] = []
      for (const [key, account] of accounts) {
        const { window, free, owed, seq } = account
        if (window.end === undefined || window.end > at || account.usedAt > before) continue
        if (isBusy(account) || isOpen(account)) continue
        if (free > 0 || owed > 0) left.push(account)
        // Only this process knows an overdrawn amount.
        if (free !== 0 || owed > 0) continue
        accounts.delete(key)
        plans.clear()
        epoch = Math.max(epoch, seq + 1)
      }
      return left
    },
  }
}

function isCurrent(
  { version, from, until, owners }: SpendingPlan,
  current: number,
  principal: BudgetPrincipal,
  at: number,
): boolean {
  return version === current && from <= at && at < until && isSame(owners, principal.owners)
}

function planFor(
  { owners }: BudgetPrincipal,
  budgets: readonly Budget[],
  version: number,
  accountFor: (budget: Budget) => LeaseAccount,
): SpendingPlan {
  const hard = budgets.filter(({ soft }) => !soft).map(accountFor)
  const soft = budgets.filter((budget) => budget.soft).map(accountFor)
  const windows = [...hard, ...soft].map(({ window }) => window)
  return {
    hard,
    soft,
    version,
    owners,
    from: Math.max(0, ...windows.map(({ start }) => start)),
    until: Math.min(Number.POSITIVE_INFINITY, ...windows.map(({ end }) => end ?? Number.POSITIVE_INFINITY)),
  }
}

/** Stores a plan as the newest one and evicts the oldest if there are too many. */
function remember(plans: Map<string, SpendingPlan>, principal: string, plan: SpendingPlan): void {
  plans.delete(principal)
  const [oldest] = plans.size >= PRINCIPALS ? plans.keys() : []
  if (oldest !== undefined) plans.delete(oldest)
  plans.set(principal, plan)
}

/** Updates accounts to their changed budgets. Returns accounts with a lower limit and accounts of removed budgets. */
function shrunkBy(changes: BudgetChanges, accounts: Iterable<LeaseAccount>): LeaseAccount[] {
  const limits = new Map(changes.set.map((budget) => [budget.id, budget]))
  const gone = new Set(changes.removed)
  const shrunk: LeaseAccount[] = []
  for (const account of accounts) {
    const budget = limits.get(account.budget.id)
    if (gone.has(account.budget.id) || (budget && (budget.limit < account.budget.limit || budget.soft)))
      shrunk.push(account)
    if (!budget) continue
    account.budget = budget
    account.deniedUntil = 0
    account.isUsedUpReported = false
  }
  return shrunk
}

function isBusy({ reserved, isChanging, pending, waiters }: LeaseAccount): boolean {
  return reserved !== 0 || isChanging || pending !== undefined || waiters.length > 0
}

function isSame(one: Principal['owners'], other: Principal['owners']): boolean {
  if (one === other) return true
  return one?.project === other?.project && one?.member === other?.member && one?.organization === other?.organization
}
