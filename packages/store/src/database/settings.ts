import type { Connection } from './connection.ts'
import type { Writing } from './transaction.ts'

/**
 * What the store knows of itself: from when on it has every row of `usage`, in Unix milliseconds, in which time zone
 * its days begin, and in which they did where that is changing.
 */
export type Setting = 'usage_from' | 'zone' | 'zone_before'

export async function readSetting({ db }: Connection, name: Setting): Promise<string | undefined> {
  return (await db.selectFrom('settings').select('value').where('name', '=', name).executeTakeFirst())?.value
}

export async function writeSetting(trx: Writing, name: Setting, value: string): Promise<void> {
  await trx
    .insertInto('settings')
    .values({ name, value })
    .onConflict((conflict) => conflict.column('name').doUpdateSet({ value }))
    .execute()
}
