import type { SubKeys } from '@headgate/store/sql'
import type { OidcClients } from './oidc/clients.ts'
import type { Hasher } from './passwords/hasher.ts'
import type { Connection } from './schema/tables.ts'

/** What the functions of this package work with. */
export interface Parts {
  readonly connection: Connection
  readonly hasher: Hasher
  /** Of the secret, for this package. */
  readonly keys: SubKeys
  readonly clients: OidcClients
  /** Origins that people come by, such as `https://headgate.example`. */
  readonly origins: readonly string[]
  /** Unix milliseconds. */
  now(): number
}
