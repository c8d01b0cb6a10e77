import { HeadgateError } from '@headgate/gateway/ports'
import { note } from '../audit/audit.ts'
import { missing } from '../database/input.ts'
import type { Parts } from '../parts.ts'
import { givenPassword, newPassword } from '../passwords/password.ts'
import { type Caller, checkStrong, personOf } from '../roles/caller.ts'
import type { AccountsTransaction } from '../schema/tables.ts'
import { endSessions, type NewSession, renewSession } from '../sessions/sessions.ts'
import { noteRefusal } from '../sign-in/sign-in.ts'
import { attempted, forgive } from '../sign-in/throttle.ts'
import { inTransaction } from '../transaction.ts'
import { homeOf } from './home.ts'

export interface PasswordChange {
  /** Current password; absent if the person has none. */
  readonly current?: string
  readonly password: string
}

/**
 * Changes the password of the caller. Other sessions end, and this session gets another token. @throws HeadgateError
 * `bad-key` for a wrong current password, `over-limit` after 5 of them.
 */
export async function changePassword(
  parts: Parts,
  caller: Caller,
  { current, password }: PasswordChange,
): Promise<NewSession> {
  const { id, session } = personOf(caller)
  newPassword(password)
  const known = await passwordOf(parts, id)
  if (known.password === null) checkStrong(caller, parts.now())
  else await checkPassword(parts, caller, current)
  const hash = await parts.hasher.hash(password)
  return inTransaction(parts, async (trx, now) => {
    const update = trx.updateTable('people').set({ password: hash }).where('id', '=', id)
    const same =
      known.password === null ? update.where('password', 'is', null) : update.where('password', '=', known.password)
    if (!(await same.returning('id').executeTakeFirst())) throw changedMeanwhile()
    await endSessions(trx, id, session)
    await dropResets(trx, id)
    await note(trx, caller, { action: 'person.password', target: id, organization: await homeOf(trx, id) }, now)
    return renewSession(trx, session, { isStrong: true, now })
  })
}

/**
 * Confirms the identity of the caller with the password, which allows sensitive actions for 15 minutes. The session
 * gets another token.
 * @throws HeadgateError `bad-key`, `over-limit`.
 */
export async function confirmByPassword(parts: Parts, caller: Caller, password: string): Promise<NewSession> {
  const { id, session } = personOf(caller)
  await checkPassword(parts, caller, password)
  return inTransaction(parts, async (trx, now) => {
    await note(trx, caller, { action: 'session.confirm', target: session, organization: await homeOf(trx, id) }, now)
    return renewSession(trx, session, { isStrong: true, now })
  })
}

async function checkPassword(parts: Parts, caller: Caller, given: string | undefined): Promise<void> {
  const { id, session, address, agent, requestId } = personOf(caller)
  const { password } = await passwordOf(parts, id)
  // Failures of strangers at the account do not delay a signed-in person.
  const attempt = { device: `${id} ${session}` }
  const { isRight } = await attempted(parts, attempt, () => parts.hasher.verify(givenPassword(given), password))
  if (!isRight) {
    await noteRefusal(parts, { address, agent, requestId }, 'password', id)
    throw new HeadgateError('bad-key', 'The password is wrong.')
  }
  await inTransaction(parts, (trx) => forgive(trx, parts.keys, attempt))
}

async function passwordOf({ connection }: Parts, id: string): Promise<{ password: string | null }> {
  const row = await connection.db.selectFrom('people').select('password').where('id', '=', id).executeTakeFirst()
  if (!row) throw missing('person')
  return row
}

/** Deletes unused links for a new password. */
export async function dropResets(trx: AccountsTransaction, person: string): Promise<void> {
  await trx
    .deleteFrom('links')
    .where('kind', '=', 'reset')
    .where('person', '=', person)
    .where('used_at', 'is', null)
    .execute()
}

function changedMeanwhile(): HeadgateError {
  return new HeadgateError('conflict', 'The password was changed in the meantime. Sign in again.')
}
