import type { Writing } from '../schema/tables.ts'

/** The organization whose audit log says what somebody does for themself: the first that they joined. */
export async function homeOf(
  trx: Pick<Writing, 'selectFrom'>,
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
