import { int, json, maybe, table, text } from './declare.ts'

/** Credentials of providers that were entered while a gateway ran. Times are Unix milliseconds. */
export const CREDENTIAL_TABLES = {
  provider_credentials: table({
    columns: {
      /** Name of the provider instance. */
      provider: text,
      adapter: text,
      /** Encrypted values by field. */
      sealed: text,
      /** Names of the fields. */
      fields: json,
      /** Null = not entered. */
      base_url: maybe(text),
      /** Hosts that the credential may be sent to. */
      hosts: json,
      /** Id of a user; null = unknown. */
      created_by: maybe(text),
      created_at: int,
      version: int,
    },
    key: ['provider'],
  }),
}
