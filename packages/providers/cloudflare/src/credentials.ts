import { apiKey, baseUrl } from '@headgate/core/provider'
import { z } from 'zod'

/** Who asks, and for which account. @see https://developers.cloudflare.com/workers-ai/get-started/rest-api/ */
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
