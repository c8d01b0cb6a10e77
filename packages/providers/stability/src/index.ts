import { bearer } from '@headgate/core/credentials'
import { defineProvider, endpoint, endpointEnv, type HttpResponse, object, text } from '@headgate/core/provider'
import { z } from 'zod'
import { images, models } from './images.ts'

/**
 * Stability AI: images of Stable Image and Stable Diffusion.
 *
 * @see https://platform.stability.ai/docs/api-reference
 */
export const stability = defineProvider(
  {
    id: 'stability',
    title: 'Stability AI',
    config: z.strictObject(endpoint('https://api.stability.ai')),
    env: endpointEnv('stability'),
    claims: [/^stable-image-/, /^sd3/],
  },
  ({ apiKey, baseUrl }) => ({ baseUrl, credential: bearer(apiKey), images, known: models, readError }),
)

/** Reads `name` and `errors`. Refused content also has status 403. */
function readError({ status, body }: HttpResponse) {
  if (status < 400) return undefined
  const { name, errors } = object(body) ?? {}
  const message = Array.isArray(errors) ? errors.join('; ') : `Stability AI responded with status ${status}.`
  if (text(name) === 'content_moderation') return { kind: 'content-policy' as const, message }
  return status === 402 ? { kind: 'our-quota' as const, message } : undefined
}
