import { HeadgateError } from '@headgate/gateway/ports'
import { note } from '../audit/audit.ts'
import { hashToken, newId, newToken } from '../database/ids.ts'
import { emailOf, idOf, missing, nameOf, wrong } from '../database/input.ts'
import type { Parts } from '../parts.ts'
import { newPassword } from '../passwords/password.ts'
import { addTo, type Claim } from '../people/first.ts'
import {
  allow,
  type Caller,
  checkManages,
  checkStrong,
  memberRole,
  personBehind,
  personOf,
  type RequestOrigin,
} from '../roles/caller.ts'
import { isRole, mayManage, type Role } from '../roles/roles.ts'
import type { AccountsRow, AccountsTransaction } from '../schema/tables.ts'
import { isToken, type NewSession, renewSession } from '../sessions/sessions.ts'
import { enter } from '../sign-in/sign-in.ts'
import { attempted, forgive } from '../sign-in/throttle.ts'
import { inTransaction } from '../transaction.ts'
import { addMember, findOrganization } from './organizations.ts'

/** Unused invitation. Times are Unix milliseconds. */
export interface Invite {
  readonly id: string
  readonly role: Role
  /** Mail address that can accept the invitation; absent = any. */
  readonly email?: string
  /** Id of the inviting person; absent = the operator. */
  readonly invitedBy?: string
  readonly createdAt: number
  readonly expiresAt: number
}

export interface NewInvite {
  readonly role: Role
  readonly email?: string
}

/** Data of an invitation for the holder of its token. */
export interface InviteInfo {
  readonly organization: string
  readonly role: Role
  readonly email?: string
  readonly expiresAt: number
}

/** Validity of an invitation in milliseconds. */
export const INVITE_LASTS = 7 * 86_400_000
/** Maximum number of open invitations per organization. */
const OPEN = 1_000

/** Creates an invitation to a role that the caller can manage. The token is returned only here. */
export function invite(
  parts: Parts,
  caller: Caller,
  organization: string,
  { role, email }: NewInvite,
): Promise<{ readonly token: string; readonly invite: Invite }> {
  if (!isRole(role)) throw wrong('role', '`role` must be `owner`, `admin`, `member` or `viewer`.')
  const normal = email === undefined ? null : emailOf(email)
  return inTransaction(parts, async (trx, now) => {
    const allowed = await allow(trx, caller, organization, 'members.write')
    const { id } = await findOrganization(trx, organization)
    checkManages(allowed.role, role)
    if (role === 'owner') checkStrong(caller, now)
    const open = await openOf(trx, id, now)
    if (open.length >= OPEN)
      throw new HeadgateError(
        'conflict',
        `An organization can have at most ${OPEN} open invitations. Revoke some first.`,
      )
    const token = newToken()
    const row: AccountsRow<'invites'> = {
      id: newId('inv'),
      hash: hashToken(token),
      organization: id,
      email: normal,
      role,
      invited_by: personBehind(caller) ?? null,
      created_at: BigInt(now),
      expires_at: BigInt(now + INVITE_LASTS),
      used_at: null,
      used_by: null,
    }
    await trx.insertInto('invites').values(row).execute()
    await note(
      trx,
      caller,
      { action: 'invite.create', target: row.id, organization: id, after: { role, email: normal } },
      now,
    )
    return { token, invite: inviteFrom(row) }
  })
}

/** Open invitations in order of creation. */
export async function listInvites(
  { connection, now }: Parts,
  caller: Caller,
  organization: string,
): Promise<readonly Invite[]> {
  await allow(connection.db, caller, organization, 'members.read')
  return (await openOf(connection.db, idOf(organization), now())).map(inviteFrom)
}

export function revokeInvite(parts: Parts, caller: Caller, organization: string, invite: string): Promise<void> {
  return inTransaction(parts, async (trx, now) => {
    const { role } = await allow(trx, caller, organization, 'members.write')
    const found = await trx
      .deleteFrom('invites')
      .where('id', '=', idOf(invite))
      .where('organization', '=', organization)
      .where('used_at', 'is', null)
      .returning(['id', 'role'])
      .executeTakeFirst()
    if (!found) throw missing('invite')
    if (isRole(found.role)) checkManages(role, found.role)
    await note(
      trx,
      caller,
      { action: 'invite.revoke', target: found.id, organization, before: { role: found.role } },
      now,
    )
  })
}

/** Reads an invitation for the holder of its token, without using it. @throws HeadgateError `not-found`. */
export async function readInvite({ connection, now }: Parts, token: string): Promise<InviteInfo> {
  const row = await connection.db
    .selectFrom('invites')
    .innerJoin('organizations', 'organizations.id', 'invites.organization')
    .select(['organizations.name', 'invites.role', 'invites.email', 'invites.expires_at'])
    .where('hash', '=', hashOf(token))
    .where('used_at', 'is', null)
    .where('expires_at', '>', BigInt(now()))
    .executeTakeFirst()
  if (!row || !isRole(row.role)) throw used()
  return {
    organization: row.name,
    role: row.role,
    expiresAt: Number(row.expires_at),
    ...(row.email !== null && { email: row.email }),
  }
}

/**
 * Creates an account with an invitation, and signs it in. People with an account sign in and join instead.
 * @throws HeadgateError `not-found` for a used or expired invitation, `conflict` for the mail address of another
 * account.
 */
export async function acceptInvite(
  parts: Parts,
  token: string,
  claim: Claim & { before?: string },
  origin: RequestOrigin,
): Promise<NewSession> {
  const { email: only } = await readInvite(parts, token)
  const email = only ?? emailOf(claim.email)
  const name = nameOf(claim.name)
  const checked = newPassword(claim.password)
  const attempt = { asking: origin.address }
  // The holder of an invitation must not learn which mail addresses have accounts.
  const password = await attempted(parts, attempt, () => parts.hasher.hash(checked))
  return inTransaction(parts, async (trx, now) => {
    const taken = await take(trx, token, now)
    const joining = { organization: taken.organization, role: taken.role, now }
    const person = await addTo(trx, { email, name, password }, { kind: 'anonymous', ...origin }, joining)
    await trx.updateTable('invites').set({ used_by: person }).where('id', '=', taken.id).execute()
    await forgive(trx, parts.keys, attempt)
    return enter(trx, { person, method: 'link', origin, before: claim.before, now })
  })
}

/**
 * Joins an organization with an invitation. The session gets another token. @throws HeadgateError `not-found`,
 * `conflict`, `forbidden`.
 */
export function joinByInvite(parts: Parts, caller: Caller, token: string): Promise<NewSession> {
  const { id, session } = personOf(caller)
  return inTransaction(parts, async (trx, now) => {
    const { id: invite, organization, role, email } = await take(trx, token, now)
    const person = await trx.selectFrom('people').select('email').where('id', '=', id).executeTakeFirst()
    if (email !== null && person?.email !== email)
      throw new HeadgateError('forbidden', 'This invitation is for another mail address. Sign in with that address.')
    await addMember(trx, { organization, person: id, role }, now)
    await trx.updateTable('invites').set({ used_by: id }).where('id', '=', invite).execute()
    await note(trx, caller, { action: 'member.join', target: id, organization, after: { role, invite } }, now)
    return renewSession(trx, session, { isStrong: false, now })
  })
}

/**
 * Uses up an invitation; only one concurrent attempt succeeds. Its role is limited by the current role of its creator.
 */
async function take(
  trx: AccountsTransaction,
  token: string,
  now: number,
): Promise<AccountsRow<'invites'> & { readonly role: Role }> {
  const update = trx
    .updateTable('invites')
    .set({ used_at: now })
    .where('hash', '=', hashOf(token))
    .where('used_at', 'is', null)
  const row = await update.where('expires_at', '>', BigInt(now)).returningAll().executeTakeFirst()
  if (!row || !isRole(row.role)) throw used()
  if (row.invited_by !== null) {
    const role = await memberRole(trx, row.organization, row.invited_by)
    if (role === undefined || !mayManage(role, row.role)) throw used()
  }
  return { ...row, role: row.role }
}

function openOf(
  trx: Pick<AccountsTransaction, 'selectFrom'>,
  organization: string,
  now: number,
): Promise<AccountsRow<'invites'>[]> {
  const query = trx
    .selectFrom('invites')
    .selectAll()
    .where('organization', '=', organization)
    .where('used_at', 'is', null)
  return query.where('expires_at', '>', BigInt(now)).orderBy('created_at').orderBy('id').limit(OPEN).execute()
}

function hashOf(token: string): Buffer {
  if (!isToken(token)) throw used()
  return hashToken(token)
}

function used(): HeadgateError {
  return new HeadgateError('not-found', 'This invitation is no longer valid, or was already used. Request a new one.')
}

function inviteFrom(row: AccountsRow<'invites'>): Invite {
  const { id, role, email, invited_by } = row
  return {
    id,
    role: isRole(role) ? role : 'viewer',
    createdAt: Number(row.created_at),
    expiresAt: Number(row.expires_at),
    ...(email !== null && { email }),
    ...(invited_by !== null && { invitedBy: invited_by }),
  }
}
