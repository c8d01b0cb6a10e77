import { defineProvider, endpoint, endpointEnv, type HttpResponse, object, text } from '@headgate/core/provider'
import { z } from 'zod'
import { models } from './models.ts'
import { transcription } from './transcription.ts'

/**
 * Gladia: transcription with Solaria.
 *
 * A recording is uploaded, then a transcription is created and polled. Each channel of a recording is billed.
 *
 * @see https://docs.gladia.io/api-reference/v2/pre-recorded/init
 * @see https://docs.gladia.io/api-reference/v2/upload/audio-file
 */
export const gladia = defineProvider(
  {
    id: 'gladia',
    title: 'Gladia',
    config: z.strictObject(endpoint('https://api.gladia.io')),
    env: endpointEnv('gladia'),
    claims: [/^solaria-\d/],
  },
  ({ apiKey, baseUrl }) => ({
    baseUrl,
    credential: { kind: 'header', name: 'x-gladia-key', value: apiKey },
    transcription,
    known: models,
    readError,
  }),
)

/** Reads transcriptions that failed, which have status 200 and the status of the failure in `error_code`. */
function readError({ status, body }: HttpResponse) {
  const job = object(body) ?? {}
  if (status >= 400 || job['status'] !== 'error') return undefined
  const code = Number(job['error_code'])
  const message = text(job['error_message']) ?? `The transcription failed with error ${code}.`
  return { kind: code >= 400 && code < 500 ? 'invalid-request' : 'upstream', message } as const
}
