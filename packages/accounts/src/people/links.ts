import { HeadgateError } from '@headgate/gateway/ports'
import { hashToken, newToken } from '../database/ids.ts'
import type { AccountsRow, AccountsTransaction } from '../schema/tables.ts'
import { isToken } from '../sessions/sessions.ts'

/** Purpose of a link. */
export type LinkKind = 'first' | 'reset' | 'sign-up'

/** Validity of links by kind, in milliseconds. */
export const LINK_LASTS: Readonly<Record<LinkKind, number>> = {
  first: 7 * 86_400_000,
  reset: 3_600_000,
  'sign-up': 86_400_000,
}

/** Token for the fragment of a link. It is returned only here. */
export interface Link {
  readonly token: string
  /** Expiry in Unix milliseconds. */
  readonly expiresAt: number
}

export interface NewLink {
  readonly kind: LinkKind
  readonly organization?: string
  readonly person?: string
  readonly email?: string
}

export async function makeLink(
  trx: AccountsTransaction,
  { kind, organization, person, email }: NewLink,
  now: number,
): Promise<Link> {
  const token = newToken()
  const expiresAt = now + LINK_LASTS[kind]
  const owner = { organization: organization ?? null, person: person ?? null, email: email ?? null }
  await trx
    .insertInto('links')
    .values({ hash: hashToken(token), kind, ...owner, created_at: now, expires_at: expiresAt })
    .execute()
  return { token, expiresAt }
}

/** Valid link. @throws HeadgateError `not-found` for any other link. */
export async function checkLink(
  trx: Pick<AccountsTransaction, 'selectFrom'>,
  kind: LinkKind,
  token: string,
  now: number,
): Promise<AccountsRow<'links'>> {
  const query = trx.selectFrom('links').selectAll().where('hash', '=', hashOf(token)).where('kind', '=', kind)
  const row = await query.where('used_at', 'is', null).where('expires_at', '>', BigInt(now)).executeTakeFirst()
  if (!row) throw used()
  return row
}

/** Uses up a link; only one concurrent attempt succeeds. @throws HeadgateError `not-found` for an invalid link. */
export async function takeLink(
  trx: AccountsTransaction,
  kind: LinkKind,
  token: string,
  now: number,
): Promise<AccountsRow<'links'>> {
  const row = await trx
    .updateTable('links')
    .set({ used_at: now })
    .where('hash', '=', hashOf(token))
    .where('kind', '=', kind)
    .where('used_at', 'is', null)
    .where('expires_at', '>', BigInt(now))
    .returningAll()
    .executeTakeFirst()
  if (!row) throw used()
  return row
}

function hashOf(token: string): Buffer {
  if (!isToken(token)) throw used()
  return hashToken(token)
}

function used(): HeadgateError {
  return new HeadgateError('not-found', 'This link is no longer valid, or was already used. Request a new one.')
}
