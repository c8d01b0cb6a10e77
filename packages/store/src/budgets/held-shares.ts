import type { StoreConnection } from '../database/connection.ts'
import type { LeaseAccount } from './account.ts'

/** Held amount of one key in a window of a budget, in nano-dollars. */
export interface HeldShare {
  readonly budget: string
  readonly win: string
  readonly principal: string
  readonly held: bigint
}

/** Window of a budget. */
export type HeldWindow = Pick<HeldShare, 'budget' | 'win'>

/** Held amounts of all keys in some windows, except by one process run, which knows its own. */
export async function heldShares(
  { db }: StoreConnection,
  run: string,
  windows: readonly HeldWindow[],
): Promise<HeldShare[]> {
  if (windows.length === 0) return []
  const rows = await db
    .selectFrom('budget_held')
    .select(({ fn }) => ['budget', 'win', 'principal', fn.sum<bigint | string>('held').as('held')])
    .where('run', '<>', run)
    .where((is) => is.or(windows.map(({ budget, win }) => is.and([is('budget', '=', budget), is('win', '=', win)]))))
    .groupBy(['budget', 'win', 'principal'])
    .execute()
  return rows.map(({ held, ...one }) => ({ ...one, held: BigInt(held) }))
}

/** Maximum part of a shared budget that unknown costs of one key can hold, from 0 to 1. */
export const HELD_SHARE = 0.2

/** Precision of `HELD_SHARE`: parts per million. */
const PARTS = 1_000_000

/** Interval of reading the amounts of other processes, in milliseconds. */
const EVERY = 1_000

/** Budget in which a key exceeds its part. Amounts are nano-dollars. */
export interface ExceededShare {
  readonly account: LeaseAccount
  /** Amount that the key holds. */
  readonly held: bigint
  /** Amount that the key can still reserve. */
  readonly room: bigint
}

/** Held amounts of keys in shared budgets, as far as this process knows them. */
export interface HeldShares {
  /** True if the store must be read before a key may spend from these accounts. */
  isUnread(accounts: readonly LeaseAccount[]): boolean
  /** Reads the held amounts of other processes. Rejects if the store does not answer. */
  read(accounts: readonly LeaseAccount[]): Promise<void>
  /** First account in which the key exceeds its part if it reserves `bound`, in nano-dollars. */
  exceeded(accounts: readonly LeaseAccount[], principal: string, bound: number): ExceededShare | undefined
  /** Adds the held amount of a row of this process. */
  add(account: LeaseAccount, principal: string, held: number): void
  configure(share?: number): void
}

/** True if several keys share the budget. */
function isShared({ budget }: LeaseAccount): boolean {
  return budget.scope !== 'key'
}

export function createHeldShares(
  load: (windows: readonly HeldWindow[]) => Promise<readonly HeldShare[]>,
  elapsed: () => number = performance.now.bind(performance),
): HeldShares {
  /** Amounts by window, then by key. */
  const own = new WeakMap<LeaseAccount, Map<string, bigint>>()
  const others = new WeakMap<LeaseAccount, { readonly at: number; readonly held: ReadonlyMap<string, bigint> }>()
  let parts = BigInt(HELD_SHARE * PARTS)
  const add = (account: LeaseAccount, principal: string, held: number): void => {
    if (held === 0 || !isShared(account)) return
    const amounts = own.get(account) ?? new Map<string, bigint>()
    own.set(account, amounts)
    amounts.set(principal, (amounts.get(principal) ?? 0n) + BigInt(held))
  }
  return {
    isUnread: (accounts) => accounts.some((account) => isShared(account) && !others.has(account)),
    async read(accounts) {
      const at = elapsed()
      const due = accounts.filter(
        (account) => isShared(account) && (others.get(account)?.at ?? Number.NEGATIVE_INFINITY) <= at - EVERY / 2,
      )
      if (due.length === 0) return
      const found = await load(due.map(({ hold: { budget, win } }) => ({ budget, win })))
      for (const account of due) {
        const { budget, win } = account.hold
        const ofWindow = found.filter((one) => one.budget === budget && one.win === win)
        others.set(account, { at, held: new Map(ofWindow.map(({ principal, held }) => [principal, held])) })
      }
    },
    exceeded(accounts, principal, bound) {
      for (const account of accounts) {
        if (!isShared(account)) continue
        const held = (own.get(account)?.get(principal) ?? 0n) + (others.get(account)?.held.get(principal) ?? 0n)
        const most = (account.budget.limit * parts) / BigInt(PARTS)
        if (held > 0n && held + BigInt(bound) > most) return { account, held, room: held < most ? most - held : 0n }
      }
      return undefined
    },
    add,
    configure(share = HELD_SHARE) {
      parts = BigInt(Math.round(share * PARTS))
    },
  }
}
