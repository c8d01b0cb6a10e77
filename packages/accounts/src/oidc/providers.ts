import { FIRST_ORGANIZATION } from '../database/ids.ts'
import { missing } from '../database/input.ts'
import type { Parts } from '../parts.ts'
import { allow, type Caller } from '../roles/caller.ts'
import type { Role } from '../roles/roles.ts'
import { type Discovered, discovered } from './discovered.ts'
import type { OidcProvider } from './provider.ts'

/** What is configured of an OIDC provider: whether there is a secret, and never which. */
export interface OidcConfigured {
  readonly id: string
  readonly name: string
  readonly issuer: string
  readonly clientId: string
  readonly hasSecret: boolean
  /** Group → role; absent = groups say nothing. */
  readonly roles?: Readonly<Record<string, Role>>
  readonly groupsClaim: string
  /** What people become who are in none of the groups. Absent = they get no account. */
  readonly defaultRole?: Role
}

/** Those whose people join an organization. */
export async function listOidc(
  { connection, clients }: Parts,
  caller: Caller,
  organization: string,
): Promise<readonly OidcConfigured[]> {
  await allow(connection.db, caller, organization, 'organization.write')
  return clients.providers.filter((provider) => isOf(provider, organization)).map(configuredOf)
}

/** Asks a provider anew what it publishes, and says what came of it. @throws HeadgateError `not-found`. */
export async function testOidc(
  { connection, clients }: Parts,
  caller: Caller,
  organization: string,
  id: string,
): Promise<Discovered> {
  await allow(connection.db, caller, organization, 'organization.write')
  const provider = clients.providers.find((one) => one.id === id && isOf(one, organization))
  if (!provider) throw missing('OIDC provider')
  return discovered(clients, provider)
}

function isOf({ organization = FIRST_ORGANIZATION }: OidcProvider, asked: string): boolean {
  return organization === asked
}

function configuredOf({
  id,
  name,
  issuer,
  clientId,
  clientSecret,
  roles,
  groupsClaim = 'groups',
  defaultRole,
}: OidcProvider): OidcConfigured {
  return {
    id,
    name,
    issuer,
    clientId,
    hasSecret: clientSecret !== undefined,
    groupsClaim,
    ...(roles && { roles }),
    ...(defaultRole !== undefined && { defaultRole }),
  }
}
