import { bearer } from '@headgate/core/credentials'
import { apiKey, baseUrl, type Credential, defineProvider, required } from '@headgate/core/provider'
import { z } from 'zod'
import { readError } from './error.ts'
import { known } from './models.ts'
import { keyPair } from './token.ts'
import { video } from './video.ts'

const fields = z.strictObject({
  apiKey: apiKey.optional(),
  accessKey: apiKey.optional(),
  secretKey: apiKey.optional(),
  baseUrl: baseUrl.default('https://api-singapore.klingai.com'),
})

const config = fields.transform((given, context) => ({
  baseUrl: given.baseUrl,
  credential: required(credentialOf(given), context, 'needs KLING_API_KEY, or KLING_ACCESS_KEY and KLING_SECRET_KEY'),
}))

function credentialOf({ apiKey, accessKey, secretKey }: z.output<typeof fields>): Credential | undefined {
  if (apiKey !== undefined) return bearer(apiKey)
  return accessKey && secretKey ? keyPair(accessKey, secretKey) : undefined
}

/**
 * Kling AI, with an API key, or with an access key and its secret, which sign a token for every request.
 *
 * @see https://kling.ai/document-api
 */
export const kling = defineProvider(
  {
    id: 'kling',
    title: 'Kling AI',
    config,
    env: {
      apiKey: ['KLING_API_KEY', 'KLINGAI_API_KEY'],
      accessKey: ['KLING_ACCESS_KEY', 'KLINGAI_ACCESS_KEY'],
      secretKey: ['KLING_SECRET_KEY', 'KLINGAI_SECRET_KEY'],
      baseUrl: ['KLING_BASE_URL'],
    },
    claims: [/^kling-/],
  },
  ({ baseUrl, credential }) => ({
    baseUrl,
    credential,
    video,
    known,
    readError,
  }),
)
