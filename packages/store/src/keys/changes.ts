import { insertRows } from '../database/bulk.ts'
import type { Connection } from '../database/connection.ts'
import type { Writing } from '../database/transaction.ts'

/** Data of the store that processes cache. */
export type Topic = 'keys' | 'budgets' | 'recalls' | 'prices'

/** Invalidates what all processes have cached of a topic, once the transaction is committed. */
export async function noteChange(connection: Connection, trx: Writing, topic: Topic): Promise<void> {
  await insertRows(connection, trx, 'changes', [[topic, 1]], { set: { version: 'add' } })
}

/** Number that increases with each change of a topic, 0 before the first. Reads a single row. */
export async function changesOf({ db }: Connection, topic: Topic): Promise<number> {
  const row = await db.selectFrom('changes').select('version').where('topic', '=', topic).executeTakeFirst()
  return Number(row?.version ?? 0n)
}

/** Numbers of all topics. Topics without a change are absent. */
export async function versionsOf({ db }: Connection): Promise<Readonly<Record<string, number>>> {
  const rows = await db.selectFrom('changes').selectAll().execute()
  return Object.fromEntries(rows.map(({ topic, version }) => [topic, Number(version)]))
}
