import type { RowValues } from '../database/bulk.ts'
import type { StoreConnection } from '../database/connection.ts'
import { listed } from '../database/listed.ts'
import { runSql, type WriteTransaction } from '../database/transaction.ts'
import type { TableRow } from '../schema/tables.ts'

export interface WindowKey {
  readonly budget: string
  readonly win: string
  readonly startsAt: number
  readonly endsAt?: number | undefined
}

/**
 * Window with a write lock until the end of the transaction, created if it does not exist. Its leases change only under
 * this lock. Lock several windows in the order of their keys.
 */
export async function lockWindow(
  connection: StoreConnection,
  trx: WriteTransaction,
  { budget, win, startsAt, endsAt }: WindowKey,
): Promise<TableRow<'budget_windows'>> {
  const known = await knownWindow(connection, trx, { budget, win })
  if (known) return known
  await trx
    .insertInto('budget_windows')
    .values({ budget, win, starts_at: startsAt, ends_at: endsAt ?? null, spent: 0, leased: 0, recall: 0 })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  const made = await knownWindow(connection, trx, { budget, win })
  if (!made) throw new Error('The created budget window does not exist.')
  return made
}

/** Values of a new window. */
export function newWindow({ budget, win, startsAt, endsAt }: WindowKey): RowValues {
  return [budget, win, startsAt, endsAt ?? null, 0, 0, 0]
}

/** Existing windows with a write lock until the end of the transaction, in the order of their keys. */
export async function lockWindows(
  { kind }: StoreConnection,
  trx: WriteTransaction,
  keys: readonly Pick<WindowKey, 'budget' | 'win'>[],
): Promise<readonly TableRow<'budget_windows'>[]> {
  const text = `SELECT b.* FROM ${listed(kind, ['budget', 'win'])}
    JOIN budget_windows AS b ON b.budget = w.budget AND b.win = w.win ORDER BY b.budget, b.win
    ${kind === 'postgres' ? 'FOR NO KEY UPDATE OF b' : ''}`
  const rows = await runSql(trx, text, [JSON.stringify(keys.map(({ budget, win }) => [budget, win]))])
  return rows as TableRow<'budget_windows'>[]
}

/** Locked window; undefined if it does not exist. */
export function knownWindow(
  connection: StoreConnection,
  trx: WriteTransaction,
  { budget, win }: Pick<WindowKey, 'budget' | 'win'>,
): Promise<TableRow<'budget_windows'> | undefined> {
  const rows = trx.selectFrom('budget_windows').selectAll().where('budget', '=', budget).where('win', '=', win)
  return (connection.kind === 'postgres' ? rows.forNoKeyUpdate() : rows).executeTakeFirst()
}
