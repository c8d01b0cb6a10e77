import { defineProvider, endpoint, endpointEnv, type HttpResponse, object, text } from '@headgate/core/provider'
import { z } from 'zod'
import { models } from './models.ts'
import { transcription } from './transcription.ts'

/**
 * AssemblyAI: transcription with Universal.
 *
 * A recording is uploaded, then a transcript is created and polled. Times are in milliseconds. Without a language, the
 * language is detected. Speakers and keywords cost more.
 *
 * @see https://www.assemblyai.com/docs/api-reference/transcripts/submit
 * @see https://www.assemblyai.com/docs/api-reference/files/upload
 */
export const assemblyai = defineProvider(
  {
    id: 'assemblyai',
    title: 'AssemblyAI',
    config: z.strictObject(endpoint('https://api.assemblyai.com')),
    env: endpointEnv('assemblyai'),
    claims: [/^universal-\d/],
  },
  ({ apiKey, baseUrl }) => ({
    baseUrl,
    credential: { kind: 'header', name: 'authorization', value: apiKey },
    transcription,
    known: models,
    readError,
  }),
)

/** Reads `{ error }` with a status of 400 or more, and failed transcripts, which have status 200. */
function readError({ status, body }: HttpResponse) {
  const message = text(object(body)?.['error'])
  if (message === undefined) return undefined
  if (status < 400)
    return object(body)?.['status'] === 'error' ? ({ kind: failureOf(message), message } as const) : undefined
  return /balance|credit|payment/i.test(message) ? ({ kind: 'our-quota', message } as const) : undefined
}

/** A transcript fails because of its recording, or because of the server. */
function failureOf(message: string): 'upstream' | 'invalid-request' {
  return /does not appear to contain audio|no spoken audio|too short|unsupported|transcoding|language/i.test(message)
    ? 'invalid-request'
    : 'upstream'
}
