import { HeadgateError } from '@headgate/gateway/ports'
import { note } from '../audit/audit.ts'
import { FIRST_ORGANIZATION } from '../database/ids.ts'
import { emailOf, nameOf, wrong } from '../database/input.ts'
import { addMember, findOrganization, lockOrganization, makeFirstOrganization } from '../organizations/organizations.ts'
import type { Parts } from '../parts.ts'
import { newPassword } from '../passwords/password.ts'
import type { Caller, RequestOrigin } from '../roles/caller.ts'
import { isRole, type Role } from '../roles/roles.ts'
import type { AccountsTransaction } from '../schema/tables.ts'
import { type NewSession, openSession } from '../sessions/sessions.ts'
import { inTransaction } from '../transaction.ts'
import { checkLink, type Link, makeLink, takeLink } from './links.ts'
import { addPerson, checkOperator, type NewPerson } from './people.ts'

/** Data for a new account from its owner. */
export interface Claim {
  readonly email: string
  readonly name: string
  readonly password: string
}

/** Data for a new account from the operator. */
export interface AddedPerson {
  readonly email: string
  readonly name: string
  /** Default: the first organization. */
  readonly organization?: string
  /** Default: `member`; the first person becomes an owner. */
  readonly role?: Role
}

/**
 * Token of a link that creates the first account, once, within 7 days. @throws HeadgateError `conflict` if an account
 * exists.
 */
export function firstLink(parts: Parts): Promise<Link> {
  return inTransaction(parts, async (trx, now) => {
    if (await isAnybody(trx)) throw thereIsOne()
    return makeLink(trx, { kind: 'first' }, now)
  })
}

/** True if an account exists, for the sign-in page. */
export function hasAccounts({ connection }: Parts): Promise<boolean> {
  return isAnybody(connection.db)
}

/** True if an account exists. */
export async function isAnybody(trx: Pick<AccountsTransaction, 'selectFrom'>): Promise<boolean> {
  return (await trx.selectFrom('people').select('id').limit(1).executeTakeFirst()) !== undefined
}

/**
 * Creates the first account: an owner of the organization `default`, which has a project `default`. Only one concurrent
 * attempt succeeds.
 * @throws HeadgateError `not-found` for a used or expired link, `conflict` if an account exists.
 */
export async function claimFirst(
  parts: Parts,
  token: string,
  claim: Claim,
  origin: RequestOrigin,
): Promise<NewSession> {
  const { connection, hasher, now } = parts
  await checkLink(connection.db, 'first', token, now())
  const [email, name] = [emailOf(claim.email), nameOf(claim.name)]
  const password = await hasher.hash(newPassword(claim.password))
  return inTransaction(parts, async (trx, at) => {
    await takeLink(trx, 'first', token, at)
    const person = await addFirst(trx, { email, name, password }, { kind: 'anonymous', ...origin }, at)
    return openSession(trx, { person, method: 'link', origin, now: at })
  })
}

/**
 * Adds a person for the operator, with a link to set a password. The first person becomes owner of the first
 * organization, which is created.
 */
export function addByOperator(
  parts: Parts,
  caller: Caller,
  added: AddedPerson,
): Promise<Link & { readonly person: string }> {
  checkOperator(caller)
  const { organization = FIRST_ORGANIZATION, role = 'member' } = added
  if (!isRole(role)) throw wrong('role', '`role` must be `owner`, `admin`, `member` or `viewer`.')
  const someone = { email: emailOf(added.email), name: nameOf(added.name), password: null }
  return inTransaction(parts, async (trx, now) => {
    const person = (await isAnybody(trx))
      ? await addTo(trx, someone, caller, { organization, role, now })
      : await addFirst(trx, someone, caller, now)
    return { ...(await makeLink(trx, { kind: 'reset', person }, now)), person }
  })
}

async function addFirst(trx: AccountsTransaction, someone: NewPerson, caller: Caller, now: number): Promise<string> {
  // This row serializes concurrent attempts.
  await makeFirstOrganization(trx, now)
  await lockOrganization(trx, FIRST_ORGANIZATION)
  if (await isAnybody(trx)) throw thereIsOne()
  return addTo(trx, someone, caller, { organization: FIRST_ORGANIZATION, role: 'owner', now })
}

interface Joining {
  readonly organization: string
  readonly role: Role
  readonly now: number
}

/** Adds a person to an organization. */
export async function addTo(
  trx: AccountsTransaction,
  someone: NewPerson,
  caller: Caller,
  { organization, role, now }: Joining,
): Promise<string> {
  await findOrganization(trx, organization)
  const person = await addPerson(trx, someone, now)
  await addMember(trx, { organization, person, role }, now)
  const after = { email: someone.email, name: someone.name, role }
  await note(trx, caller, { action: 'person.create', target: person, organization, after }, now)
  return person
}

function thereIsOne(): HeadgateError {
  return new HeadgateError('conflict', 'An account already exists. Its owner can invite you.')
}
