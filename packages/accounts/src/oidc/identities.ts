import { HeadgateError } from '@headgate/gateway/ports'
import { storable } from '@headgate/store/sql'
import { note } from '../audit/audit.ts'
import { FIRST_ORGANIZATION } from '../database/ids.ts'
import { missing, nameOf, normalEmail } from '../database/input.ts'
import { orUndefined } from '../database/or-undefined.ts'
import { checkOtherOwner, findMember, remove, roleFrom, setRole } from '../organizations/members.ts'
import { addMember, lockOrganization } from '../organizations/organizations.ts'
import type { Parts } from '../parts.ts'
import { homeOf } from '../people/home.ts'
import { addPerson } from '../people/people.ts'
import { checkSignInMethod } from '../people/sign-in-methods.ts'
import { type Caller, checkStrong, personOf, type RequestOrigin } from '../roles/caller.ts'
import type { Role } from '../roles/roles.ts'
import type { AccountsTransaction } from '../schema/tables.ts'
import { inTransaction } from '../transaction.ts'
import { type Claims, type Identified, roleOfClaims } from './provider.ts'

/** Account of a person at a provider. Times are Unix milliseconds. */
export interface Identity {
  readonly issuer: string
  readonly subject: string
  readonly createdAt: number
  readonly seenAt: number
}

/** Person of an identity. An unknown identity gets an account if the provider's configuration assigns it a role. */
export async function personOfIdentity(
  trx: AccountsTransaction,
  identified: Identified,
  origin: RequestOrigin,
  now: number,
): Promise<string> {
  const { issuer, subject } = identified
  const identity = await trx
    .updateTable('identities')
    .set({ seen_at: now })
    .where('issuer', '=', issuer)
    .where('subject', '=', subject)
    .returning('person')
    .executeTakeFirst()
  if (!identity) return addAccount(trx, identified, origin, now)
  const person = await trx
    .selectFrom('people')
    .select('disabled_at')
    .where('id', '=', identity.person)
    .executeTakeFirst()
  if (!person || person.disabled_at !== null) throw noAccount()
  await followGroups(trx, identity.person, identified, origin, now)
  return identity.person
}

async function addAccount(
  trx: AccountsTransaction,
  { provider, issuer, subject, claims }: Identified,
  origin: RequestOrigin,
  now: number,
): Promise<string> {
  const role = roleOfClaims(provider, claims)
  if (!role) throw noAccount()
  const organization = provider.organization ?? FIRST_ORGANIZATION
  if (!(await orUndefined(lockOrganization(trx, organization)))) throw noAccount()
  const email = verifiedEmail(claims)
  const name = nameOfClaims(claims, email)
  const person = await addPerson(trx, { email, name, password: null }, now)
  await addMember(trx, { organization, person, role, provider: provider.roles ? provider.id : undefined }, now)
  await trx.insertInto('identities').values({ issuer, subject, person, created_at: now, seen_at: now }).execute()
  const after = { email, name, role, provider: provider.id }
  await note(
    trx,
    { kind: 'anonymous', ...origin },
    { action: 'person.create', target: person, organization, after },
    now,
  )
  return person
}

/** Applies the role from the person's groups, if configured. The last owner stays an owner. */
async function followGroups(
  trx: AccountsTransaction,
  person: string,
  { provider, claims }: Identified,
  origin: RequestOrigin,
  now: number,
): Promise<void> {
  if (!provider.roles) return
  const organization = provider.organization ?? FIRST_ORGANIZATION
  await lockOrganization(trx, organization)
  const role = roleOfClaims(provider, claims)
  const member = await orUndefined(findMember(trx, organization, person))
  const caller: Caller = { kind: 'system', ...origin }
  if (!member && role) {
    await addMember(trx, { organization, person, role, provider: provider.id }, now)
    await note(
      trx,
      caller,
      { action: 'member.join', target: person, organization, after: { role, provider: provider.id } },
      now,
    )
  }
  if (member?.provider === provider.id && role !== member.role) {
    const isLast = member.role === 'owner' && (await isLastOwner(trx, member))
    if (!isLast && role) await change(trx, caller, member, role, now)
    else if (!isLast) await remove(trx, caller, member, now)
  }
  const any = await trx
    .selectFrom('memberships')
    .select('organization')
    .where('person', '=', person)
    .limit(1)
    .executeTakeFirst()
  if (!any) throw noAccount()
}

type MembershipRow = Awaited<ReturnType<typeof findMember>>

async function change(
  trx: AccountsTransaction,
  caller: Caller,
  member: MembershipRow,
  role: Role,
  now: number,
): Promise<void> {
  await setRole(trx, member, role)
  const { organization, person, provider } = member
  const after = { role, provider }
  await note(
    trx,
    caller,
    { action: 'member.role', target: person, organization, before: { role: roleFrom(member) }, after },
    now,
  )
}

async function isLastOwner(trx: AccountsTransaction, member: MembershipRow): Promise<boolean> {
  return (await orUndefined(checkOtherOwner(trx, member).then(() => false))) ?? true
}

/** Links an identity to the caller. @throws HeadgateError `conflict` if it belongs to another person. */
export async function addIdentity(
  trx: AccountsTransaction,
  caller: Caller,
  { provider, issuer, subject }: Identified,
  now: number,
): Promise<void> {
  const { id: person } = personOf(caller)
  const row = await trx
    .insertInto('identities')
    .values({ issuer, subject, person, created_at: now, seen_at: now })
    .onConflict((conflict) => conflict.columns(['issuer', 'subject']).doUpdateSet({ seen_at: now }))
    .returning(['person', 'created_at'])
    .executeTakeFirstOrThrow()
  if (row.person !== person) throw new HeadgateError('conflict', 'Another user has this account of the provider.')
  const organization = await homeOf(trx, person)
  await note(
    trx,
    caller,
    { action: 'identity.add', target: person, organization, after: { provider: provider.id, issuer } },
    now,
  )
}

/** Linked identities of the caller. */
export async function listIdentities({ connection }: Parts, caller: Caller): Promise<readonly Identity[]> {
  const query = connection.db.selectFrom('identities').selectAll().where('person', '=', personOf(caller).id)
  const rows = await query.orderBy('created_at').orderBy('issuer').orderBy('subject').execute()
  return rows.map(({ issuer, subject, created_at, seen_at }) => ({
    issuer,
    subject,
    createdAt: Number(created_at),
    seenAt: Number(seen_at),
  }))
}

/** Unlinks an identity. Sensitive. @throws HeadgateError `conflict` for the last sign-in method. */
export function removeIdentity(
  parts: Parts,
  caller: Caller,
  { issuer, subject }: Pick<Identity, 'issuer' | 'subject'>,
): Promise<void> {
  const { id: person } = personOf(caller)
  return inTransaction(parts, async (trx, now) => {
    checkStrong(caller, now)
    const mine = trx
      .deleteFrom('identities')
      .where('person', '=', person)
      .where('issuer', '=', storable(String(issuer)))
    const removed = await mine
      .where('subject', '=', storable(String(subject)))
      .returning('issuer')
      .executeTakeFirst()
    if (!removed) throw missing('identity')
    await checkSignInMethod(trx, person)
    await note(
      trx,
      caller,
      { action: 'identity.remove', target: person, organization: await homeOf(trx, person), before: { issuer } },
      now,
    )
  })
}

/** Mail address that the provider has verified. */
function verifiedEmail(claims: Claims): string | null {
  return claims['email_verified'] === true ? (normalEmail(claims['email']) ?? null) : null
}

function nameOfClaims(claims: Claims, email: string | null): string {
  for (const name of [claims['name'], claims['preferred_username'], email])
    try {
      return nameOf(typeof name === 'string' ? name.slice(0, 100) : name)
    } catch {
      // The next claim may be a valid name.
    }
  return 'Unnamed user'
}

function noAccount(): HeadgateError {
  return new HeadgateError(
    'forbidden',
    'You have no account here. Contact an admin for an invitation or a permitted group.',
  )
}
