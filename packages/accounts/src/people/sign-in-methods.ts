import { HeadgateError } from '@headgate/gateway/ports'
import type { AccountsTransaction } from '../schema/tables.ts'

/** Checks that a person can still sign in. @throws HeadgateError `conflict` without a password, passkey or provider. */
export async function checkSignInMethod(trx: AccountsTransaction, person: string): Promise<void> {
  // This lock serializes concurrent removals.
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
  throw new HeadgateError('conflict', 'This is your last sign-in method. Set a password first.')
}
