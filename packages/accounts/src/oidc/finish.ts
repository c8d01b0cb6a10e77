import { HeadgateError } from '@headgate/gateway/ports'
import type { Parts } from '../parts.ts'
import { type Caller, personOf, type RequestOrigin } from '../roles/caller.ts'
import { type NewSession, renewSession } from '../sessions/sessions.ts'
import { readFlow, takeFlow } from '../sign-in/flow.ts'
import { enter, noteRefusal } from '../sign-in/sign-in.ts'
import { inTransaction } from '../transaction.ts'
import type { OidcState } from './begin.ts'
import { addIdentity, personOfIdentity } from './identities.ts'
import type { Identified, OidcProvider } from './provider.ts'

export interface OidcFinish {
  /** Content of the flow cookie. */
  readonly flow: string
  /** Query of the return page, unchanged. */
  readonly query: string
  /** Session token of the browser. That session ends. */
  readonly before?: string | undefined
}

/** New session, or the caller's session with another token. */
export interface OidcResult extends NewSession {
  readonly returnTo?: string
}

/** Maximum length of a query in characters. */
const QUERY = 8_000
/** Maximum length of a subject (OIDC Core 2 allows 255 ASCII characters). */
const SUBJECT = 255

/**
 * Finishes what {@link beginOidc} began, in the same browser, once. People are identified by issuer and subject, never
 * by mail address.
 * @throws HeadgateError `not-found` for an expired flow or another browser, `bad-key` for an invalid response,
 * `forbidden` for a person without access, `upstream` if the provider cannot be read.
 */
export async function finishOidc(parts: Parts, caller: Caller, finish: OidcFinish): Promise<OidcResult> {
  const state = await readFlow<OidcState>(parts, 'oidc', finish.flow)
  if (state.session !== undefined && personOf(caller).session !== state.session)
    throw new HeadgateError('forbidden', 'This process began in another session. Start again.')
  const { address, agent, requestId } = caller
  const origin: RequestOrigin = { address, agent, requestId }
  // The flow is used up even if the sign-in fails.
  await inTransaction(parts, (trx, now) => takeFlow(trx, finish.flow, now))
  try {
    const identified = await identify(parts, state, finish.query)
    const session = await (state.session === undefined
      ? signInAs(parts, identified, origin, finish.before)
      : addTo(parts, caller, identified))
    return { ...session, ...(state.returnTo !== undefined && { returnTo: state.returnTo }) }
  } catch (error) {
    // If the store fails, this fails as well, and the error was already reported.
    await noteRefusal(parts, origin, 'oidc', caller.kind === 'person' ? caller.id : undefined).catch(() => {})
    throw error
  }
}

function signInAs(
  parts: Parts,
  identified: Identified,
  origin: RequestOrigin,
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

/** Identifies the person with the provider. */
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
    // The provider issued the token for another client, even if we are in its audience (OIDC Core 3.1.3.7).
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
  // The provider's message is not shown, because the caller may have written it into the URL.
  const why = typeof code === 'string' && /^\w{1,60}$/.test(code) ? ` (${code})` : ''
  return new HeadgateError('bad-key', `${name} did not confirm your identity${why}. Start again.`, { cause })
}
