import type { AccountsTransaction } from '../schema/tables.ts'

/** Makes all processes reload keys after the transaction, because permissions of their creators have changed. */
export async function noteKeysChanged(trx: AccountsTransaction): Promise<void> {
  await trx
    .insertInto('changes')
    .values({ topic: 'keys', version: 1 })
    .onConflict((conflict) =>
      conflict.column('topic').doUpdateSet((row) => ({ version: row('changes.version', '+', 1n) })),
    )
    .execute()
}
