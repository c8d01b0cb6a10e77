import { awsFields, awsKeys, bearer, sigV4 } from '@headgate/core/credentials'
import { apiKey, type Credential } from '@headgate/core/provider'
import type { z } from 'zod'

/** Config fields for credentials. */
export const credentialFields = { apiKey: apiKey.optional(), ...awsFields }

interface BedrockFields extends z.output<z.ZodObject<typeof credentialFields>> {
  readonly region: string
}

/** First credential in the config: an API key, otherwise access keys for signing. Undefined if it has none. */
export function credentialOf(given: BedrockFields): Credential | undefined {
  if (given.apiKey !== undefined) return bearer(given.apiKey)
  const keys = awsKeys(given)
  return keys && sigV4({ service: 'bedrock', region: given.region, keys })
}
