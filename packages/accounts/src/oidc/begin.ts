import { HeadgateError } from '@headgate/gateway/ports'
import { wrong } from '../database/input.ts'
import type { Parts } from '../parts.ts'
import { type Caller, checkStrong } from '../roles/caller.ts'
import { beginFlow, type Flow } from '../sign-in/flow.ts'
import { isOneOf } from '../sign-in/origins.ts'

export interface OidcBegin {
  /** Id of the provider. */
  readonly provider: string
  /** Where the provider sends the browser back to: an address of one of the gateway's own origins. */
  readonly redirectUri: string
  /** The path that the browser goes to in the end. */
  readonly returnTo?: string | undefined
}

/** What the browser holds until it comes back. */
export interface OidcState {
  readonly provider: string
  readonly redirectUri: string
  readonly state: string
  readonly nonce: string
  readonly verifier: string
  readonly returnTo?: string
  /** Id of the session whose person gets the identity; absent of a sign-in. */
  readonly session?: string
}

/** Longest path, in characters. */
const PATH = 500

/**
 * Begins a sign-in at an OIDC provider, or, for somebody who is signed in, has the provider be one of theirs, which is
 * sensitive.
 * @returns where to send the browser, and what it holds in a cookie (HttpOnly, SameSite=Lax) until it comes back.
 */
export async function beginOidc(
  parts: Parts,
  caller: Caller,
  begin: OidcBegin,
): Promise<Flow & { readonly url: string }> {
  const { provider: id, redirectUri, returnTo } = begin
  const provider = parts.clients.provider(id)
  if (!isOneOf(parts.origins, redirectUri)) throw wrong('redirectUri', '`redirectUri` is no address of this gateway.')
  if (returnTo !== undefined && !isPath(returnTo)) throw wrong('returnTo', '`returnTo` is a path of this gateway.')
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

/** A browser goes there. @throws HeadgateError `upstream` for anything but a web address. */
function checkEndpoint(endpoint: string | undefined, name: string): void {
  const protocol = endpoint !== undefined && URL.canParse(endpoint) ? new URL(endpoint).protocol : ''
  if (protocol === 'https:' || protocol === 'http:') return
  throw new HeadgateError(
    'upstream',
    `The OIDC provider ${name} publishes no web address for sign-in (authorization_endpoint). Check its \`issuer\` in the configuration.`,
  )
}

/** Whether a text is a path here, and no way to elsewhere. */
function isPath(text: string): boolean {
  if (typeof text !== 'string' || text.length > PATH || !/^\/(?![/\\])[\x21-\x7e]*$/.test(text) || text.includes('\\'))
    return false
  const here = 'http://here.invalid'
  return URL.canParse(text, here) && new URL(text, here).origin === here
}
