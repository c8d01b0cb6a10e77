import { apiKey, baseUrl } from '@headgate/core/provider'
import { z } from 'zod'

/** Account and API token. */
export const config = z.strictObject({
  apiKey,
  account: z.string().regex(/^\w+$/, 'must be the id of an account'),
  baseUrl: baseUrl.default('https://api.cloudflare.com/client/v4'),
})

export const env = {
  apiKey: ['CLOUDFLARE_API_TOKEN', 'CLOUDFLARE_API_KEY'],
  account: ['CLOUDFLARE_ACCOUNT_ID'],
  baseUrl: ['CLOUDFLARE_BASE_URL'],
} as const
