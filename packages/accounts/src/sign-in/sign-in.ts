import { HeadgateError } from '@headgate/gateway/ports'
import { note } from '../audit/audit.ts'
import { normalEmail } from '../database/input.ts'
import type { Parts } from '../parts.ts'
import { givenPassword } from '../passwords/password.ts'
import { homeOf } from '../people/home.ts'
import type { Caller, RequestOrigin } from '../roles/caller.ts'
import type { AccountsTransaction } from '../schema/tables.ts'
import { endBefore, type NewSession, openSession, type SignInMethod } from '../sessions/sessions.ts'
import { inTransaction } from '../transaction.ts'
import { deviceOf } from './device.ts'
import { attempted, forgive, type SignInAttempt } from './throttle.ts'

export interface SignIn {
  readonly email: string
  readonly password: string
  /** Session token of the browser. That session ends. */
  readonly before?: string | undefined
  /** Device mark from an earlier sign-in in the browser. */
  readonly device?: string | undefined
}

/** Account found for a sign-in. */
export interface SignInAccount {
  readonly id: string
  readonly password: string | null
  readonly disabled_at: bigint | null
}

/**
 * Signs in with mail address and password. Neither messages nor timing reveal whether the account exists. Failures of a
 * known device are counted separately, so that strangers cannot delay it.
 * @throws HeadgateError `bad-key`; `over-limit` with the wait, after 5 failures of the account or device, or 50 of the
 * address.
 */
export async function signIn(
  parts: Parts,
  { email, password, before, device }: SignIn,
  origin: RequestOrigin,
): Promise<NewSession> {
  const { connection, hasher } = parts
  const normal = normalEmail(email)
  const given = givenPassword(password)
  const query = connection.db.selectFrom('people').select(['id', 'password', 'disabled_at'])
  const person: SignInAccount | undefined = await query.where('email', '=', normal ?? '').executeTakeFirst()
  const known = person && deviceOf(parts, person.id, device)
  const attempt: SignInAttempt = {
    email: normal ?? String(email).slice(0, 254),
    address: origin.address,
    ...(known !== undefined && { device: `${person?.id} ${known}` }),
  }
  const { isRight, isOld } = await attempted(parts, attempt, () => hasher.verify(given, person?.password ?? null))
  if (!isRight || !person || person.disabled_at !== null) {
    await noteRefusal(parts, origin, 'password', person?.id)
    throw refused()
  }
  const rehashed = isOld ? await hasher.hash(given) : undefined
  return inTransaction(parts, async (trx, now) => {
    // The password may have changed since it was read.
    const update = trx
      .updateTable('people')
      .set({ password: rehashed ?? person.password })
      .where('id', '=', person.id)
    const still = update.where('password', '=', person.password).where('disabled_at', 'is', null).returning('id')
    if (!(await still.executeTakeFirst())) throw refused()
    await forgive(trx, parts.keys, attempt)
    return enter(trx, { person: person.id, method: 'password', origin, before, now })
  })
}

export interface Entering {
  readonly person: string
  readonly method: SignInMethod
  readonly origin: RequestOrigin
  /** Session token of the browser. That session ends. */
  readonly before?: string | undefined
  readonly now: number
}

/** Opens a session for an authenticated person. */
export async function enter(
  trx: AccountsTransaction,
  { person, method, origin, before, now }: Entering,
): Promise<NewSession> {
  await endBefore(trx, before)
  const opened = await openSession(trx, { person, method, origin, now })
  const caller: Caller = { kind: 'person', id: person, session: opened.session.id, strongAt: now, ...origin }
  await note(
    trx,
    caller,
    { action: 'session.create', target: person, organization: await homeOf(trx, person), after: { method } },
    now,
  )
  return opened
}

/** Records a refused sign-in of a known or unknown person. */
export function noteRefusal(
  parts: Parts,
  origin: RequestOrigin,
  method: SignInMethod,
  person: string | undefined,
): Promise<void> {
  return inTransaction(parts, async (trx, now) => {
    const organization = await homeOf(trx, person ?? '')
    const act = {
      action: 'session.create',
      target: person,
      organization,
      after: { method },
      result: 'refused',
    } as const
    await note(trx, { kind: 'anonymous', ...origin }, act, now)
  })
}

function refused(): HeadgateError {
  return new HeadgateError('bad-key', 'The mail address or the password is wrong.')
}
