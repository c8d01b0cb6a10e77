import type { Budget, Principal } from '@headgate/gateway/ports'
import { type Account, createAccount } from './account.ts'
import type { BudgetChanges } from './defined.ts'
import { windowAt } from './window.ts'

/** The accounts that one principal spends from, for as long as windows and budgets are what they are. */
export interface Plan {
  /** Those that bound what it spends. */
  readonly hard: readonly Account[]
  /** Those that only alert. */
  readonly soft: readonly Account[]
  readonly owners: Principal['owners']
  readonly version: number
  /** When the first of its windows begins and ends, Unix milliseconds. */
  readonly from: number
  readonly until: number
}

/** The budgets that are known, and what is left of each. */
export interface BudgetBook {
  /** Of which version of the store's budgets. */
  version(): number
  /** Undefined where nothing bounds what it spends, and nothing alerts. `at`: Unix milliseconds. */
  planOf(principal: Principal, at: number): Plan | undefined
  /** The same by the id of a principal that was asked for before. */
  planOfId(principal: string, at: number): Plan | undefined
  accounts(): Iterable<Account>
  accountOf(budget: string, win: string): Account | undefined
  /** Takes in what has changed. Resolves with accounts whose limit is less now, or that are no more. */
  change(changes: BudgetChanges): readonly Account[]
  /** Takes in budgets of a principal that was looked up. */
  learn(budgets: readonly Budget[]): void
  remove(budget: string): void
  /**
   * Forgets accounts of windows that are over, once nothing is left in them. Returns accounts that have something left
   * to give back.
   * @param at Unix milliseconds
   * @param before accounts that were used later are kept: milliseconds of a clock that never steps, since the clock of
   * `at` may be wrong
   * @param isOpen whether a request under way, also one that reserves nothing yet, spends from the account
   */
  tidy(at: number, before: number, isOpen: (account: Account) => boolean): readonly Account[]
}

/** Most principals that are remembered. */
const PRINCIPALS = 10_000

export function createBook(life: string): BudgetBook {
  const budgets = new Map<string, Budget>()
  const byOwner = new Map<string, Map<string, Budget>>()
  const accounts = new Map<string, Account>()
  const plans = new Map<string, Plan>()
  let epoch = 0
  let stored = 0
  let version = 0

  const put = (budget: Budget): void => {
    drop(budget.id)
    budgets.set(budget.id, budget)
    const key = `${budget.scope}:${budget.owner}`
    const own = byOwner.get(key) ?? new Map<string, Budget>()
    byOwner.set(key, own.set(budget.id, budget))
  }

  const drop = (id: string): void => {
    const known = budgets.get(id)
    if (!known) return
    budgets.delete(id)
    const key = `${known.scope}:${known.owner}`
    const own = byOwner.get(key)
    own?.delete(id)
    if (own?.size === 0) byOwner.delete(key)
  }

  const accountFor = (budget: Budget, at: number): Account => {
    const window = windowAt(budget.period, budget.zone, at)
    const key = `${budget.id}\0${window.id}`
    const known = accounts.get(key)
    if (known) return known
    const account = createAccount(budget, window, life, epoch)
    accounts.set(key, account)
    return account
  }

  const budgetsOf = ({ id, owners }: Pick<Principal, 'id' | 'owners'>): Budget[] => {
    const found = [...(byOwner.get(`key:${id}`)?.values() ?? [])]
    if (owners)
      for (const [scope, owner] of Object.entries(owners))
        if (owner) found.push(...(byOwner.get(`${scope}:${owner}`)?.values() ?? []))
    return found
  }

  const makePlan = (principal: Pick<Principal, 'id' | 'owners'>, at: number): Plan => {
    const own = budgetsOf(principal)
    const hard = own.filter(({ soft }) => !soft).map((budget) => accountFor(budget, at))
    const soft = own.filter((budget) => budget.soft).map((budget) => accountFor(budget, at))
    const windows = [...hard, ...soft].map(({ window }) => window)
    const plan = {
      hard,
      soft,
      version,
      owners: principal.owners,
      from: Math.max(0, ...windows.map(({ start }) => start)),
      until: Math.min(Number.POSITIVE_INFINITY, ...windows.map(({ end }) => end ?? Number.POSITIVE_INFINITY)),
    }
    plans.delete(principal.id)
    const [oldest] = plans.size >= PRINCIPALS ? plans.keys() : []
    if (oldest !== undefined) plans.delete(oldest)
    plans.set(principal.id, plan)
    return plan
  }

  const current = (principal: Pick<Principal, 'id' | 'owners'>, at: number): Plan => {
    const known = plans.get(principal.id)
    if (
      known &&
      known.version === version &&
      known.from <= at &&
      at < known.until &&
      isSame(known.owners, principal.owners)
    )
      return known
    return makePlan(principal, at)
  }
  const used = (plan: Plan): Plan | undefined => (plan.hard.length + plan.soft.length > 0 ? plan : undefined)

  return {
    version: () => stored,
    planOf: (principal, at) => (budgets.size === 0 ? undefined : used(current(principal, at))),
    planOfId(id, at) {
      const owners = plans.get(id)?.owners
      return budgets.size === 0 ? undefined : used(current({ id, ...(owners && { owners }) }, at))
    },
    accounts: () => accounts.values(),
    accountOf: (budget, win) => accounts.get(`${budget}\0${win}`),
    change(changes) {
      stored = changes.version
      version += 1
      const limits = new Map(changes.set.map((budget) => [budget.id, budget]))
      const gone = new Set(changes.removed)
      for (const budget of changes.set) put(budget)
      for (const id of changes.removed) drop(id)
      const shrunk: Account[] = []
      for (const account of accounts.values()) {
        const budget = limits.get(account.budget.id)
        if (gone.has(account.budget.id) || (budget && (budget.limit < account.budget.limit || budget.soft)))
          shrunk.push(account)
        if (!budget) continue
        account.budget = budget
        account.deniedUntil = 0
        account.isToldUsedUp = false
      }
      return shrunk
    },
    learn(found) {
      const unknown = found.filter(({ id }) => !budgets.has(id))
      if (unknown.length === 0) return
      version += 1
      for (const budget of unknown) put(budget)
    },
    remove(id) {
      version += 1
      drop(id)
    },
    tidy(at, before, isOpen) {
      const left: Account[] = []
      for (const [key, account] of accounts) {
        const { window, free, owed, seq } = account
        if (
          window.end === undefined ||
          window.end > at ||
          account.usedAt > before ||
          isBusy(account) ||
          isOpen(account)
        )
          continue
        if (free > 0 || owed > 0) left.push(account)
        // What is overdrawn is known here only.
        if (free !== 0 || owed > 0) continue
        accounts.delete(key)
        plans.clear()
        epoch = Math.max(epoch, seq + 1)
      }
      return left
    },
  }
}

function isBusy({ reserved, isChanging, pending, waiters }: Account): boolean {
  return reserved !== 0 || isChanging || pending !== undefined || waiters.length > 0
}

function isSame(one: Principal['owners'], other: Principal['owners']): boolean {
  if (one === other) return true
  return one?.project === other?.project && one?.member === other?.member && one?.organisation === other?.organisation
}
