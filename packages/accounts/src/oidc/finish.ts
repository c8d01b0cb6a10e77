import { HeadgateError } from '@headgate/gateway/ports'
import type { Parts } from '../parts.ts'
import { type Caller, type Origin, personOf } from '../roles/caller.ts'
import { type NewSession, renewSession } from '../sessions/sessions.ts'
import { readFlow, takeFlow } from '../sign-in/flow.ts'
import { enter, noteRefusal } from '../sign-in/sign-in.ts'
import { inTransaction } from '../transaction.ts'
import type { OidcState } from './begin.ts'
import { addIdentity, personOfIdentity } from './identities.ts'
import type { Identified, OidcProvider } from './provider.ts'

export interface OidcFinish {
  /** What the browser has held. */
  readonly flow: string
  /** The query with which it came back, as it stands. */
  readonly query: string
  /** The token that the browser has, whose session ends. */
  readonly before?: string | undefined
}

/** What came of it: a session, or the session of who asks with another token. */
export interface OidcResult extends NewSession {
  readonly returnTo?: string
}

/** Longest query, in characters. */
const QUERY = 8_000
/** Longest subject (OIDC Core 2 allows 255 ASCII characters). */
const SUBJECT = 255

/**
 * Finishes what {@link beginOidc} began, in the same browser, once. People are known by issuer and subject, never by
 * their mail address.
 * @throws HeadgateError `not-found` for a flow that is over or another browser's, `bad-key` for an answer that is not
 * the provider's,
 * `forbidden` for somebody who gets no account, `upstream` for a provider that can not be read.
 */
export async function finishOidc(parts: Parts, caller: Caller, finish: OidcFinish): Promise<OidcResult> {
  const state = await readFlow<OidcState>(parts, 'oidc', finish.flow)
  if (state.session !== undefined && personOf(caller).session !== state.session)
    throw new HeadgateError('forbidden', 'This began in another session. Begin again.')
  const { address, agent, requestId } = caller
  const origin: Origin = { address, agent, requestId }
  // Whatever comes of it, it is not tried again.
  await inTransaction(parts, (trx, now) => takeFlow(trx, finish.flow, now))
  try {
    const identified = await identify(parts, state, finish.query)
    const session = await (state.session === undefined
      ? signInAs(parts, identified, origin, finish.before)
      : addTo(parts, caller, identified))
    return { ...session, ...(state.returnTo !== undefined && { returnTo: state.returnTo }) }
  } catch (error) {
    // Where the store is at fault, this fails as well, and why is said already.
    await noteRefusal(parts, origin, 'oidc', caller.kind === 'person' ? caller.id : undefined).catch(() => {})
    throw error
  }
}

function signInAs(
  parts: Parts,
  identified: Identified,
  origin: Origin,
  before: string | undefined,
): Promise<NewSession> {
  return inTransaction(parts, async (trx, now) => {
    const person = await personOfIdentity(trx, identified, origin, now)
    return enter(trx, { person, method: 'oidc', origin, before, now })
  })
}

function addTo(parts: Parts, caller: Caller, identified: Identified): Promise<NewSession> {
  const { session } = personOf(caller)
  return inTransaction(parts, async (trx, now) => {
    await addIdentity(trx, caller, identified, now)
    return renewSession(trx, session, { isStrong: true, now })
  })
}

/** Asks the provider who has come back. */
async function identify({ clients }: Parts, held: OidcState, query: string): Promise<Identified> {
  const provider = clients.provider(held.provider)
  const configuration = await clients.configuration(provider)
  const client = await import('openid-client')
  if (typeof query !== 'string' || query.length > QUERY) throw refused(provider)
  const url = new URL(held.redirectUri)
  url.search = query
  try {
    const tokens = await client.authorizationCodeGrant(configuration, url, {
      pkceCodeVerifier: held.verifier,
      expectedState: held.state,
      expectedNonce: held.nonce,
      idTokenExpected: true,
    })
    const claims = tokens.claims()
    if (!claims || claims.sub === '' || claims.sub.length > SUBJECT || !/^[\x20-\x7e]+$/.test(claims.sub))
      throw refused(provider)
    // The provider made the token for another client, even if we are in its audience (OIDC Core 3.1.3.7).
    if (claims['azp'] !== undefined && claims['azp'] !== provider.clientId) throw refused(provider)
    const needsMore = claims['email'] === undefined || claims[provider.groupsClaim ?? 'groups'] === undefined
    const hasMore = configuration.serverMetadata().userinfo_endpoint !== undefined
    const more = needsMore && hasMore ? await client.fetchUserInfo(configuration, tokens.access_token, claims.sub) : {}
    return { provider, issuer: claims.iss, subject: claims.sub, claims: { ...more, ...claims } }
  } catch (cause) {
    throw HeadgateError.is(cause) ? cause : refused(provider, cause)
  }
}

function refused({ name }: OidcProvider, cause?: unknown): HeadgateError {
  const code =
    cause instanceof Error && 'error' in cause
      ? cause.error
      : cause instanceof Error && 'code' in cause
        ? cause.code
        : undefined
  // The provider's own words are not shown: whoever made the address can have written them.
  const why = typeof code === 'string' && /^\w{1,60}$/.test(code) ? ` (${code})` : ''
  return new HeadgateError('bad-key', `${name} did not confirm who you are${why}. Begin again.`, { cause })
}
