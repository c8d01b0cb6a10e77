import type { Writing } from '../schema/tables.ts'

/** The organisation whose audit log says what somebody does for themself: the first that they joined. */
export async function homeOf(
  trx: Pick<Writing, 'selectFrom'>,
  person: string | undefined,
): Promise<string | undefined> {
  if (person === undefined) return undefined
  const row = await trx
    .selectFrom('memberships')
    .select('organisation')
    .where('person', '=', person)
    .orderBy('created_at')
    .orderBy('organisation')
    .limit(1)
    .executeTakeFirst()
  return row?.organisation
}
