import { note } from '../audit/audit.ts'
import { missing, nameOf } from '../database/input.ts'
import type { Parts } from '../parts.ts'
import { homeOf } from '../people/home.ts'
import { checkSignInMethod } from '../people/sign-in-methods.ts'
import { type Caller, checkStrong, personOf } from '../roles/caller.ts'
import type { AccountsRow } from '../schema/tables.ts'
import { inTransaction } from '../transaction.ts'
import { credentialId } from './credential-id.ts'

/** Passkey of a person. Times are Unix milliseconds. */
export interface Passkey {
  readonly id: string
  readonly name: string
  readonly createdAt: number
  readonly usedAt?: number
}

/** Passkeys of the caller in order of creation. */
export async function listPasskeys({ connection }: Parts, caller: Caller): Promise<readonly Passkey[]> {
  const query = connection.db.selectFrom('passkeys').selectAll().where('person', '=', personOf(caller).id)
  return (await query.orderBy('created_at').orderBy('id').execute()).map(passkeyFrom)
}

export function renamePasskey(parts: Parts, caller: Caller, passkey: string, name: string): Promise<void> {
  const { id: person } = personOf(caller)
  const next = nameOf(name)
  return inTransaction(parts, async (trx, now) => {
    const update = trx
      .updateTable('passkeys')
      .set({ name: next })
      .where('id', '=', credentialId(passkey))
      .where('person', '=', person)
    const row = await update.returning('id').executeTakeFirst()
    if (!row) throw missing('passkey')
    const act = {
      action: 'passkey.rename',
      target: row.id,
      organization: await homeOf(trx, person),
      after: { name: next },
    }
    await note(trx, caller, act, now)
  })
}

/** Removes a passkey. Sensitive. @throws HeadgateError `conflict` for the last sign-in method. */
export function removePasskey(parts: Parts, caller: Caller, passkey: string): Promise<void> {
  const { id: person } = personOf(caller)
  return inTransaction(parts, async (trx, now) => {
    checkStrong(caller, now)
    const remove = trx.deleteFrom('passkeys').where('id', '=', credentialId(passkey)).where('person', '=', person)
    const row = await remove.returning(['id', 'name']).executeTakeFirst()
    if (!row) throw missing('passkey')
    await checkSignInMethod(trx, person)
    const act = {
      action: 'passkey.remove',
      target: row.id,
      organization: await homeOf(trx, person),
      before: { name: row.name },
    }
    await note(trx, caller, act, now)
  })
}

export function passkeyFrom({ id, name, created_at, used_at }: AccountsRow<'passkeys'>): Passkey {
  return { id, name, createdAt: Number(created_at), ...(used_at !== null && { usedAt: Number(used_at) }) }
}
