import { bearer, clientCredentials } from '@headgate/core/credentials'
import { apiKey, baseUrl, type Credential } from '@headgate/core/provider'
import { z } from 'zod'

/** The host of a workspace, with or without `https://`. */
const workspace = z
  .string()
  .trim()
  .overwrite((host) => (/^https?:/.test(host) ? host : `https://${host}`))
  .pipe(baseUrl)
  .overwrite((url) => url.replace(/\/serving-endpoints$/, ''))

export const config = z
  .strictObject({
    baseUrl: workspace,
    apiKey: apiKey.optional(),
    clientId: z.string().trim().min(1).optional(),
    clientSecret: z.string().trim().min(1).optional(),
  })
  .refine((given) => given.apiKey !== undefined || (given.clientId !== undefined && given.clientSecret !== undefined), {
    error: 'nothing says who asks: set DATABRICKS_TOKEN, or DATABRICKS_CLIENT_ID and DATABRICKS_CLIENT_SECRET',
    path: ['apiKey'],
  })

export const env = {
  baseUrl: ['DATABRICKS_BASE_URL', 'DATABRICKS_HOST'],
  apiKey: ['DATABRICKS_API_KEY', 'DATABRICKS_TOKEN'],
  clientId: ['DATABRICKS_CLIENT_ID'],
  clientSecret: ['DATABRICKS_CLIENT_SECRET'],
} as const

/**
 * A personal access token, else the token of a service principal. @see
 * https://docs.databricks.com/aws/en/dev-tools/auth/oauth-m2m
 */
export function credentialOf({
  baseUrl,
  apiKey,
  clientId = '',
  clientSecret = '',
}: z.output<typeof config>): Credential {
  if (apiKey !== undefined) return bearer(apiKey)
  return clientCredentials({
    tokenUrl: `${baseUrl}/oidc/v1/token`,
    clientId,
    clientSecret,
    scope: 'all-apis',
    by: 'basic',
  })
}
