import { HeadgateError } from '@headgate/gateway/ports'
import type { PublicKeyCredentialCreationOptionsJSON, RegistrationResponseJSON } from '@simplewebauthn/server'
import { note } from '../audit/audit.ts'
import { missing, nameOf } from '../database/input.ts'
import type { Parts } from '../parts.ts'
import { homeOf } from '../people/home.ts'
import { type Caller, checkStrong, personOf } from '../roles/caller.ts'
import { beginFlow, type Flow, readFlow, takeFlow } from '../sign-in/flow.ts'
import { domainOf } from '../sign-in/origins.ts'
import { inTransaction } from '../transaction.ts'
import { credentialId } from './credential-id.ts'
import { type Passkey, passkeyFrom } from './passkeys.ts'
import { WAIT } from './use.ts'

export interface PasskeyAdded {
  /** What {@link beginPasskey} returned. */
  readonly flow: string
  /** What the browser's authenticator answered. */
  readonly response: RegistrationResponseJSON
  /** By which its owner knows it again. */
  readonly name: string
}

interface State {
  readonly challenge: string
  readonly origin: string
  readonly session: string
}

/** Most passkeys of a person. */
const MOST = 20
/** ES256 and RS256, which all authenticators have one of; EdDSA. */
const ALGORITHMS = [-8, -7, -257]

/**
 * Begins to add a passkey to the one who asks. Sensitive. @returns what their browser is asked, and a flow for it to
 * hold.
 */
export async function beginPasskey(
  parts: Parts,
  caller: Caller,
  origin: string,
): Promise<Flow & { readonly options: PublicKeyCredentialCreationOptionsJSON }> {
  const { id, session } = personOf(caller)
  checkStrong(caller, parts.now())
  const domain = domainOf(parts.origins, origin)
  const { db } = parts.connection
  const person = await db.selectFrom('people').select(['email', 'name']).where('id', '=', id).executeTakeFirst()
  if (!person) throw missing('person')
  const known = await db.selectFrom('passkeys').select(['id', 'transports']).where('person', '=', id).execute()
  if (known.length >= MOST)
    throw new HeadgateError('conflict', `You have ${MOST} passkeys, which is the most. Remove one first.`)
  const { generateRegistrationOptions } = await import('@simplewebauthn/server')
  const options = await generateRegistrationOptions({
    rpName: 'Headgate',
    rpID: domain,
    userID: new Uint8Array(Buffer.from(id)),
    userName: person.email ?? person.name,
    userDisplayName: person.name,
    timeout: WAIT,
    attestationType: 'none',
    excludeCredentials: known.map((one) => ({
      id: one.id,
      ...(one.transports !== null && { transports: JSON.parse(one.transports) }),
    })),
    authenticatorSelection: { residentKey: 'preferred', userVerification: 'required' },
    supportedAlgorithmIDs: ALGORITHMS,
  })
  const state: State = { challenge: options.challenge, origin, session }
  return { ...beginFlow(parts, 'passkey-add', state), options }
}

/**
 * Adds the passkey, in the session in which it began, once. @throws HeadgateError `not-found`, `invalid-request`,
 * `conflict`.
 */
export async function finishPasskey(
  parts: Parts,
  caller: Caller,
  { flow, response, name }: PasskeyAdded,
): Promise<Passkey> {
  const { id: person, session } = personOf(caller)
  const checked = nameOf(name)
  const state = await readFlow<State>(parts, 'passkey-add', flow)
  if (state.session !== session) throw new HeadgateError('forbidden', 'This began in another session. Begin again.')
  const { verifyRegistrationResponse } = await import('@simplewebauthn/server')
  const verified = await verifyRegistrationResponse({
    response,
    expectedChallenge: state.challenge,
    expectedOrigin: state.origin,
    expectedRPID: domainOf(parts.origins, state.origin),
    supportedAlgorithmIDs: ALGORITHMS,
  }).catch((cause: unknown) => {
    throw refused(cause)
  })
  if (!verified.verified) throw refused()
  const { credential } = verified.registrationInfo
  const transports = (credential.transports ?? []).filter((one) => /^[a-z-]{1,20}$/.test(one)).slice(0, 10)
  const id = credentialId(credential.id)
  if (id === '') throw refused()
  return inTransaction(parts, async (trx, now) => {
    await takeFlow(trx, flow, now)
    const row = {
      id,
      person,
      public_key: credential.publicKey,
      counter: BigInt(credential.counter),
      transports: JSON.stringify(transports),
      name: checked,
      created_at: BigInt(now),
      used_at: null,
    }
    const insert = trx.insertInto('passkeys').values(row)
    const added = await insert
      .onConflict((conflict) => conflict.column('id').doNothing())
      .returning('id')
      .executeTakeFirst()
    if (!added) throw new HeadgateError('conflict', 'This passkey is known already.')
    await note(
      trx,
      caller,
      { action: 'passkey.add', target: id, organization: await homeOf(trx, person), after: { name: checked } },
      now,
    )
    return passkeyFrom(row)
  })
}

function refused(cause?: unknown): HeadgateError {
  return new HeadgateError('invalid-request', 'The answer of the authenticator is not valid. Begin again.', {
    param: 'response',
    cause,
  })
}
