import { HeadgateError } from '@headgate/gateway/ports'
import { note } from '../audit/audit.ts'
import { idOf, missing, normalEmail } from '../database/input.ts'
import { orUndefined } from '../database/or-undefined.ts'
import type { Parts } from '../parts.ts'
import { newPassword } from '../passwords/password.ts'
import { allow, type Caller, checkResets, checkStrong, type RequestOrigin } from '../roles/caller.ts'
import { isRole } from '../roles/roles.ts'
import { endSessions, type NewSession } from '../sessions/sessions.ts'
import { enter } from '../sign-in/sign-in.ts'
import { forgive } from '../sign-in/throttle.ts'
import { inTransaction } from '../transaction.ts'
import { homeOf } from './home.ts'
import { checkLink, type Link, makeLink, takeLink } from './links.ts'
import { dropResets } from './password.ts'
import { checkOperator } from './people.ts'

/** Maximum number of open links for a new password per person. */
const OPEN = 5

/**
 * Link for a forgotten password, to be sent only to the mail address; undefined if it has no account. Call
 * `countAsking` first. Respond before this resolves, because its result and duration reveal whether the account exists.
 */
export async function forgotten(
  parts: Parts,
  email: string,
  origin: RequestOrigin,
): Promise<(Link & { readonly email: string }) | undefined> {
  const normal = normalEmail(email)
  return inTransaction(parts, async (trx, now) => {
    const query = trx
      .selectFrom('people')
      .select('id')
      .where('email', '=', normal ?? '')
      .where('disabled_at', 'is', null)
    const person = await query.executeTakeFirst()
    if (!person || normal === undefined) return undefined
    const open = trx.selectFrom('links').select('hash').where('kind', '=', 'reset').where('person', '=', person.id)
    const links = await open.where('used_at', 'is', null).where('expires_at', '>', BigInt(now)).limit(OPEN).execute()
    if (links.length === OPEN) return undefined
    const link = await makeLink(trx, { kind: 'reset', person: person.id }, now)
    const caller: Caller = { kind: 'anonymous', ...origin }
    await note(
      trx,
      caller,
      { action: 'person.reset-link', target: person.id, organization: await homeOf(trx, person.id) },
      now,
    )
    return { ...link, email: normal }
  })
}

/**
 * Link for another person, to be passed on to them. The caller must manage all their organizations, because the link
 * gives access to all of them. Only owners can create links for admins. Sensitive.
 */
export function resetLink(parts: Parts, caller: Caller, organization: string, person: string): Promise<Link> {
  return inTransaction(parts, async (trx, now) => {
    await allow(trx, caller, organization, 'members.write')
    const id = idOf(person)
    const memberships = await trx
      .selectFrom('memberships')
      .select(['organization', 'role'])
      .where('person', '=', id)
      .execute()
    if (!memberships.some((one) => one.organization === organization)) throw missing('member')
    checkStrong(caller, now)
    for (const one of memberships) {
      const allowed = await orUndefined(allow(trx, caller, one.organization, 'members.write'))
      if (!allowed)
        throw new HeadgateError(
          'forbidden',
          'This person belongs to an organization that you do not manage. Contact the operator.',
        )
      if (isRole(one.role)) checkResets(allowed.role, one.role)
    }
    await dropResets(trx, id)
    await note(trx, caller, { action: 'person.reset-link', target: id, organization }, now)
    return makeLink(trx, { kind: 'reset', person: id }, now)
  })
}

/** Link for a new password by mail address, for the operator. */
export function resetByOperator(parts: Parts, caller: Caller, email: string): Promise<Link> {
  checkOperator(caller)
  return inTransaction(parts, async (trx, now) => {
    const row = await trx
      .selectFrom('people')
      .select('id')
      .where('email', '=', normalEmail(email) ?? '')
      .executeTakeFirst()
    if (!row) throw missing('person')
    await note(
      trx,
      caller,
      { action: 'person.reset-link', target: row.id, organization: await homeOf(trx, row.id) },
      now,
    )
    return makeLink(trx, { kind: 'reset', person: row.id }, now)
  })
}

/**
 * Sets a new password with a link, once, within an hour. All sessions of the person end, and a new one begins.
 * @throws HeadgateError `not-found` for a used or expired link.
 */
export async function resetPassword(
  parts: Parts,
  token: string,
  password: string,
  origin: RequestOrigin,
): Promise<NewSession> {
  const { connection, hasher, keys, now } = parts
  await checkLink(connection.db, 'reset', token, now())
  const hash = await hasher.hash(newPassword(password))
  return inTransaction(parts, async (trx, at) => {
    const { person } = await takeLink(trx, 'reset', token, at)
    const update = trx
      .updateTable('people')
      .set({ password: hash })
      .where('id', '=', person ?? '')
      .where('disabled_at', 'is', null)
    const row = await update.returning(['id', 'email']).executeTakeFirst()
    if (!row) throw missing('person')
    await endSessions(trx, row.id)
    await dropResets(trx, row.id)
    if (row.email !== null) await forgive(trx, keys, { email: row.email })
    const caller: Caller = { kind: 'anonymous', ...origin }
    await note(
      trx,
      caller,
      { action: 'person.password', target: row.id, organization: await homeOf(trx, row.id), after: { by: 'link' } },
      at,
    )
    return enter(trx, { person: row.id, method: 'link', origin, now: at })
  })
}
