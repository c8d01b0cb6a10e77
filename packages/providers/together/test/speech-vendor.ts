import { formatOf, type SpeechFacts } from '@headgate/conformance'
import { z } from 'zod'

/** @see https://docs.together.ai/reference/audio-speech */
const Asked = z.strictObject({
  model: z.string(),
  input: z.string(),
  voice: z.string(),
  response_format: z.enum(['mp3', 'wav', 'raw']),
  response_encoding: z.enum(['pcm_f32le', 'pcm_s16le', 'pcm_mulaw', 'pcm_alaw']).default('pcm_f32le'),
  sample_rate: z.int().default(44_100),
  language: z.string().optional(),
  stream: z.boolean().optional(),
})

/** Together's speech, as its documentation describes it. Nothing was recorded. */
export const speech: SpeechFacts = {
  model: 'hexgrad/Kokoro-82M',
  path: '/v1/audio/speech',
  voice: 'af_bella',
  alloy: 'af_alloy',
  formats: ['mp3', 'wav', 'pcm'],
  read({ body }) {
    const { model, input, voice, response_format, response_encoding, sample_rate } = Asked.parse(body)
    const isPcm = response_format === 'raw' && response_encoding === 'pcm_s16le' && sample_rate === 24_000
    return { model, input, voice, format: isPcm ? 'pcm' : formatOf(response_format) }
  },
}
