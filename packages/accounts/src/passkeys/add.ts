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
  /** Flow from {@link beginPasskey}. */
  readonly flow: string
  /** Response of the browser's authenticator. */
  readonly response: RegistrationResponseJSON
  /** Name for its owner. */
  readonly name: string
}

interface RegistrationState {
  readonly challenge: string
  readonly origin: string
  readonly session: string
}

/** Maximum number of passkeys per person. */
const MOST = 20
/** EdDSA, ES256 and RS256. All authenticators support at least one of the latter two. */
const ALGORITHMS = [-8, -7, -257]

/**
 * Begins the registration of a passkey for the caller. Sensitive. @returns options for the browser, and a flow to keep
 * in a cookie.
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
    throw new HeadgateError('conflict', `You already have the maximum of ${MOST} passkeys. Remove one first.`)
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
  const state: RegistrationState = { challenge: options.challenge, origin, session }
  return { ...beginFlow(parts, 'passkey-add', state), options }
}

/**
 * Adds the passkey, once, in the session that began the registration. @throws HeadgateError `not-found`,
 * `invalid-request`, `conflict`.
 */
export async function finishPasskey(
  parts: Parts,
  caller: Caller,
  { flow, response, name }: PasskeyAdded,
): Promise<Passkey> {
  const { id: person, session } = personOf(caller)
  const checked = nameOf(name)
  const state = await readFlow<RegistrationState>(parts, 'passkey-add', flow)
  if (state.session !== session)
    throw new HeadgateError('forbidden', 'This process began in another session. Start again.')
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
    if (!added) throw new HeadgateError('conflict', 'This passkey is already registered.')
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
  return new HeadgateError('invalid-request', 'The response of the authenticator is not valid. Start again.', {
    param: 'response',
    cause,
  })
}
