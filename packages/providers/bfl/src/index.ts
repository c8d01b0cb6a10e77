import { defineProvider, endpoint, endpointEnv, type HttpResponse, object, text } from '@headgate/core/provider'
import { z } from 'zod'
import { imagesSupport, models } from './images.ts'

/**
 * Black Forest Labs: images of FLUX.
 *
 * The model is the last part of an endpoint's path, such as `flux-2-pro`.
 *
 * @see https://docs.bfl.ai
 */
export const bfl = defineProvider(
  {
    id: 'bfl',
    title: 'Black Forest Labs',
    config: z.strictObject(endpoint('https://api.bfl.ai')),
    env: endpointEnv('bfl'),
    claims: [/^flux-(2|kontext|pro|dev)/],
  },
  ({ apiKey, baseUrl }) => ({
    baseUrl,
    hosts: ['*.bfl.ai'],
    credential: { kind: 'header', name: 'x-key', value: apiKey },
    images: imagesSupport(baseUrl),
    known: models,
    readError,
  }),
)

function readError({ status, body }: HttpResponse) {
  if (status < 400) return undefined
  const { detail, message: said } = object(body) ?? {}
  const message = text(detail) ?? text(said) ?? `Black Forest Labs responded with status ${status}.`
  if (status === 402) return { kind: 'our-quota' as const, message }
  return status === 404 ? { kind: 'unknown-model' as const, message } : undefined
}
