import { HeadgateError } from '@headgate/gateway/ports'
import type { Writing } from '../schema/tables.ts'

/** @throws HeadgateError `conflict` where somebody has no way left to sign in: no password, passkey or provider. */
export async function checkWayIn(trx: Writing, person: string): Promise<void> {
  // Who removes two at once waits here.
  const own = await trx
    .updateTable('people')
    .set({ id: person })
    .where('id', '=', person)
    .returning('password')
    .executeTakeFirst()
  if (own?.password) return
  if (await trx.selectFrom('passkeys').select('id').where('person', '=', person).limit(1).executeTakeFirst()) return
  if (await trx.selectFrom('identities').select('subject').where('person', '=', person).limit(1).executeTakeFirst())
    return
  throw new HeadgateError('conflict', 'It is your last way to sign in. Set a password first.')
}
