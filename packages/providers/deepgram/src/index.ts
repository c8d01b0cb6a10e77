import { defineProvider, endpoint, endpointEnv, type HttpResponse, object, text } from '@headgate/core/provider'
import { z } from 'zod'
import { models } from './models.ts'
import { speech } from './speech.ts'
import { speakers } from './speech-models.ts'
import { transcription } from './transcription.ts'

/**
 * Deepgram: transcription with Nova, and speech with Aura.
 *
 * A recording is the body of its request. Without a language, the language is detected. Channels are mixed, so that a
 * recording is billed once.
 *
 * @see https://developers.deepgram.com/reference/speech-to-text/listen-pre-recorded
 */
export const deepgram = defineProvider(
  {
    id: 'deepgram',
    title: 'Deepgram',
    config: z.strictObject(endpoint('https://api.deepgram.com')),
    env: endpointEnv('deepgram'),
    claims: [/^nova-\d/, /^aura(-|$)/],
  },
  ({ apiKey, baseUrl }) => ({
    baseUrl,
    credential: { kind: 'header', name: 'authorization', value: `Token ${apiKey}` },
    transcription,
    speech,
    known: [...models, ...speakers],
    readError,
  }),
)

/** Reads `{ err_code, err_msg }`. */
function readError({ status, body }: HttpResponse) {
  if (status < 400) return undefined
  const code = text(object(body)?.['err_code'])
  const message = text(object(body)?.['err_msg']) ?? `Deepgram responded with status ${status}.`
  // Models and languages that a key lacks have the status of a wrong key.
  if (code === 'INSUFFICIENT_PERMISSIONS') return { kind: 'unknown-model', message, code } as const
  return status === 402 ? ({ kind: 'our-quota', message, ...(code !== undefined && { code }) } as const) : undefined
}
