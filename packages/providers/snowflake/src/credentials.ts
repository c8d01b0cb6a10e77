import { apiKey, baseUrl, required } from '@headgate/core/provider'
import { z } from 'zod'

const fields = z.strictObject({
  apiKey,
  account: z
    .string()
    .regex(/^[\w.-]+$/, 'must be the identifier of an account')
    .optional(),
  baseUrl: baseUrl.overwrite((url) => url.replace(/\/api\/v2\/cortex(?:\/v1)?$/, '')).optional(),
})

/**
 * Config with the base URL of the account. The server detects the type of the token: a programmatic access token, an
 * OAuth token, or a key pair JWT.
 *
 * @see https://docs.snowflake.com/en/developer-guide/snowflake-rest-api/authentication
 */
export const config = fields.transform((given, context) => ({
  ...given,
  baseUrl: required(originOf(given), context, 'no account: set SNOWFLAKE_ACCOUNT', 'baseUrl'),
}))

export const env = {
  apiKey: ['SNOWFLAKE_API_KEY', 'SNOWFLAKE_CORTEX_PAT', 'SNOWFLAKE_PAT'],
  account: ['SNOWFLAKE_ACCOUNT'],
  baseUrl: ['SNOWFLAKE_BASE_URL'],
} as const

/** Hyphens replace underscores of the account in its host name. */
function originOf({ account, baseUrl }: z.output<typeof fields>): string | undefined {
  return baseUrl ?? (account && `https://${account.replaceAll('_', '-')}.snowflakecomputing.com`)
}
