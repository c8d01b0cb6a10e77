import type { Budget } from '@headgate/gateway/ports'
import { insertRows, type OnConflict } from '../database/bulk.ts'
import type { StoreConnection } from '../database/connection.ts'
import { storable } from '../database/group.ts'
import type { WriteTransaction } from '../database/transaction.ts'
import type { ColumnValue } from '../schema/declare.ts'
import { remainingLease, smaller } from './amounts.ts'
import { budgetIn } from './defined.ts'
import type { Spend } from './spend.ts'
import { type ReachedThreshold, reachedThresholds, storeAlerts } from './threshold.ts'
import { knownWindow, lockWindow } from './windows.ts'

/** Amounts of a row, and the process run that reserved them. */
export interface CountedRow {
  /** Id of the row. */
  readonly id: string
  readonly at: number
  /** Id of the key. */
  readonly principal: string
  readonly run: string
  readonly spends: readonly Spend[]
}

interface Total {
  readonly first: Spend
  spent: bigint
  /** Part of `spent` by process run, charged to its lease. */
  readonly used: Map<string, bigint>
}

const ADDED: OnConflict = { set: { held: 'add' } }

const MOST = 2n ** 63n - 1n

/**
 * Counts the spending of rows once. Leased amounts become spent, and their sum stays the same. Call it last in a
 * transaction, since other writers wait for these windows. Resolves with the number of new alerts.
 */
export async function countSpends(
  connection: StoreConnection,
  trx: WriteTransaction,
  rows: readonly CountedRow[],
): Promise<number> {
  const all = rows.flatMap(({ spends, ...row }) => spends.map((spend) => ({ ...row, spend })))
  if (all.length === 0) return 0
  const values = all.map(({ id, at, spend }) => [
    at,
    id,
    spend.budget,
    spend.win,
    BigInt(spend.amount),
    BigInt(spend.held ?? 0),
  ])
  const fresh = await insertRows(connection, trx, 'usage_budgets', values)
  const totals = new Map<string, Total>()
  for (const [index, { run, spend }] of all.entries()) if (fresh[index]) addTo(totals, run, spend)
  await addHeld(
    connection,
    trx,
    all.filter((_, index) => fresh[index]),
  )
  const crossings: ReachedThreshold[] = []
  const inOrder = [...totals].sort(([one], [other]) => (one < other ? -1 : 1))
  for (const [, total] of inOrder) crossings.push(...(await countTotal(connection, trx, total)))
  return storeAlerts(connection, trx, crossings)
}

/** Adds held amounts by key, in the order of their keys. */
async function addHeld(
  connection: StoreConnection,
  trx: WriteTransaction,
  counted: readonly (Pick<CountedRow, 'principal' | 'run'> & { readonly spend: Spend })[],
): Promise<void> {
  const sums = new Map<string, ColumnValue[]>()
  for (const { principal, run, spend } of counted) {
    const held = BigInt(spend.held ?? 0)
    if (held === 0n) continue
    const key = [spend.budget, spend.win, storable(principal), run]
    const known = sums.get(key.join('\0'))
    sums.set(key.join('\0'), [...key, held + BigInt(known?.[4]?.toString() ?? 0)])
  }
  await insertRows(
    connection,
    trx,
    'budget_held',
    [...sums].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, values]) => values),
    ADDED,
  )
}

function addTo(totals: Map<string, Total>, run: string, spend: Spend): void {
  const key = `${spend.budget}\0${spend.win}`
  const total = totals.get(key) ?? { first: spend, spent: 0n, used: new Map<string, bigint>() }
  totals.set(key, total)
  const amount = BigInt(spend.amount)
  total.spent += amount
  if (!spend.isFree) total.used.set(run, (total.used.get(run) ?? 0n) + amount)
}

async function countTotal(
  connection: StoreConnection,
  trx: WriteTransaction,
  { first, spent, used }: Total,
): Promise<ReachedThreshold[]> {
  const { budget, win } = first
  const window = await lockWindow(connection, trx, first)
  let leased = window.leased
  if (used.size > 0) {
    const leases = trx.selectFrom('budget_leases').select(['run', 'granted', 'used'])
    const own = await leases
      .where('budget', '=', budget)
      .where('win', '=', win)
      .where('run', 'in', [...used.keys()])
      .execute()
    for (const lease of own) {
      const after = { granted: lease.granted, used: lease.used + (used.get(lease.run) ?? 0n) }
      leased += remainingLease(after) - remainingLease(lease)
      const rows = trx.updateTable('budget_leases').set({ used: after.used })
      await rows.where('budget', '=', budget).where('win', '=', win).where('run', '=', lease.run).execute()
    }
  }
  const sum = smaller(window.spent + spent, MOST)
  await trx
    .updateTable('budget_windows')
    .set({ spent: sum, leased })
    .where('budget', '=', budget)
    .where('win', '=', win)
    .execute()
  const known = await knownBudget(trx, budget)
  if (!known) return []
  const { limit } = known
  const shares = reachedThresholds({ spent: window.spent, limit }, { spent: sum, limit })
  return shares.map((percent) => ({ budget: known, window: { ...window, spent: sum }, percent }))
}

/** Stores the alert for a used-up window, although a rest that is too small for the request may be left. */
export async function recordUsedUp(
  connection: StoreConnection,
  trx: WriteTransaction,
  { budget, win }: { readonly budget: string; readonly win: string },
): Promise<void> {
  const [known, window] = [await knownBudget(trx, budget), await knownWindow(connection, trx, { budget, win })]
  if (known && window) await storeAlerts(connection, trx, [{ budget: known, window, percent: 100 }])
}

async function knownBudget(trx: WriteTransaction, id: string): Promise<Budget | undefined> {
  const row = await trx
    .selectFrom('budgets')
    .selectAll()
    .where('id', '=', id)
    .where('removed_at', 'is', null)
    .executeTakeFirst()
  return row && budgetIn(row)
}
