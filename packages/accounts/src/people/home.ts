import type { AccountsTransaction } from '../schema/tables.ts'

/** Organization whose audit log records personal actions: the first that the person joined. */
export async function homeOf(
  trx: Pick<AccountsTransaction, 'selectFrom'>,
  person: string | undefined,
): Promise<string | undefined> {
  if (person === undefined) return undefined
  const row = await trx
    .selectFrom('memberships')
    .select('organization')
    .where('person', '=', person)
    .orderBy('created_at')
    .orderBy('organization')
    .limit(1)
    .executeTakeFirst()
  return row?.organization
}
