import { accessToken, googleCredential } from '@headgate/core/credentials'
import { apiKey, type Credential } from '@headgate/core/provider'
import { z } from 'zod'

const SCOPE = 'https://www.googleapis.com/auth/cloud-platform'

/** Config fields for credentials. */
export const credentialFields = {
  apiKey: apiKey.optional(),
  key: z.string().min(1).optional(),
  metadata: z.boolean().default(false),
  metadataHost: z
    .string()
    .regex(/^[\w.-]+(?::\d+)?$/, 'must be a host: 169.254.169.254')
    .default('169.254.169.254'),
}

type VertexCredentialFields = z.output<z.ZodObject<typeof credentialFields>>

/**
 * First credential in the config: a Vertex AI key, a service account or workload identity, or the machine's account. Undefined if it has
 * none. The key file is read when the credential is created.
 *
 * @throws HeadgateError if the key file is invalid
 */
export function credentialOf({
  apiKey: value,
  key,
  metadata,
  metadataHost,
}: VertexCredentialFields): (() => Credential) | undefined {
  if (value !== undefined) return () => ({ kind: 'header', name: 'x-goog-api-key', value })
  if (key !== undefined) return () => googleCredential(key, SCOPE)
  return metadata ? () => accountOf(metadataHost) : undefined
}

/** @see https://docs.cloud.google.com/compute/docs/access/authenticate-workloads#applications */
function accountOf(host: string): Credential {
  const url = `http://${host}/computeMetadata/v1/instance/service-accounts/default/token?scopes=${encodeURIComponent(SCOPE)}`
  return accessToken(url, () => ({ method: 'GET', url, headers: { 'metadata-flavor': 'Google' } }))
}
