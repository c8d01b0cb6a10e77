import { type awsFields, awsKeys, sigV4 } from '@headgate/core/credentials'
import type { Credential } from '@headgate/core/provider'
import type { z } from 'zod'

interface SageMakerFields extends z.output<z.ZodObject<typeof awsFields>> {
  readonly region: string
}

/** Access keys for signing. Undefined if the config has none. */
export function credentialOf(given: SageMakerFields): Credential | undefined {
  const keys = awsKeys(given)
  return keys && sigV4({ service: 'sagemaker', region: given.region, keys })
}
