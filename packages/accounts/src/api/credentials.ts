import type { NewCredential } from '@headgate/store/sql'
import { z } from '@hono/zod-openapi'
import { Instant, listOf, Version } from './schemas.ts'

const Field = z.object({
  name: z.string(),
  isRequired: z.boolean(),
  isSecret: z.boolean().openapi({ description: 'False for an address or a region.' }),
  variables: listOf(z.string()).openapi({ description: 'Environment variables that set it as well.' }),
})

/** Source of a provider's credential, without its values. */
export const ProviderCredential = z
  .object({
    provider: z.string().openapi({ description: 'Name of the provider instance.' }),
    adapter: z.string(),
    source: z.enum(['file', 'environment', 'stored', 'none']).openapi({
      description: '`file` and `environment`: it can be changed only there. `stored`: it was entered by an owner.',
    }),
    variables: listOf(z.string()).openapi({ description: 'Set environment variables of the provider.' }),
    fields: listOf(Field).openapi({ description: 'Fields that can be entered; empty if another source sets them.' }),
    isUsed: z.boolean().openapi({
      description: 'False if the stored credential cannot be used: it must be entered again.',
    }),
    stored: z
      .object({
        fields: listOf(z.string()),
        baseUrl: z.string().optional(),
        hosts: listOf(z.string()).openapi({ description: 'Hosts that the credential may be sent to.' }),
        createdAt: Instant,
        createdBy: z.string().optional().openapi({ description: 'Id of a person.' }),
        version: Version,
      })
      .optional(),
  })
  .openapi('ProviderCredential')

export type CredentialState = z.input<typeof ProviderCredential>

/** Values by field of the adapter's configuration. */
export type CredentialInput = Readonly<Record<string, string>>

/** Tested and encrypted credential. */
export interface PreparedCredential extends Omit<NewCredential, 'createdBy'> {
  /** False if the provider has no call to test it with. */
  readonly isTested: boolean
}

/** Credentials of the gateway's providers, as the program knows them. */
export interface CredentialDesk {
  /** Sources of the credentials of all providers, without values. */
  states(): Promise<readonly Omit<CredentialState, 'stored'>[]>
  /**
   * Checks, tests and encrypts a credential. It changes nothing.
   * @throws HeadgateError `not-found`, `conflict` if the configuration or the environment sets it, `invalid-request` with
   * the field, `upstream` if the provider does not accept it. No message contains a value.
   */
  prepare(provider: string, values: CredentialInput): Promise<PreparedCredential>
}
