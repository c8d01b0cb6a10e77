import type { Budget } from '@headgate/gateway/ports'
import { insertAll, insertRows, type OnConflict, type RowValues } from '../database/bulk.ts'
import type { StoreConnection } from '../database/connection.ts'
import { storable } from '../database/group.ts'
import { listed } from '../database/listed.ts'
import { runSql, type WriteTransaction } from '../database/transaction.ts'
import type { ColumnValue } from '../schema/declare.ts'
import type { TableRow } from '../schema/tables.ts'
import { remainingLease, smaller } from './amounts.ts'
import { budgetIn } from './defined.ts'
import type { Spend } from './spend.ts'
import { type ReachedThreshold, reachedThresholds, storeAlerts } from './threshold.ts'
import { knownWindow, lockWindows, newWindow } from './windows.ts'

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
  return addTotals(connection, trx, await insertSpends(connection, trx, rows))
}

/** Amounts that rows add to a window. */
export interface SpendTotal {
  readonly first: Spend
  spent: bigint
  /** Part of `spent` by process run, charged to its lease. */
  readonly used: Map<string, bigint>
}

/** Writes the amounts of rows. Resolves with what new ones add to each window, for `addTotals`. */
export async function insertSpends(
  connection: StoreConnection,
  trx: WriteTransaction,
  rows: readonly CountedRow[],
): Promise<readonly SpendTotal[]> {
  const all = rows.flatMap(({ spends, ...row }) => spends.map((spend) => ({ ...row, spend })))
  if (all.length === 0) return []
  const values = all.map(({ id, at, spend }) => [
    at,
    id,
    spend.budget,
    spend.win,
    BigInt(spend.amount),
    BigInt(spend.held ?? 0),
  ])
  const fresh = await insertRows(connection, trx, 'usage_budgets', values)
  const totals = new Map<string, SpendTotal>()
  for (const [index, { run, spend }] of all.entries()) if (fresh[index]) addTo(totals, run, spend)
  const inOrder = [...totals].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, total]) => total)
  const windows = inOrder.map(({ first }) => newWindow(first))
  await insertAll(connection, trx, [
    { table: 'budget_windows', rows: windows, onConflict: 'nothing' },
    { table: 'budget_held', rows: heldValues(all.filter((_, index) => fresh[index])), onConflict: ADDED },
  ])
  return inOrder
}

/** Held amounts by key, in the order of their keys. */
function heldValues(
  counted: readonly (Pick<CountedRow, 'principal' | 'run'> & { readonly spend: Spend })[],
): RowValues[] {
  const sums = new Map<string, ColumnValue[]>()
  for (const { principal, run, spend } of counted) {
    const held = BigInt(spend.held ?? 0)
    if (held === 0n) continue
    const key = [spend.budget, spend.win, storable(principal), run]
    const known = sums.get(key.join('\0'))
    sums.set(key.join('\0'), [...key, held + BigInt(known?.[4]?.toString() ?? 0)])
  }
  return [...sums].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, values]) => values)
}

function addTo(totals: Map<string, SpendTotal>, run: string, spend: Spend): void {
  const key = keyOf(spend)
  const total = totals.get(key) ?? { first: spend, spent: 0n, used: new Map<string, bigint>() }
  totals.set(key, total)
  const amount = BigInt(spend.amount)
  total.spent += amount
  if (!spend.isFree) total.used.set(run, (total.used.get(run) ?? 0n) + amount)
}

/**
 * Adds totals to their windows and leases, with few statements: leases of requests wait for these windows. Resolves with
 * the number of new alerts.
 */
export async function addTotals(
  connection: StoreConnection,
  trx: WriteTransaction,
  totals: readonly SpendTotal[],
): Promise<number> {
  if (totals.length === 0) return 0
  const byWindow = new Map(totals.map((total) => [keyOf(total.first), total]))
  const windows = await lockWindows(
    connection,
    trx,
    totals.map(({ first }) => first),
  )
  const leases = await leasesOf(connection, trx, totals)
  const changed = windows.map((window) => {
    const { spent = 0n, used } = byWindow.get(keyOf(window)) ?? {}
    const own = leases.filter((lease) => keyOf(lease) === keyOf(window))
    const after = own.map((lease) => ({ ...lease, used: lease.used + (used?.get(lease.run) ?? 0n) }))
    const leased = after.reduce(
      (sum, lease, index) => sum + remainingLease(lease) - remainingLease(own[index] ?? lease),
      window.leased,
    )
    return { before: window.spent, window: { ...window, spent: smaller(window.spent + spent, MOST), leased }, after }
  })
  await storeTotals(connection, trx, {
    windows: changed.map(({ window: { budget, win, spent, leased } }) => ({ budget, win, spent, leased })),
    leases: changed.flatMap(({ after }) => after).map(({ budget, win, run, used }) => ({ budget, win, run, used })),
  })
  const budgets = await knownBudgets(
    trx,
    windows.map(({ budget }) => budget),
  )
  const crossings = changed.flatMap(({ before, window }): ReachedThreshold[] => {
    const budget = budgets.get(window.budget)
    if (!budget) return []
    const { limit } = budget
    const reached = reachedThresholds({ spent: before, limit }, { spent: window.spent, limit })
    return reached.map((percent) => ({ budget, window, percent }))
  })
  return storeAlerts(connection, trx, crossings)
}

function keyOf({ budget, win }: Pick<Spend, 'budget' | 'win'>): string {
  return `${budget}\0${win}`
}

type UsedLease = Pick<TableRow<'budget_leases'>, 'budget' | 'win' | 'run' | 'granted' | 'used'>

async function leasesOf(
  { kind }: StoreConnection,
  trx: WriteTransaction,
  totals: readonly SpendTotal[],
): Promise<readonly UsedLease[]> {
  const keys = totals.flatMap(({ first: { budget, win }, used }) => [...used.keys()].map((run) => [budget, win, run]))
  if (keys.length === 0) return []
  const text = `SELECT l.budget, l.win, l.run, l.granted, l.used FROM ${listed(kind, ['budget', 'win', 'run'])}
    JOIN budget_leases AS l ON l.budget = w.budget AND l.win = w.win AND l.run = w.run`
  return (await runSql(trx, text, [JSON.stringify(keys)])) as UsedLease[]
}

interface StoredTotals {
  readonly windows: readonly Pick<TableRow<'budget_windows'>, 'budget' | 'win' | 'spent' | 'leased'>[]
  readonly leases: readonly Omit<UsedLease, 'granted'>[]
}

async function storeTotals(
  { kind }: StoreConnection,
  trx: WriteTransaction,
  { windows, leases }: StoredTotals,
): Promise<void> {
  if (kind === 'postgres') {
    await runSql(
      trx,
      `WITH l AS (
         UPDATE budget_leases AS l SET used = r.used
         FROM json_to_recordset($1::json) AS r(budget text, win text, run text, used int8)
         WHERE l.budget = r.budget AND l.win = r.win AND l.run = r.run)
       UPDATE budget_windows AS b SET spent = r.spent, leased = r.leased
       FROM json_to_recordset($2::json) AS r(budget text, win text, spent int8, leased int8)
       WHERE b.budget = r.budget AND b.win = r.win`,
      [leases, windows].map((rows) =>
        JSON.stringify(rows, (_, value) => (typeof value === 'bigint' ? String(value) : value)),
      ),
    )
    return
  }
  for (const { budget, win, run, used } of leases) {
    const rows = trx.updateTable('budget_leases').set({ used })
    await rows.where('budget', '=', budget).where('win', '=', win).where('run', '=', run).execute()
  }
  for (const { budget, win, spent, leased } of windows) {
    const rows = trx.updateTable('budget_windows').set({ spent, leased })
    await rows.where('budget', '=', budget).where('win', '=', win).execute()
  }
}

/** Stores the alert for a used-up window, although a rest that is too small for the request may be left. */
export async function recordUsedUp(
  connection: StoreConnection,
  trx: WriteTransaction,
  { budget, win }: { readonly budget: string; readonly win: string },
): Promise<void> {
  const [known, window] = [
    (await knownBudgets(trx, [budget])).get(budget),
    await knownWindow(connection, trx, { budget, win }),
  ]
  if (known && window) await storeAlerts(connection, trx, [{ budget: known, window, percent: 100 }])
}

async function knownBudgets(trx: WriteTransaction, ids: readonly string[]): Promise<ReadonlyMap<string, Budget>> {
  const rows = trx.selectFrom('budgets').selectAll().where('id', 'in', ids).where('removed_at', 'is', null)
  return new Map((await rows.execute()).map((row) => [row.id, budgetIn(row)]))
}
