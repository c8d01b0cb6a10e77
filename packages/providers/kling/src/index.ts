import { bearer } from '@headgate/core/credentials'
import { apiKey, baseUrl, defineProvider } from '@headgate/core/provider'
import { z } from 'zod'
import { readError } from './error.ts'
import { known } from './models.ts'
import { keyPair } from './token.ts'
import { video } from './video.ts'

const Config = z
  .strictObject({
    apiKey: apiKey.optional(),
    accessKey: apiKey.optional(),
    secretKey: apiKey.optional(),
    baseUrl: baseUrl.default('https://api-singapore.klingai.com'),
  })
  .refine(({ apiKey, accessKey, secretKey }) => apiKey || (accessKey && secretKey), {
    error: 'needs KLING_API_KEY, or KLING_ACCESS_KEY and KLING_SECRET_KEY',
  })

/**
 * Kling AI, by a key, or by an access key and its secret, of which a token is made for every request.
 *
 * @see https://kling.ai/document-api
 */
export const kling = defineProvider(
  {
    id: 'kling',
    title: 'Kling AI',
    config: Config,
    env: {
      apiKey: ['KLING_API_KEY', 'KLINGAI_API_KEY'],
      accessKey: ['KLING_ACCESS_KEY', 'KLINGAI_ACCESS_KEY'],
      secretKey: ['KLING_SECRET_KEY', 'KLINGAI_SECRET_KEY'],
      baseUrl: ['KLING_BASE_URL'],
    },
    claims: [/^kling-/],
  },
  ({ apiKey, accessKey = '', secretKey = '', baseUrl }) => ({
    baseUrl,
    credential: apiKey === undefined ? keyPair(accessKey, secretKey) : bearer(apiKey),
    video,
    known,
    readError,
  }),
)
