import { HeadgateError } from '@headgate/gateway/ports'
import { note } from '../audit/audit.ts'
import { checkVersion, idOf, missing, wrong } from '../database/input.ts'
import { orUndefined } from '../database/or-undefined.ts'
import { noteKeysChanged } from '../keys/changed.ts'
import type { Parts } from '../parts.ts'
import { allow, type Caller, checkManages, checkStrong, personOf } from '../roles/caller.ts'
import { isRole, type Role } from '../roles/roles.ts'
import type { AccountsRow, AccountsTransaction } from '../schema/tables.ts'
import { inTransaction } from '../transaction.ts'
import { removeViewsOf } from '../views/views.ts'
import { lockOrganization } from './organizations.ts'

/** Member of an organization. Times are Unix milliseconds. */
export interface Member {
  /** Id of the person. */
  readonly person: string
  readonly name: string
  readonly email?: string
  readonly role: Role
  /** OIDC provider whose groups determine the role at each sign-in. */
  readonly provider?: string
  readonly joinedAt: number
  readonly disabledAt?: number
  /** Number that increases with each change. */
  readonly version: number
}

export interface RoleChange {
  readonly role: Role
  /** Expected version. Any other version is a conflict. */
  readonly version?: number
}

/** Maximum number of listed members. */
const LISTED = 10_000

/** Members in order of joining. */
export async function listMembers(
  { connection }: Parts,
  caller: Caller,
  organization: string,
): Promise<readonly Member[]> {
  await allow(connection.db, caller, organization, 'members.read')
  const rows = await connection.db
    .selectFrom('memberships')
    .innerJoin('people', 'people.id', 'memberships.person')
    .selectAll('memberships')
    .select(['people.name', 'people.email', 'people.disabled_at'])
    .where('organization', '=', idOf(organization))
    .orderBy('memberships.created_at')
    .orderBy('person')
    .limit(LISTED)
    .execute()
  return rows.map((row) => ({
    person: row.person,
    name: row.name,
    role: roleFrom(row),
    joinedAt: Number(row.created_at),
    version: Number(row.version),
    ...(row.email !== null && { email: row.email }),
    ...(row.provider !== null && { provider: row.provider }),
    ...(row.disabled_at !== null && { disabledAt: Number(row.disabled_at) }),
  }))
}

/**
 * Changes the role of a member. Only owners can add or remove owners, which is sensitive. The last owner stays an
 * owner. @throws HeadgateError `forbidden`, `conflict`.
 */
export function changeRole(
  parts: Parts,
  caller: Caller,
  organization: string,
  person: string,
  change: RoleChange,
): Promise<void> {
  const { role } = change
  if (!isRole(role)) throw wrong('role', '`role` must be `owner`, `admin`, `member` or `viewer`.')
  return inTransaction(parts, async (trx, now) => {
    await lockOrganization(trx, organization)
    const allowed = await allow(trx, caller, organization, 'members.write')
    const member = await findMember(trx, organization, person)
    const before = roleFrom(member)
    checkManages(allowed.role, before)
    checkManages(allowed.role, role)
    if (before === 'owner' || role === 'owner') checkStrong(caller, now)
    checkVersion(member.version, change.version)
    if (member.provider !== null) throw managed()
    if (role === before) return
    if (before === 'owner') await checkOtherOwner(trx, member)
    await setRole(trx, member, role)
    await note(
      trx,
      caller,
      { action: 'member.role', target: member.person, organization, before: { role: before }, after: { role } },
      now,
    )
  })
}

/** Removes a member, except the last owner. */
export function removeMember(parts: Parts, caller: Caller, organization: string, person: string): Promise<void> {
  return inTransaction(parts, async (trx, now) => {
    await lockOrganization(trx, organization)
    const allowed = await allow(trx, caller, organization, 'members.write')
    const member = await findMember(trx, organization, person)
    checkManages(allowed.role, roleFrom(member))
    if (member.role === 'owner') checkStrong(caller, now)
    await remove(trx, caller, member, now)
  })
}

/** Leaves an organization. The last owner cannot leave. */
export function leave(parts: Parts, caller: Caller, organization: string): Promise<void> {
  const { id } = personOf(caller)
  return inTransaction(parts, async (trx, now) => {
    await lockOrganization(trx, organization)
    const member = await orUndefined(findMember(trx, organization, id))
    if (!member) throw missing('organization')
    await remove(trx, caller, member, now)
  })
}

export async function setRole(
  trx: AccountsTransaction,
  { organization, person, version }: AccountsRow<'memberships'>,
  role: Role,
): Promise<void> {
  const update = trx.updateTable('memberships').set({ role, version: version + 1n })
  await update.where('organization', '=', organization).where('person', '=', person).execute()
  await noteKeysChanged(trx)
}

/** Removes a member from a locked organization. @throws HeadgateError `conflict` for the last owner. */
export async function remove(
  trx: AccountsTransaction,
  caller: Caller,
  member: AccountsRow<'memberships'>,
  now: number,
): Promise<void> {
  const { organization, person, role } = member
  if (role === 'owner') await checkOtherOwner(trx, member)
  await trx.deleteFrom('memberships').where('organization', '=', organization).where('person', '=', person).execute()
  await removeViewsOf(trx, organization, person)
  await noteKeysChanged(trx)
  await note(trx, caller, { action: 'member.remove', target: person, organization, before: { role } }, now)
}

export async function findMember(
  trx: AccountsTransaction,
  organization: string,
  person: string,
): Promise<AccountsRow<'memberships'>> {
  const query = trx
    .selectFrom('memberships')
    .selectAll()
    .where('organization', '=', idOf(organization))
    .where('person', '=', idOf(person))
  const row = await query.executeTakeFirst()
  if (!row) throw missing('member')
  return row
}

/** @throws HeadgateError `conflict` if there is no other owner who can sign in. */
export async function checkOtherOwner(
  trx: AccountsTransaction,
  { organization, person }: AccountsRow<'memberships'>,
): Promise<void> {
  const other = await trx
    .selectFrom('memberships')
    .innerJoin('people', 'people.id', 'memberships.person')
    .select('person')
    .where('organization', '=', organization)
    .where('role', '=', 'owner')
    .where('person', '!=', person)
    .where('disabled_at', 'is', null)
    .limit(1)
    .executeTakeFirst()
  if (!other)
    throw new HeadgateError('conflict', 'This is the last owner of the organization. Add another owner first.')
}

function managed(): HeadgateError {
  return new HeadgateError(
    'conflict',
    'The groups of an OIDC provider determine the role of this person. Change the role there.',
  )
}

export function roleFrom({ role }: Pick<AccountsRow<'memberships'>, 'role'>): Role {
  // Unknown roles get the fewest permissions.
  return isRole(role) ? role : 'viewer'
}
