import { apiKey, baseUrl, defineProvider } from '@headgate/core/provider'
import { z } from 'zod'
import { readError } from './error.ts'
import { known } from './models.ts'
import { video } from './video.ts'

/**
 * Vidu.
 *
 * @see https://platform.vidu.com/docs
 */
export const vidu = defineProvider(
  {
    id: 'vidu',
    title: 'Vidu',
    config: z.strictObject({ apiKey, baseUrl: baseUrl.default('https://api.vidu.com') }),
    env: { apiKey: ['VIDU_API_KEY'], baseUrl: ['VIDU_BASE_URL'] },
    claims: [/^vidu(q\d|\d)/],
  },
  ({ apiKey, baseUrl }) => ({
    baseUrl,
    credential: { kind: 'header', name: 'authorization', value: `Token ${apiKey}` },
    video,
    known,
    readError,
  }),
)
