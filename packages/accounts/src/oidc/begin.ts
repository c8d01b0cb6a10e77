import { HeadgateError } from '@headgate/gateway/ports'
import { wrong } from '../database/input.ts'
import type { Parts } from '../parts.ts'
import { type Caller, checkStrong } from '../roles/caller.ts'
import { beginFlow, type Flow } from '../sign-in/flow.ts'
import { isOneOf } from '../sign-in/origins.ts'

export interface OidcBegin {
  /** Id of the provider. */
  readonly provider: string
  /** Return address of the browser, which must be on an allowed origin. */
  readonly redirectUri: string
  /** Path to open after the sign-in. */
  readonly returnTo?: string | undefined
}

/** State that the browser keeps during the sign-in. */
export interface OidcState {
  readonly provider: string
  readonly redirectUri: string
  readonly state: string
  readonly nonce: string
  readonly verifier: string
  readonly returnTo?: string
  /** Id of the session to which the identity is added; absent for a sign-in. */
  readonly session?: string
}

/** Maximum length of a path in characters. */
const PATH = 500

/**
 * Begins a sign-in at an OIDC provider, or links the provider to a signed-in person, which is sensitive.
 * @returns the URL for the browser, and the content of a cookie (HttpOnly, SameSite=Lax) to keep until it returns.
 */
export async function beginOidc(
  parts: Parts,
  caller: Caller,
  begin: OidcBegin,
): Promise<Flow & { readonly url: string }> {
  const { provider: id, redirectUri, returnTo } = begin
  const provider = parts.clients.provider(id)
  if (!isOneOf(parts.origins, redirectUri))
    throw wrong('redirectUri', '`redirectUri` must be an address of this gateway.')
  if (returnTo !== undefined && !isPath(returnTo)) throw wrong('returnTo', '`returnTo` must be a path of this gateway.')
  if (caller.kind === 'person') checkStrong(caller, parts.now())
  const configuration = await parts.clients.configuration(provider)
  const client = await import('openid-client')
  const state = client.randomState()
  const nonce = client.randomNonce()
  const verifier = client.randomPKCECodeVerifier()
  checkEndpoint(configuration.serverMetadata().authorization_endpoint, provider.name)
  const url = client.buildAuthorizationUrl(configuration, {
    redirect_uri: redirectUri,
    scope: (provider.scopes ?? ['openid', 'email', 'profile']).join(' '),
    response_type: 'code',
    code_challenge: await client.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    state,
    nonce,
  })
  const held: OidcState = {
    provider: id,
    redirectUri,
    state,
    nonce,
    verifier,
    ...(returnTo !== undefined && { returnTo }),
    ...(caller.kind === 'person' && { session: caller.session }),
  }
  return { ...beginFlow(parts, 'oidc', held), url: url.href }
}

/** Checks an endpoint that browsers open. @throws HeadgateError `upstream` unless it is a web address. */
function checkEndpoint(endpoint: string | undefined, name: string): void {
  const protocol = endpoint !== undefined && URL.canParse(endpoint) ? new URL(endpoint).protocol : ''
  if (protocol === 'https:' || protocol === 'http:') return
  throw new HeadgateError(
    'upstream',
    `The OIDC provider ${name} publishes no web address for sign-in (authorization_endpoint). Check its \`issuer\` in the configuration.`,
  )
}

/** True if a string is a path of this gateway, not a link to another site. */
function isPath(text: string): boolean {
  if (typeof text !== 'string' || text.length > PATH || !/^\/(?![/\\])[\x21-\x7e]*$/.test(text) || text.includes('\\'))
    return false
  const here = 'http://here.invalid'
  return URL.canParse(text, here) && new URL(text, here).origin === here
}
