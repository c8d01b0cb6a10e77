import { defineProvider, endpoint, endpointEnv, type HttpResponse, object, text } from '@headgate/core/provider'
import { z } from 'zod'
import { models } from './models.ts'
import { speech } from './speech.ts'
import { speakers } from './speech-models.ts'
import { transcription } from './transcription.ts'

/**
 * ElevenLabs: transcription with Scribe, and speech.
 *
 * Words have times and speakers. Tags of sounds such as "(laughter)" are switched off. Keywords cost 20 % more.
 *
 * A voice is an id. Prices of speech depend on the plan, so they are unknown until you set them.
 *
 * @see https://elevenlabs.io/docs/api-reference/speech-to-text/convert
 * @see https://elevenlabs.io/docs/api-reference/text-to-speech/stream
 */
export const elevenlabs = defineProvider(
  {
    id: 'elevenlabs',
    title: 'ElevenLabs',
    config: z.strictObject(endpoint('https://api.elevenlabs.io')),
    env: { ...endpointEnv('elevenlabs'), apiKey: ['ELEVENLABS_API_KEY', 'XI_API_KEY'] },
    claims: [/^(scribe|eleven)_/],
  },
  ({ apiKey, baseUrl }) => ({
    baseUrl,
    credential: { kind: 'header', name: 'xi-api-key', value: apiKey },
    transcription,
    speech,
    known: [...models, ...speakers],
    readError,
  }),
)

/** Reads `{ detail: { status, message } }`. An exhausted quota has the status of a wrong key. */
function readError({ status, body }: HttpResponse) {
  if (status < 400) return undefined
  const detail = object(object(body)?.['detail'])
  const code = text(detail?.['status'])
  const message = text(detail?.['message'])
  if (message === undefined) return undefined
  if (code === 'quota_exceeded') return { kind: 'our-quota', message, code } as const
  if (code === 'model_not_found') return { kind: 'unknown-model', message, code } as const
  return undefined
}
