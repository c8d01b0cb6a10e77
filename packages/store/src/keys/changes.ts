import { insertRows } from '../database/bulk.ts'
import type { Connection } from '../database/connection.ts'
import type { Writing } from '../database/transaction.ts'

/** What processes remember of the store. */
export type Topic = 'keys' | 'budgets' | 'recalls' | 'prices'

/** Tells all processes, once the transaction is over, that what they remember of a topic may be wrong. */
export async function noteChange(connection: Connection, trx: Writing, topic: Topic): Promise<void> {
  await insertRows(connection, trx, 'changes', [[topic, 1]], { set: { version: 'add' } })
}

/** A number that rises with each change of a topic, 0 before the first. One read of one row. */
export async function changesOf({ db }: Connection, topic: Topic): Promise<number> {
  const row = await db.selectFrom('changes').select('version').where('topic', '=', topic).executeTakeFirst()
  return Number(row?.version ?? 0n)
}

/** The same of all topics: those of which there is none have not changed yet. */
export async function versionsOf({ db }: Connection): Promise<Readonly<Record<string, number>>> {
  const rows = await db.selectFrom('changes').selectAll().execute()
  return Object.fromEntries(rows.map(({ topic, version }) => [topic, Number(version)]))
}
