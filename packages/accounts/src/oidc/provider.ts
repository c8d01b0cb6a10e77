import { HeadgateError } from '@headgate/gateway/ports'
import type { Role } from '../roles/roles.ts'

/** OIDC provider for sign-in. */
export interface OidcProvider {
  /** Id of lower-case letters, digits and hyphens. */
  readonly id: string
  /** Display name. */
  readonly name: string
  /** Issuer URL: `https://…`; `http://` only on loopback. */
  readonly issuer: string
  readonly clientId: string
  /** Absent for a public client. */
  readonly clientSecret?: string
  /** Default: `openid`, `email`, `profile`. */
  readonly scopes?: readonly string[]
  /** Organization that people join. Default: the first one. */
  readonly organization?: string
  /** Claim that lists groups. Default: `groups`. */
  readonly groupsClaim?: string
  /** Group → role; with several groups, the highest role applies. If set, each sign-in updates the role. */
  readonly roles?: Readonly<Record<string, Role>>
  /** Role of people in no group of `roles`. Absent = they cannot sign in. */
  readonly defaultRole?: Role
}

/** Maximum number of evaluated groups per person. */
const GROUPS = 10_000

const LOOPBACK: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]'])

/** @throws HeadgateError `invalid-request` for an issuer that is not a URL, or not protected. */
export function issuerOf({ id, issuer }: OidcProvider): URL {
  const url = URL.canParse(issuer) ? new URL(issuer) : undefined
  if (url?.protocol === 'https:' || (url?.protocol === 'http:' && LOOPBACK.has(url.hostname))) return url
  throw new HeadgateError('invalid-request', `The issuer of the OIDC provider \`${id}\` must be an https address.`)
}

/** True if requests without TLS are allowed. */
export function isLoopback({ protocol, hostname }: URL): boolean {
  return protocol === 'http:' && LOOPBACK.has(hostname)
}

/** Role for the claims; undefined = no access. */
export function roleOfClaims(
  { groupsClaim = 'groups', roles = {}, defaultRole }: OidcProvider,
  claims: Claims,
): Role | undefined {
  const groups = claims[groupsClaim]
  const names = Array.isArray(groups) ? groups.slice(0, GROUPS) : [groups]
  const found = names.flatMap((name) => (typeof name === 'string' && Object.hasOwn(roles, name) ? [roles[name]] : []))
  return (['owner', 'admin', 'member', 'viewer'] as const).find((role) => found.includes(role)) ?? defaultRole
}

/** Claims of a provider about a person. */
export type Claims = Readonly<Record<string, unknown>>

/** Person as identified by a provider. */
export interface Identified {
  readonly provider: OidcProvider
  readonly issuer: string
  readonly subject: string
  readonly claims: Claims
}
