import { bearer } from '@headgate/core/credentials'
import { apiKey, baseUrl, defineProvider, object, text } from '@headgate/core/provider'
import { z } from 'zod'
import { known } from './models.ts'
import { video } from './video.ts'

/**
 * Runway: its own models, and hosted models of other vendors.
 *
 * @see https://docs.dev.runwayml.com/api
 */
export const runway = defineProvider(
  {
    id: 'runway',
    title: 'Runway',
    config: z.strictObject({ apiKey, baseUrl: baseUrl.default('https://api.dev.runwayml.com') }),
    env: { apiKey: ['RUNWAY_API_KEY', 'RUNWAYML_API_SECRET'], baseUrl: ['RUNWAY_BASE_URL', 'RUNWAYML_BASE_URL'] },
    claims: [/^gen\d/],
  },
  ({ apiKey, baseUrl }) => ({
    baseUrl,
    credential: bearer(apiKey),
    video,
    known,
    readError({ status, body }) {
      const message = text(object(body)?.['error']) ?? ''
      if (status === 404) return { kind: 'not-found', message }
      return status === 400 && /enough credits/i.test(message) ? { kind: 'our-quota', message } : undefined
    },
  }),
)
