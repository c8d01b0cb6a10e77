import { insertRows } from '../database/bulk.ts'
import type { StoreConnection } from '../database/connection.ts'
import { transact } from '../database/transaction.ts'
import type { PriceRow } from './row.ts'

/** All prices with their history, oldest first. */
export async function readPrices({ db }: StoreConnection): Promise<PriceRow[]> {
  const rows = await db.selectFrom('prices').selectAll().orderBy('valid_from').orderBy('id').execute()
  return rows.map(({ id, provider, model, source, valid_from, rates }) => ({
    id,
    provider,
    model,
    source: source === 'config' || source === 'store' ? source : 'catalog',
    validFrom: Number(valid_from),
    rates: JSON.parse(rates),
  }))
}

/** Writes rows that are not stored yet. */
export async function addPrices(connection: StoreConnection, rows: readonly PriceRow[]): Promise<void> {
  const values = rows.map(({ id, provider, model, source, validFrom, rates }) => [
    ...[id, provider, model, source],
    ...[validFrom, JSON.stringify(rates)],
  ])
  await transact(connection, (trx) => insertRows(connection, trx, 'prices', values))
}
