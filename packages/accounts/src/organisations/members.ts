import { HeadgateError } from '@headgate/gateway/ports'
import { note } from '../audit/audit.ts'
import { found } from '../database/found.ts'
import { checkVersion, idOf, missing, wrong } from '../database/input.ts'
import { noteKeysChanged } from '../keys/changed.ts'
import type { Parts } from '../parts.ts'
import { allow, type Caller, checkManages, checkStrong, personOf } from '../roles/caller.ts'
import { isRole, type Role } from '../roles/roles.ts'
import type { Row, Writing } from '../schema/tables.ts'
import { inTransaction } from '../transaction.ts'
import { lockOrganisation } from './organisations.ts'

/** Somebody in an organisation. Times are Unix milliseconds. */
export interface Member {
  /** Id of the person. */
  readonly person: string
  readonly name: string
  readonly email?: string
  readonly role: Role
  /** The OIDC provider whose groups say the role, at each sign-in. */
  readonly provider?: string
  readonly joinedAt: number
  readonly disabledAt?: number
  /** Rises with each change. */
  readonly version: number
}

export interface RoleChange {
  readonly role: Role
  /** The change is made to this version only. */
  readonly version?: number
}

/** Most members that are listed. */
const LISTED = 10_000

/** In the order of their joining. */
export async function listMembers(
  { connection }: Parts,
  caller: Caller,
  organisation: string,
): Promise<readonly Member[]> {
  await allow(connection.db, caller, organisation, 'members.read')
  const rows = await connection.db
    .selectFrom('memberships')
    .innerJoin('people', 'people.id', 'memberships.person')
    .selectAll('memberships')
    .select(['people.name', 'people.email', 'people.disabled_at'])
    .where('organisation', '=', idOf(organisation))
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
 * Gives a member another role. Owners are made and unmade by owners, which is sensitive; the last one stays one.
 * @throws HeadgateError `forbidden`, `conflict`.
 */
export function changeRole(
  parts: Parts,
  caller: Caller,
  organisation: string,
  person: string,
  change: RoleChange,
): Promise<void> {
  const { role } = change
  if (!isRole(role)) throw wrong('role', '`role` is `owner`, `admin`, `member` or `viewer`.')
  return inTransaction(parts, async (trx, now) => {
    await lockOrganisation(trx, organisation)
    const allowed = await allow(trx, caller, organisation, 'members.write')
    const member = await findMember(trx, organisation, person)
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
      { action: 'member.role', target: member.person, organisation, before: { role: before }, after: { role } },
      now,
    )
  })
}

/** Has somebody no longer be a member; the last owner stays. */
export function removeMember(parts: Parts, caller: Caller, organisation: string, person: string): Promise<void> {
  return inTransaction(parts, async (trx, now) => {
    await lockOrganisation(trx, organisation)
    const allowed = await allow(trx, caller, organisation, 'members.write')
    const member = await findMember(trx, organisation, person)
    checkManages(allowed.role, roleFrom(member))
    if (member.role === 'owner') checkStrong(caller, now)
    await remove(trx, caller, member, now)
  })
}

/** Leaves an organisation; the last owner can not. */
export function leave(parts: Parts, caller: Caller, organisation: string): Promise<void> {
  const { id } = personOf(caller)
  return inTransaction(parts, async (trx, now) => {
    await lockOrganisation(trx, organisation)
    const member = await found(findMember(trx, organisation, id))
    if (!member) throw missing('organisation')
    await remove(trx, caller, member, now)
  })
}

export async function setRole(
  trx: Writing,
  { organisation, person, version }: Row<'memberships'>,
  role: Role,
): Promise<void> {
  const update = trx.updateTable('memberships').set({ role, version: version + 1n })
  await update.where('organisation', '=', organisation).where('person', '=', person).execute()
  await noteKeysChanged(trx)
}

/** Removes a member from an organisation that is locked. @throws HeadgateError `conflict` for the last owner. */
export async function remove(trx: Writing, caller: Caller, member: Row<'memberships'>, now: number): Promise<void> {
  const { organisation, person, role } = member
  if (role === 'owner') await checkOtherOwner(trx, member)
  await trx.deleteFrom('memberships').where('organisation', '=', organisation).where('person', '=', person).execute()
  await noteKeysChanged(trx)
  await note(trx, caller, { action: 'member.remove', target: person, organisation, before: { role } }, now)
}

export async function findMember(trx: Writing, organisation: string, person: string): Promise<Row<'memberships'>> {
  const query = trx
    .selectFrom('memberships')
    .selectAll()
    .where('organisation', '=', idOf(organisation))
    .where('person', '=', idOf(person))
  const row = await query.executeTakeFirst()
  if (!row) throw missing('member')
  return row
}

/** @throws HeadgateError `conflict` where nobody else is an owner who can sign in. */
export async function checkOtherOwner(trx: Writing, { organisation, person }: Row<'memberships'>): Promise<void> {
  const other = await trx
    .selectFrom('memberships')
    .innerJoin('people', 'people.id', 'memberships.person')
    .select('person')
    .where('organisation', '=', organisation)
    .where('role', '=', 'owner')
    .where('person', '!=', person)
    .where('disabled_at', 'is', null)
    .limit(1)
    .executeTakeFirst()
  if (!other)
    throw new HeadgateError(
      'conflict',
      'This is the last owner of the organisation. Make somebody else an owner first.',
    )
}

function managed(): HeadgateError {
  return new HeadgateError('conflict', 'Groups of an OIDC provider say the role of this person. Change it there.')
}

export function roleFrom({ role }: Pick<Row<'memberships'>, 'role'>): Role {
  // What the store does not know may do least.
  return isRole(role) ? role : 'viewer'
}
