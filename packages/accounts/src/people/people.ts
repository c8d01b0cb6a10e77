import { HeadgateError } from '@headgate/gateway/ports'
import { note } from '../audit/audit.ts'
import { newId } from '../database/ids.ts'
import { idOf, missing, nameOf } from '../database/input.ts'
import { noteKeysChanged } from '../keys/changed.ts'
import type { Parts } from '../parts.ts'
import { type Caller, personOf } from '../roles/caller.ts'
import { isRole, type Role } from '../roles/roles.ts'
import type { AccountsRow, AccountsTransaction } from '../schema/tables.ts'
import { endSessions } from '../sessions/sessions.ts'
import { inTransaction } from '../transaction.ts'
import { homeOf } from './home.ts'

/** Person with an account. Times are Unix milliseconds. */
export interface Person {
  readonly id: string
  readonly name: string
  /** Absent if the person uses OIDC and the provider has not verified an address. */
  readonly email?: string
  readonly hasPassword: boolean
  readonly createdAt: number
  /** Time since when sign-in is disabled. */
  readonly disabledAt?: number
}

/** Person with their memberships. */
export interface PersonAccount extends Person {
  readonly memberships: readonly { readonly organization: string; readonly name: string; readonly role: Role }[]
}

/** Maximum number of listed people. */
const LISTED = 10_000

export interface NewPerson {
  readonly email: string | null
  readonly name: string
  /** PHC string. */
  readonly password: string | null
}

/** Adds a person with validated data. @throws HeadgateError `conflict` for the mail address of another account. */
export async function addPerson(
  trx: AccountsTransaction,
  { email, name, password }: NewPerson,
  now: number,
): Promise<string> {
  const row = await trx
    .insertInto('people')
    .values({ id: newId('per'), email, name, password, created_at: now })
    .onConflict((conflict) => conflict.column('email').doNothing())
    .returning('id')
    .executeTakeFirst()
  if (row) return row.id
  throw new HeadgateError('conflict', 'This mail address already has an account. If it is yours, sign in.', {
    param: 'email',
  })
}

/** Caller with their memberships. */
export async function accountOf({ connection }: Parts, caller: Caller): Promise<PersonAccount> {
  const { id } = personOf(caller)
  const row = await connection.db.selectFrom('people').selectAll().where('id', '=', id).executeTakeFirst()
  if (!row) throw missing('person')
  const rows = await connection.db
    .selectFrom('memberships')
    .innerJoin('organizations', 'organizations.id', 'memberships.organization')
    .select(['memberships.organization', 'memberships.role', 'organizations.name'])
    .where('memberships.person', '=', id)
    .orderBy('memberships.created_at')
    .orderBy('memberships.organization')
    .execute()
  const memberships = rows.flatMap(({ organization, name, role }) =>
    isRole(role) ? [{ organization, name, role }] : [],
  )
  return { ...personFrom(row), memberships }
}

/** Changes the caller's name. */
export function renamePerson(parts: Parts, caller: Caller, name: string): Promise<void> {
  const { id } = personOf(caller)
  const next = nameOf(name)
  return inTransaction(parts, async (trx, now) => {
    const row = await trx.selectFrom('people').select('name').where('id', '=', id).executeTakeFirst()
    if (!row) throw missing('person')
    await trx.updateTable('people').set({ name: next }).where('id', '=', id).execute()
    const act = { action: 'person.rename', target: id, organization: await homeOf(trx, id) }
    await note(trx, caller, { ...act, before: { name: row.name }, after: { name: next } }, now)
  })
}

/** All people, for the operator. */
export async function listPeople({ connection }: Parts, caller: Caller): Promise<readonly Person[]> {
  checkOperator(caller)
  const rows = await connection.db
    .selectFrom('people')
    .selectAll()
    .orderBy('created_at')
    .orderBy('id')
    .limit(LISTED)
    .execute()
  return rows.map(personFrom)
}

/**
 * Disables a person: their sessions end, their keys stop, and they cannot sign in. Or enables them again. For the
 * operator.
 */
export function disablePerson(parts: Parts, caller: Caller, person: string, isDisabled: boolean): Promise<void> {
  checkOperator(caller)
  return inTransaction(parts, async (trx, now) => {
    const id = idOf(person)
    const row = await trx
      .updateTable('people')
      .set({ disabled_at: isDisabled ? now : null })
      .where('id', '=', id)
      .returning('id')
      .executeTakeFirst()
    if (!row) throw missing('person')
    if (isDisabled) await endSessions(trx, id)
    await noteKeysChanged(trx)
    await note(
      trx,
      caller,
      { action: isDisabled ? 'person.disable' : 'person.enable', target: id, organization: await homeOf(trx, id) },
      now,
    )
  })
}

/** @throws HeadgateError `forbidden` unless the caller is the operator. */
export function checkOperator(caller: Caller): void {
  if (caller.kind !== 'system')
    throw new HeadgateError('forbidden', 'Only the operator can do this, on the gateway’s machine.')
}

function personFrom(row: AccountsRow<'people'>): Person {
  const { id, name, email } = row
  return {
    id,
    name,
    hasPassword: row.password !== null,
    createdAt: Number(row.created_at),
    ...(email !== null && { email }),
    ...(row.disabled_at !== null && { disabledAt: Number(row.disabled_at) }),
  }
}
