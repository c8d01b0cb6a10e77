import type { SubKeys } from '@headgate/store/sql'
import type { OidcClients } from './oidc/clients.ts'
import type { Hasher } from './passwords/hasher.ts'
import type { AccountsConnection } from './schema/tables.ts'

/** Dependencies of the functions in this package. */
export interface Parts {
  readonly connection: AccountsConnection
  readonly hasher: Hasher
  /** Keys derived from the secret for this package. */
  readonly keys: SubKeys
  readonly clients: OidcClients
  /** Allowed origins, such as `https://headgate.example`. */
  readonly origins: readonly string[]
  /** Current time in Unix milliseconds. */
  now(): number
}
