import type { StoreConnection } from '../database/connection.ts'
import type { WriteTransaction } from '../database/transaction.ts'
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

/** Locked window; undefined if it does not exist. */
export function knownWindow(
  connection: StoreConnection,
  trx: WriteTransaction,
  { budget, win }: Pick<WindowKey, 'budget' | 'win'>,
): Promise<TableRow<'budget_windows'> | undefined> {
  const rows = trx.selectFrom('budget_windows').selectAll().where('budget', '=', budget).where('win', '=', win)
  return (connection.kind === 'postgres' ? rows.forNoKeyUpdate() : rows).executeTakeFirst()
}
