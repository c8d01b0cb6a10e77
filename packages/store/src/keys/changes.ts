import { insertRows } from '../database/bulk.ts'
import type { StoreConnection } from '../database/connection.ts'
import type { WriteTransaction } from '../database/transaction.ts'

/** Data of the store that processes cache. */
export type ChangeTopic = 'keys' | 'budgets' | 'recalls' | 'prices' | 'credentials'

/** Invalidates what all processes have cached of a topic, once the transaction is committed. */
export async function recordChange(
  connection: StoreConnection,
  trx: WriteTransaction,
  topic: ChangeTopic,
): Promise<void> {
  await insertRows(connection, trx, 'changes', [[topic, 1]], { set: { version: 'add' } })
}

/** Number that increases with each change of a topic, 0 before the first. Reads a single row. */
export async function changesOf({ db }: StoreConnection, topic: ChangeTopic): Promise<number> {
  const row = await db.selectFrom('changes').select('version').where('topic', '=', topic).executeTakeFirst()
  return Number(row?.version ?? 0n)
}

/** Numbers of all topics. Topics without a change are absent. */
export async function versionsOf({ db }: StoreConnection): Promise<Readonly<Record<string, number>>> {
  const rows = await db.selectFrom('changes').selectAll().execute()
  return Object.fromEntries(rows.map(({ topic, version }) => [topic, Number(version)]))
}
