import { bearer, clientCredentials } from '@headgate/core/credentials'
import { apiKey, baseUrl, type Credential, required } from '@headgate/core/provider'
import { z } from 'zod'

/** Host of a workspace, with or without `https://`. */
const workspace = z
  .string()
  .trim()
  .overwrite((host) => (/^https?:/.test(host) ? host : `https://${host}`))
  .pipe(baseUrl)
  .overwrite((url) => url.replace(/\/serving-endpoints$/, ''))

const fields = z.strictObject({
  baseUrl: workspace,
  apiKey: apiKey.optional(),
  clientId: z.string().trim().min(1).optional(),
  clientSecret: z.string().trim().min(1).optional(),
})

const NO_CREDENTIAL = 'no credentials: set DATABRICKS_TOKEN, or DATABRICKS_CLIENT_ID and DATABRICKS_CLIENT_SECRET'

/** Config with the credential. */
export const config = fields.transform((given, context) => ({
  ...given,
  credential: required(credentialOf(given), context, NO_CREDENTIAL, 'apiKey'),
}))

export const env = {
  baseUrl: ['DATABRICKS_BASE_URL', 'DATABRICKS_HOST'],
  apiKey: ['DATABRICKS_API_KEY', 'DATABRICKS_TOKEN'],
  clientId: ['DATABRICKS_CLIENT_ID'],
  clientSecret: ['DATABRICKS_CLIENT_SECRET'],
} as const

/**
 * Personal access token, otherwise the token of a service principal. Undefined if the config has neither.
 *
 * @see https://docs.databricks.com/aws/en/dev-tools/auth/oauth-m2m
 */
function credentialOf({ baseUrl, apiKey, ...client }: z.output<typeof fields>): Credential | undefined {
  const { clientId, clientSecret } = client
  if (apiKey !== undefined) return bearer(apiKey)
  if (clientId === undefined || clientSecret === undefined) return undefined
  const tokenUrl = `${baseUrl}/oidc/v1/token`
  return clientCredentials({ tokenUrl, clientId, clientSecret, scope: 'all-apis', by: 'basic' })
}
