import type { StoreConnection } from './connection.ts'
import type { WriteTransaction } from './transaction.ts'

/**
 * Setting of a store: the time since which it has every row of `usage` in Unix milliseconds, the time zone of its days,
 * their previous time zone while days move, and the last deletion of expired data in Unix milliseconds.
 */
export type Setting = 'usage_from' | 'zone' | 'zone_before' | 'retained_at'

export async function readSetting({ db }: StoreConnection, name: Setting): Promise<string | undefined> {
  return (await db.selectFrom('settings').select('value').where('name', '=', name).executeTakeFirst())?.value
}

export async function readSettings<Name extends Setting>(
  { db }: StoreConnection,
  names: readonly Name[],
): Promise<Partial<Record<Name, string>>> {
  const rows = await db.selectFrom('settings').selectAll().where('name', 'in', names).execute()
  return Object.fromEntries(rows.map(({ name, value }) => [name, value])) as Partial<Record<Name, string>>
}

export async function writeSetting(trx: WriteTransaction, name: Setting, value: string): Promise<void> {
  await trx
    .insertInto('settings')
    .values({ name, value })
    .onConflict((conflict) => conflict.column('name').doUpdateSet({ value }))
    .execute()
}
