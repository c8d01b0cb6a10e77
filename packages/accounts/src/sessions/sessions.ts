import { note, text } from '../audit/audit.ts'
import { hashToken, newId, newToken } from '../database/ids.ts'
import { idOf, missing } from '../database/input.ts'
import type { Parts } from '../parts.ts'
import { homeOf } from '../people/home.ts'
import { type Caller, personOf, type RequestOrigin } from '../roles/caller.ts'
import type { AccountsRow, AccountsTransaction } from '../schema/tables.ts'
import { inTransaction } from '../transaction.ts'

/** Method of a sign-in. */
export type SignInMethod = 'password' | 'passkey' | 'oidc' | 'link'

/** Session of a person in a browser. Times are Unix milliseconds. */
export interface Session {
  readonly id: string
  /** Id of the person. */
  readonly person: string
  readonly method: string
  readonly createdAt: number
  readonly seenAt: number
  readonly expiresAt: number
  /** Time when the person last confirmed their identity. */
  readonly strongAt: number
  readonly address?: string
  readonly agent?: string
}

/** Session and the token for its cookie, which is returned only here. */
export interface NewSession {
  readonly token: string
  readonly session: Session
}

/** Validity of an unused session, and maximum validity, in milliseconds. */
export const LASTS = { idle: 7 * 86_400_000, most: 30 * 86_400_000 }
/** Minimum time between two updates of `seenAt`, in milliseconds. */
const SEEN = 60_000
/** Maximum number of sessions per person. The least recently used ones end. */
const MOST = 50

interface Opening {
  readonly person: string
  readonly method: SignInMethod
  readonly origin: RequestOrigin
  readonly now: number
}

/** Opens a session with a new token. */
export async function openSession(
  trx: AccountsTransaction,
  { person, method, origin, now }: Opening,
): Promise<NewSession> {
  const others = trx.selectFrom('sessions').select('id').where('person', '=', person)
  const tooMany = await others
    .orderBy('seen_at', 'desc')
    .orderBy('id')
    .limit(1_000)
    .offset(MOST - 1)
    .execute()
  if (tooMany.length > 0) {
    const ids = tooMany.map(({ id }) => id)
    await trx.deleteFrom('sessions').where('id', 'in', ids).execute()
  }
  const token = newToken()
  const row: AccountsRow<'sessions'> = {
    id: newId('ses'),
    hash: hashToken(token),
    person,
    method,
    created_at: BigInt(now),
    seen_at: BigInt(now),
    expires_at: BigInt(now + LASTS.most),
    strong_at: BigInt(now),
    address: text(origin.address),
    agent: text(origin.agent),
  }
  await trx.insertInto('sessions').values(row).execute()
  return { token, session: sessionOf(row) }
}

/**
 * Gives a session another token; the old one becomes invalid. `isStrong`: the person has just confirmed their identity.
 * @throws HeadgateError `not-found` if the session has ended.
 */
export async function renewSession(
  trx: AccountsTransaction,
  id: string,
  change: { readonly isStrong: boolean; readonly now: number },
): Promise<NewSession> {
  const token = newToken()
  const row = await trx
    .updateTable('sessions')
    .set({ hash: hashToken(token), ...(change.isStrong && { strong_at: change.now }) })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst()
  if (!row) throw missing('session')
  return { token, session: sessionOf(row) }
}

/** Session of a token, marked as used; undefined for an unknown or expired token. */
export async function useSession(
  { connection, now }: Parts,
  token: string,
  origin: RequestOrigin,
): Promise<Session | undefined> {
  if (!isToken(token)) return undefined
  const at = now()
  const row = await connection.db
    .selectFrom('sessions')
    .innerJoin('people', 'people.id', 'sessions.person')
    .selectAll('sessions')
    .where('hash', '=', hashToken(token))
    .where('expires_at', '>', BigInt(at))
    .where('seen_at', '>', BigInt(at - LASTS.idle))
    .where('disabled_at', 'is', null)
    .executeTakeFirst()
  if (!row) return undefined
  if (at - Number(row.seen_at) < SEEN) return sessionOf(row)
  const seen = { seen_at: BigInt(at), address: text(origin.address), agent: text(origin.agent) }
  await connection.db
    .updateTable('sessions')
    .set(seen)
    .where('id', '=', row.id)
    .where('seen_at', '<', seen.seen_at)
    .execute()
  return sessionOf({ ...row, ...seen })
}

/** Sessions of the caller, most recently used first. */
export async function listSessions({ connection, now }: Parts, caller: Caller): Promise<readonly Session[]> {
  const { id } = personOf(caller)
  const rows = await connection.db
    .selectFrom('sessions')
    .selectAll()
    .where('person', '=', id)
    .where('expires_at', '>', BigInt(now()))
    .where('seen_at', '>', BigInt(now() - LASTS.idle))
    .orderBy('seen_at', 'desc')
    .orderBy('id')
    .execute()
  return rows.map(sessionOf)
}

/** Ends a session of the caller. Default: the current session. @throws HeadgateError `not-found`. */
export function endSession(parts: Parts, caller: Caller, id?: string): Promise<void> {
  const { id: person, session } = personOf(caller)
  const ended = id === undefined ? session : idOf(id)
  return inTransaction(parts, async (trx, now) => {
    const row = await trx
      .deleteFrom('sessions')
      .where('id', '=', ended)
      .where('person', '=', person)
      .returning('id')
      .executeTakeFirst()
    if (!row) throw missing('session')
    await note(trx, caller, { action: 'session.end', target: ended, organization: await homeOf(trx, person) }, now)
  })
}

/** Ends all sessions of the caller except the current one. */
export function endOtherSessions(parts: Parts, caller: Caller): Promise<void> {
  const { id, session } = personOf(caller)
  return inTransaction(parts, async (trx, now) => {
    await endSessions(trx, id, session)
    await note(trx, caller, { action: 'session.end-others', target: id, organization: await homeOf(trx, id) }, now)
  })
}

/** Ends the sessions of a person, optionally except one. */
export async function endSessions(trx: AccountsTransaction, person: string, but?: string): Promise<void> {
  const all = trx.deleteFrom('sessions').where('person', '=', person)
  await (but === undefined ? all : all.where('id', '!=', but)).execute()
}

/** Ends the previous session of a browser before a sign-in. */
export async function endBefore(trx: AccountsTransaction, token: string | undefined): Promise<void> {
  if (token !== undefined && isToken(token))
    await trx.deleteFrom('sessions').where('hash', '=', hashToken(token)).execute()
}

/** True if the text has the format of a token. */
export function isToken(token: unknown): token is string {
  return typeof token === 'string' && /^[A-Za-z0-9_-]{43}$/.test(token)
}

function sessionOf(row: AccountsRow<'sessions'>): Session {
  const { id, person, method, address, agent } = row
  return {
    id,
    person,
    method,
    createdAt: Number(row.created_at),
    seenAt: Number(row.seen_at),
    expiresAt: Number(row.expires_at),
    strongAt: Number(row.strong_at),
    ...(address !== null && { address }),
    ...(agent !== null && { agent }),
  }
}
