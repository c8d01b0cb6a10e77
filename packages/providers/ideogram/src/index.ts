import { defineProvider, endpoint, endpointEnv, type HttpResponse, object, text } from '@headgate/core/provider'
import { z } from 'zod'
import { images, models } from './images.ts'

/**
 * Ideogram: images with legible text.
 *
 * @see https://developer.ideogram.ai
 */
export const ideogram = defineProvider(
  {
    id: 'ideogram',
    title: 'Ideogram',
    config: z.strictObject(endpoint('https://api.ideogram.ai')),
    env: endpointEnv('ideogram'),
    claims: [/^ideogram-v\d/],
  },
  ({ apiKey, baseUrl }) => ({
    baseUrl,
    credential: { kind: 'header', name: 'api-key', value: apiKey },
    images,
    known: models,
    readError,
  }),
)

function readError({ status, body }: HttpResponse) {
  if (status < 400) return undefined
  const { error, message: said, detail } = object(body) ?? {}
  const message = text(error) ?? text(said) ?? text(detail) ?? `Ideogram responded with status ${status}.`
  if (status === 402) return { kind: 'our-quota' as const, message }
  // Ideogram has this status for prompts that its safety check refuses.
  return status === 422 && /saf|moderat|prohibit/i.test(message)
    ? { kind: 'content-policy' as const, message }
    : undefined
}
