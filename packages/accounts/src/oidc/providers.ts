import { FIRST_ORGANIZATION } from '../database/ids.ts'
import { missing } from '../database/input.ts'
import type { Parts } from '../parts.ts'
import { allow, type Caller } from '../roles/caller.ts'
import type { Role } from '../roles/roles.ts'
import type { OidcProvider } from './provider.ts'
import { type OidcTestResult, testProvider } from './provider-test.ts'

/** Configuration of an OIDC provider without its secret. */
export interface OidcConfigured {
  readonly id: string
  readonly name: string
  readonly issuer: string
  readonly clientId: string
  readonly hasSecret: boolean
  /** Group → role; absent = groups are ignored. */
  readonly roles?: Readonly<Record<string, Role>>
  readonly groupsClaim: string
  /** Role of people in none of the groups. Absent = they cannot sign in. */
  readonly defaultRole?: Role
}

/** OIDC providers of an organization. */
export async function listOidc(
  { connection, clients }: Parts,
  caller: Caller,
  organization: string,
): Promise<readonly OidcConfigured[]> {
  await allow(connection.db, caller, organization, 'organization.write')
  return clients.providers.filter((provider) => isOf(provider, organization)).map(configuredOf)
}

/** Reads the metadata of a provider again and reports the result. @throws HeadgateError `not-found`. */
export async function testOidc(
  { connection, clients }: Parts,
  caller: Caller,
  organization: string,
  id: string,
): Promise<OidcTestResult> {
  await allow(connection.db, caller, organization, 'organization.write')
  const provider = clients.providers.find((one) => one.id === id && isOf(one, organization))
  if (!provider) throw missing('OIDC provider')
  return testProvider(clients, provider)
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
