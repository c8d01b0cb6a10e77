import { HeadgateError } from '@headgate/gateway/ports'
import type { AuthenticationResponseJSON, PublicKeyCredentialRequestOptionsJSON } from '@simplewebauthn/server'
import { note } from '../audit/audit.ts'
import type { Parts } from '../parts.ts'
import { homeOf } from '../people/home.ts'
import { type Caller, personOf, type RequestOrigin } from '../roles/caller.ts'
import type { AccountsRow, AccountsTransaction } from '../schema/tables.ts'
import { type NewSession, renewSession } from '../sessions/sessions.ts'
import { beginFlow, type Flow, readFlow, takeFlow } from '../sign-in/flow.ts'
import { domainOf } from '../sign-in/origins.ts'
import { enter, noteRefusal } from '../sign-in/sign-in.ts'
import { inTransaction } from '../transaction.ts'
import { credentialId } from './credential-id.ts'

export interface PasskeyUse {
  /** Flow from {@link askForPasskey}. */
  readonly flow: string
  /** Response of the browser's authenticator. */
  readonly response: AuthenticationResponseJSON
  /** Session token of the browser. That session ends. */
  readonly before?: string | undefined
}

interface AuthenticationState {
  readonly challenge: string
  readonly origin: string
}

/** Time limit for an authenticator in milliseconds. */
export const WAIT = 5 * 60_000

/** Begins a sign-in with any passkey of the browser. The options do not reveal who has a passkey. */
export async function askForPasskey(
  parts: Parts,
  origin: string,
): Promise<Flow & { readonly options: PublicKeyCredentialRequestOptionsJSON }> {
  const rpID = domainOf(parts.origins, origin)
  const { generateAuthenticationOptions } = await import('@simplewebauthn/server')
  const options = await generateAuthenticationOptions({ rpID, timeout: WAIT, userVerification: 'required' })
  const state: AuthenticationState = { challenge: options.challenge, origin }
  return { ...beginFlow(parts, 'passkey-use', state), options }
}

/** Signs in with a passkey. @throws HeadgateError `bad-key`; `not-found` for an expired flow. */
export async function signInByPasskey(
  parts: Parts,
  { before, ...use }: PasskeyUse,
  origin: RequestOrigin,
): Promise<NewSession> {
  const proof = await prove(parts, use, origin)
  return inTransaction(parts, async (trx, now) => {
    const person = await take(trx, proof, now)
    return enter(trx, { person, method: 'passkey', origin, before, now })
  })
}

/**
 * Confirms the identity of the caller with a passkey. The session gets another token. @throws HeadgateError `bad-key`.
 */
export async function confirmByPasskey(
  parts: Parts,
  caller: Caller,
  use: Omit<PasskeyUse, 'before'>,
): Promise<NewSession> {
  const { id, session, address, agent, requestId } = personOf(caller)
  const proof = await prove(parts, use, { address, agent, requestId })
  return inTransaction(parts, async (trx, now) => {
    if ((await take(trx, proof, now)) !== id) throw refused()
    await note(trx, caller, { action: 'session.confirm', target: session, organization: await homeOf(trx, id) }, now)
    return renewSession(trx, session, { isStrong: true, now })
  })
}

interface Proof {
  readonly flow: string
  readonly passkey: AccountsRow<'passkeys'>
  readonly counter: number
}

async function prove(
  parts: Parts,
  { flow, response }: Omit<PasskeyUse, 'before'>,
  origin: RequestOrigin,
): Promise<Proof> {
  const { challenge, origin: from } = await readFlow<AuthenticationState>(parts, 'passkey-use', flow)
  const id = credentialId(response?.id)
  const passkey = await parts.connection.db.selectFrom('passkeys').selectAll().where('id', '=', id).executeTakeFirst()
  if (!passkey) throw refused()
  const { verifyAuthenticationResponse } = await import('@simplewebauthn/server')
  const verified = await verifyAuthenticationResponse({
    response,
    expectedChallenge: challenge,
    expectedOrigin: from,
    expectedRPID: domainOf(parts.origins, from),
    credential: { id, publicKey: new Uint8Array(passkey.public_key), counter: Number(passkey.counter) },
    requireUserVerification: true,
  }).catch(() => undefined)
  if (!verified?.verified) {
    await noteRefusal(parts, origin, 'passkey', passkey.person)
    throw refused()
  }
  const { userHandle } = response.response
  if (userHandle !== undefined && Buffer.from(userHandle, 'base64url').toString() !== passkey.person) throw refused()
  return { flow, passkey, counter: verified.authenticationInfo.newCounter }
}

/** Uses up a proof. Equal counters indicate a copied passkey or response: only one use succeeds. */
async function take(trx: AccountsTransaction, { flow, passkey, counter }: Proof, now: number): Promise<string> {
  await takeFlow(trx, flow, now)
  const taken = await trx
    .updateTable('passkeys')
    .set({ counter, used_at: now })
    .where('id', '=', passkey.id)
    .where('counter', '=', passkey.counter)
    .returning('person')
    .executeTakeFirst()
  const person = await trx
    .selectFrom('people')
    .select('id')
    .where('id', '=', taken?.person ?? '')
    .where('disabled_at', 'is', null)
    .executeTakeFirst()
  if (!person) throw refused()
  return person.id
}

function refused(): HeadgateError {
  return new HeadgateError('bad-key', 'No account here has this passkey.')
}
