import { HeadgateError } from '@headgate/gateway/ports'
import { hashToken, newToken } from '../database/ids.ts'
import type { Row, Writing } from '../schema/tables.ts'
import { isToken } from '../sessions/sessions.ts'

/** What a link is for. */
export type LinkKind = 'first' | 'reset' | 'sign-up'

/** How long one of each kind can be used, in milliseconds. */
export const LINK_LASTS: Readonly<Record<LinkKind, number>> = {
  first: 7 * 86_400_000,
  reset: 3_600_000,
  'sign-up': 86_400_000,
}

/** A token for the fragment of a link. It is known here and never again. */
export interface Link {
  readonly token: string
  /** Unix milliseconds. */
  readonly expiresAt: number
}

export interface NewLink {
  readonly kind: LinkKind
  readonly organization?: string
  readonly person?: string
  readonly email?: string
}

export async function makeLink(
  trx: Writing,
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

/** A link that can be used. @throws HeadgateError `not-found`, whatever is wrong with it. */
export async function checkLink(
  trx: Pick<Writing, 'selectFrom'>,
  kind: LinkKind,
  token: string,
  now: number,
): Promise<Row<'links'>> {
  const query = trx.selectFrom('links').selectAll().where('hash', '=', hashOf(token)).where('kind', '=', kind)
  const row = await query.where('used_at', 'is', null).where('expires_at', '>', BigInt(now)).executeTakeFirst()
  if (!row) throw used()
  return row
}

/** Uses a link up: of all who try, one does. @throws HeadgateError `not-found`, whatever is wrong with it. */
export async function takeLink(trx: Writing, kind: LinkKind, token: string, now: number): Promise<Row<'links'>> {
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
  return new HeadgateError('not-found', 'This link is no longer valid, or was used already. Ask for a new one.')
}
