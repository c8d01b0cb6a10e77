import { apiKey, baseUrl } from '@headgate/core/provider'
import { z } from 'zod'

/**
 * Who asks, and where. Which kind of token it is the server sees: a programmatic access token, OAuth's, or one of a key
 * pair.
 *
 * @see https://docs.snowflake.com/en/developer-guide/snowflake-rest-api/authentication
 */
export const config = z
  .strictObject({
    apiKey,
    account: z
      .string()
      .regex(/^[\w.-]+$/, 'must be the identifier of an account')
      .optional(),
    baseUrl: baseUrl.overwrite((url) => url.replace(/\/api\/v2\/cortex(?:\/v1)?$/, '')).optional(),
  })
  .refine((given) => given.baseUrl ?? given.account, {
    error: 'there is no account: set SNOWFLAKE_ACCOUNT',
    path: ['baseUrl'],
  })

export const env = {
  apiKey: ['SNOWFLAKE_API_KEY', 'SNOWFLAKE_CORTEX_PAT', 'SNOWFLAKE_PAT'],
  account: ['SNOWFLAKE_ACCOUNT'],
  baseUrl: ['SNOWFLAKE_BASE_URL'],
} as const

/** An underscore of an account is a hyphen of its host. */
export function originOf({ account, baseUrl }: z.output<typeof config>): string {
  return baseUrl ?? `https://${account?.replaceAll('_', '-')}.snowflakecomputing.com`
}
