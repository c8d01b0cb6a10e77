import { HeadgateError } from '@headgate/gateway/ports'
import type { Role } from '../roles/roles.ts'

/** An OIDC provider that people sign in by. */
export interface OidcProvider {
  /** Lower-case letters, digits and hyphens. */
  readonly id: string
  /** What people read. */
  readonly name: string
  /** `https://…`; `http://` on loopback only. */
  readonly issuer: string
  readonly clientId: string
  /** Absent of a public client. */
  readonly clientSecret?: string
  /** Default `openid`, `email`, `profile`. */
  readonly scopes?: readonly string[]
  /** Which organization its people join; default the first. */
  readonly organization?: string
  /** The claim that lists groups; default `groups`. */
  readonly groupsClaim?: string
  /** Group → role; of several the highest counts. Where it is given, each sign-in sets the role anew. */
  readonly roles?: Readonly<Record<string, Role>>
  /** What people become who are in no group of `roles`. Absent = they get no account. */
  readonly defaultRole?: Role
}

/** Most groups of one person that are looked at. */
const GROUPS = 10_000

const LOOPBACK: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]'])

/** @throws HeadgateError `invalid-request` for an issuer that is no address, or not protected. */
export function issuerOf({ id, issuer }: OidcProvider): URL {
  const url = URL.canParse(issuer) ? new URL(issuer) : undefined
  if (url?.protocol === 'https:' || (url?.protocol === 'http:' && LOOPBACK.has(url.hostname))) return url
  throw new HeadgateError('invalid-request', `The issuer of the OIDC provider \`${id}\` is no https address.`)
}

/** Whether it may be asked without TLS. */
export function isLoopback({ protocol, hostname }: URL): boolean {
  return protocol === 'http:' && LOOPBACK.has(hostname)
}

/** What somebody with these claims is to be; undefined = nothing. */
export function roleOfClaims(
  { groupsClaim = 'groups', roles = {}, defaultRole }: OidcProvider,
  claims: Claims,
): Role | undefined {
  const groups = claims[groupsClaim]
  const names = Array.isArray(groups) ? groups.slice(0, GROUPS) : [groups]
  const found = names.flatMap((name) => (typeof name === 'string' && Object.hasOwn(roles, name) ? [roles[name]] : []))
  return (['owner', 'admin', 'member', 'viewer'] as const).find((role) => found.includes(role)) ?? defaultRole
}

/** What a provider says of somebody. */
export type Claims = Readonly<Record<string, unknown>>

/** Who somebody is, by their provider. */
export interface Identified {
  readonly provider: OidcProvider
  readonly issuer: string
  readonly subject: string
  readonly claims: Claims
}
