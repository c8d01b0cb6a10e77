import type { Budget } from '@headgate/gateway/ports'
import { insertRows, type OnConflict } from '../database/bulk.ts'
import type { Connection } from '../database/connection.ts'
import { storable } from '../database/group.ts'
import type { Writing } from '../database/transaction.ts'
import type { Value } from '../schema/declare.ts'
import { outstanding, smaller } from './amounts.ts'
import { type Crossing, noteCrossings, sharesCrossed } from './crossing.ts'
import { budgetIn } from './defined.ts'
import type { Spend } from './spend.ts'
import { knownWindow, lockWindow } from './windows.ts'

/** Amounts of a row, and the process run that reserved them. */
export interface Counted {
  /** Id of the row. */
  readonly id: string
  readonly at: number
  /** Id of the key. */
  readonly principal: string
  readonly life: string
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
export async function countSpends(connection: Connection, trx: Writing, rows: readonly Counted[]): Promise<number> {
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
  for (const [index, { life, spend }] of all.entries()) if (fresh[index]) addTo(totals, life, spend)
  await addHeld(
    connection,
    trx,
    all.filter((_, index) => fresh[index]),
  )
  const crossings: Crossing[] = []
  const inOrder = [...totals].sort(([one], [other]) => (one < other ? -1 : 1))
  for (const [, total] of inOrder) crossings.push(...(await countTotal(connection, trx, total)))
  return noteCrossings(connection, trx, crossings)
}

/** Adds held amounts by key, in the order of their keys. */
async function addHeld(
  connection: Connection,
  trx: Writing,
  counted: readonly (Pick<Counted, 'principal' | 'life'> & { readonly spend: Spend })[],
): Promise<void> {
  const sums = new Map<string, Value[]>()
  for (const { principal, life, spend } of counted) {
    const held = BigInt(spend.held ?? 0)
    if (held === 0n) continue
    const key = [spend.budget, spend.win, storable(principal), life]
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

function addTo(totals: Map<string, Total>, life: string, spend: Spend): void {
  const key = `${spend.budget}\0${spend.win}`
  const total = totals.get(key) ?? { first: spend, spent: 0n, used: new Map<string, bigint>() }
  totals.set(key, total)
  const amount = BigInt(spend.amount)
  total.spent += amount
  if (!spend.isFree) total.used.set(life, (total.used.get(life) ?? 0n) + amount)
}

async function countTotal(connection: Connection, trx: Writing, { first, spent, used }: Total): Promise<Crossing[]> {
  const { budget, win } = first
  const window = await lockWindow(connection, trx, first)
  let leased = window.leased
  if (used.size > 0) {
    const leases = trx.selectFrom('budget_leases').select(['life', 'granted', 'used'])
    const own = await leases
      .where('budget', '=', budget)
      .where('win', '=', win)
      .where('life', 'in', [...used.keys()])
      .execute()
    for (const lease of own) {
      const after = { granted: lease.granted, used: lease.used + (used.get(lease.life) ?? 0n) }
      leased += outstanding(after) - outstanding(lease)
      const rows = trx.updateTable('budget_leases').set({ used: after.used })
      await rows.where('budget', '=', budget).where('win', '=', win).where('life', '=', lease.life).execute()
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
  const shares = sharesCrossed({ spent: window.spent, limit }, { spent: sum, limit })
  return shares.map((percent) => ({ budget: known, window: { ...window, spent: sum }, percent }))
}

/** Stores the alert for a used-up window, although a rest that is too small for the request may be left. */
export async function noteUsedUp(
  connection: Connection,
  trx: Writing,
  { budget, win }: { readonly budget: string; readonly win: string },
): Promise<void> {
  const [known, window] = [await knownBudget(trx, budget), await knownWindow(connection, trx, { budget, win })]
  if (known && window) await noteCrossings(connection, trx, [{ budget: known, window, percent: 100 }])
}

async function knownBudget(trx: Writing, id: string): Promise<Budget | undefined> {
  const row = await trx
    .selectFrom('budgets')
    .selectAll()
    .where('id', '=', id)
    .where('removed_at', 'is', null)
    .executeTakeFirst()
  return row && budgetIn(row)
}
