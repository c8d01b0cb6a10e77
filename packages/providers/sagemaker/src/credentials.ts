import { type awsFields, awsKeys, sigV4 } from '@headgate/core/credentials'
import type { Credential } from '@headgate/core/provider'
import type { z } from 'zod'

/** How requests are signed; undefined where there are no keys. */
export function credentialOf(given: z.output<z.ZodObject<typeof awsFields>>, region: string): Credential | undefined {
  const keys = awsKeys(given)
  return keys && sigV4({ service: 'sagemaker', region, keys })
}
