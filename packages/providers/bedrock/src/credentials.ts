import { awsFields, awsKeys, bearer, sigV4 } from '@headgate/core/credentials'
import { apiKey, type Credential } from '@headgate/core/provider'
import type { z } from 'zod'

/** Fields of the config that say who asks. */
export const credentialFields = { apiKey: apiKey.optional(), ...awsFields }

/** How requests are signed, by what is there first; undefined where nothing is. */
export function credentialOf(
  given: z.output<z.ZodObject<typeof credentialFields>>,
  region: string,
): Credential | undefined {
  if (given.apiKey !== undefined) return bearer(given.apiKey)
  const keys = awsKeys(given)
  return keys && sigV4({ service: 'bedrock', region, keys })
}
