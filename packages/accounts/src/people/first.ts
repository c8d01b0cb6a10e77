import { HeadgateError } from '@headgate/gateway/ports'
import { note } from '../audit/audit.ts'
import { FIRST_ORGANIZATION } from '../database/ids.ts'
import { emailOf, nameOf, wrong } from '../database/input.ts'
import { addMember, findOrganization, lockOrganization, makeFirstOrganization } from '../organizations/organizations.ts'
import type { Parts } from '../parts.ts'
import { newPassword } from '../passwords/password.ts'
import type { Caller, Origin } from '../roles/caller.ts'
import { isRole, type Role } from '../roles/roles.ts'
import type { Writing } from '../schema/tables.ts'
import { type NewSession, openSession } from '../sessions/sessions.ts'
import { inTransaction } from '../transaction.ts'
import { checkLink, type Link, makeLink, takeLink } from './links.ts'
import { addPerson, checkOperator, type NewPerson } from './people.ts'

/** What somebody says of themself who makes an account. */
export interface Claim {
  readonly email: string
  readonly name: string
  readonly password: string
}

/** What the operator says of somebody. */
export interface AddedPerson {
  readonly email: string
  readonly name: string
  /** Default the first organization. */
  readonly organization?: string
  /** Default `member`; the first person is an owner. */
  readonly role?: Role
}

/**
 * The token of a link that makes the first account, once, within 7 days. @throws HeadgateError `conflict` where there
 * is one.
 */
export function firstLink(parts: Parts): Promise<Link> {
  return inTransaction(parts, async (trx, now) => {
    if (await isAnybody(trx)) throw thereIsOne()
    return makeLink(trx, { kind: 'first' }, now)
  })
}

/** Whether there is an account. */
export async function isAnybody(trx: Pick<Writing, 'selectFrom'>): Promise<boolean> {
  return (await trx.selectFrom('people').select('id').limit(1).executeTakeFirst()) !== undefined
}

/**
 * Makes the first account: an owner of the organization `default`, which has a project `default`. Of several who try at
 * once, one does.
 * @throws HeadgateError `not-found` for a link that is used up or over, `conflict` where there is an account.
 */
export async function claimFirst(parts: Parts, token: string, claim: Claim, origin: Origin): Promise<NewSession> {
  const { connection, hasher, now } = parts
  await checkLink(connection.db, 'first', token, now())
  const [email, name] = [emailOf(claim.email), nameOf(claim.name)]
  const password = await hasher.hash(newPassword(claim.password))
  return inTransaction(parts, async (trx, at) => {
    await takeLink(trx, 'first', token, at)
    const person = await addFirst(trx, { email, name, password }, { kind: 'nobody', ...origin }, at)
    return openSession(trx, { person, method: 'link', origin, now: at })
  })
}

/**
 * Adds somebody, by the operator, with a link to choose a password by; the first one with the organization and as its
 * owner.
 */
export function addByOperator(
  parts: Parts,
  caller: Caller,
  added: AddedPerson,
): Promise<Link & { readonly person: string }> {
  checkOperator(caller)
  const { organization = FIRST_ORGANIZATION, role = 'member' } = added
  if (!isRole(role)) throw wrong('role', '`role` is `owner`, `admin`, `member` or `viewer`.')
  const someone = { email: emailOf(added.email), name: nameOf(added.name), password: null }
  return inTransaction(parts, async (trx, now) => {
    const person = (await isAnybody(trx))
      ? await addTo(trx, someone, caller, { organization, role, now })
      : await addFirst(trx, someone, caller, now)
    return { ...(await makeLink(trx, { kind: 'reset', person }, now)), person }
  })
}

async function addFirst(trx: Writing, someone: NewPerson, caller: Caller, now: number): Promise<string> {
  // Whoever else is about to do the same waits for this row.
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

/** Adds somebody to an organization. */
export async function addTo(
  trx: Writing,
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
  return new HeadgateError('conflict', 'There is an account already. Its owner can invite you.')
}
