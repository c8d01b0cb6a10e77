import type { Writing } from '../schema/tables.ts'

/**
 * Tells all processes, once the transaction is over, that they have to look up keys again: what their creators may do
 * has changed.
 */
export async function noteKeysChanged(trx: Writing): Promise<void> {
  await trx
    .insertInto('changes')
    .values({ topic: 'keys', version: 1 })
    .onConflict((conflict) =>
      conflict.column('topic').doUpdateSet((row) => ({ version: row('changes.version', '+', 1n) })),
    )
    .execute()
}
