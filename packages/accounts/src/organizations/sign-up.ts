import { HeadgateError } from '@headgate/gateway/ports'
import { note } from '../audit/audit.ts'
import { FIRST_ORGANIZATION } from '../database/ids.ts'
import { emailOf, missing, nameOf } from '../database/input.ts'
import { orUndefined } from '../database/or-undefined.ts'
import type { Parts } from '../parts.ts'
import { newPassword } from '../passwords/password.ts'
import { addTo, type Claim } from '../people/first.ts'
import { checkLink, type Link, makeLink, takeLink } from '../people/links.ts'
import type { RequestOrigin } from '../roles/caller.ts'
import type { AccountsRow, AccountsTransaction } from '../schema/tables.ts'
import type { NewSession } from '../sessions/sessions.ts'
import { enter } from '../sign-in/sign-in.ts'
import { countAsking } from '../sign-in/throttle.ts'
import { inTransaction } from '../transaction.ts'
import { findOrganization, organizationFrom } from './organizations.ts'

/** Mail after a sign-up request: a link, or a notice that the account already exists. */
export type SignUpMail = { readonly email: string } & ({ readonly link: Link } | { readonly link?: undefined })

/** Role of people who sign up. */
const ROLE = 'member'

/**
 * Begins an open sign-up. The link must be sent only to the mail address, which proves its owner. Call {@link
 * checkSignUp} first. Respond before this resolves, because its result and duration reveal whether the address has an
 * account.
 * @throws HeadgateError like {@link checkSignUp}.
 */
export async function requestSignUp(
  parts: Parts,
  email: string,
  origin: RequestOrigin,
  organization = FIRST_ORGANIZATION,
): Promise<SignUpMail> {
  const normal = emailOf(email)
  return inTransaction(parts, async (trx, now) => {
    const { id } = await checkOpen(trx, organization, normal)
    const known = await trx.selectFrom('people').select('id').where('email', '=', normal).executeTakeFirst()
    await note(
      trx,
      { kind: 'anonymous', ...origin },
      { action: 'sign-up.request', organization: id, after: { email: normal } },
      now,
    )
    if (known) return { email: normal }
    return { email: normal, link: await makeLink(trx, { kind: 'sign-up', organization: id, email: normal }, now) }
  })
}

/**
 * Checks that a mail address can sign up. Counts as a failed sign-in for the caller's address.
 * @throws HeadgateError `forbidden` if sign-up requires an invitation, or for a domain that is not allowed;
 * `over-limit`.
 */
export async function checkSignUp(
  parts: Parts,
  email: string,
  origin: RequestOrigin,
  organization = FIRST_ORGANIZATION,
): Promise<void> {
  const normal = emailOf(email)
  await countAsking(parts, origin)
  await checkOpen(parts.connection.db, organization, normal)
}

/**
 * Creates the account of a sign-up with its link, and signs it in. @throws HeadgateError `not-found`, `forbidden`,
 * `conflict`.
 */
export async function finishSignUp(
  parts: Parts,
  token: string,
  claim: Omit<Claim, 'email'>,
  origin: RequestOrigin,
): Promise<NewSession> {
  const { connection, hasher, now } = parts
  await checkLink(connection.db, 'sign-up', token, now())
  const name = nameOf(claim.name)
  const password = await hasher.hash(newPassword(claim.password))
  return inTransaction(parts, async (trx, at) => {
    const { email, organization } = await takeLink(trx, 'sign-up', token, at)
    if (email === null || organization === null) throw missing('link')
    // Sign-up may have been closed since the link was sent.
    await checkOpen(trx, organization, email)
    const person = await addTo(
      trx,
      { email, name, password },
      { kind: 'anonymous', ...origin },
      { organization, role: ROLE, now: at },
    )
    return enter(trx, { person, method: 'link', origin, now: at })
  })
}

async function checkOpen(
  trx: Pick<AccountsTransaction, 'selectFrom'>,
  organization: string,
  email: string,
): Promise<AccountsRow<'organizations'>> {
  const row = await orUndefined(findOrganization(trx, organization))
  if (row?.sign_up !== 'open')
    throw new HeadgateError(
      'forbidden',
      'This gateway requires an invitation to sign up. Contact an admin for an invitation.',
    )
  const { domains } = organizationFrom(row)
  if (domains.length === 0 || domains.includes(email.slice(email.lastIndexOf('@') + 1))) return row
  throw new HeadgateError('forbidden', 'This mail domain cannot sign up here. Contact an admin for an invitation.')
}
