import type { SpeechFacts } from '@headgate/conformance'
import { z } from 'zod'

/** @see https://elevenlabs.io/docs/api-reference/text-to-speech/stream */
const Asked = z.strictObject({
  text: z.string(),
  model_id: z.string().optional(),
  language_code: z.string().optional(),
  voice_settings: z
    .strictObject({
      speed: z.number().optional(),
      stability: z.number().optional(),
      similarity_boost: z.number().optional(),
      style: z.number().optional(),
    })
    .optional(),
  seed: z.int().optional(),
})
const FORMATS = { mp3_44100_128: 'mp3', opus_48000_128: 'opus', pcm_24000: 'pcm' } as const

/** ElevenLabs' speech, as its documentation describes it. Nothing was recorded. */
export const speech: SpeechFacts = {
  model: 'eleven_multilingual_v2',
  path: '/v1/text-to-speech/{voice}/stream',
  voice: '21m00Tcm4TlvDq8ikWAM',
  alloy: 'SAz9YHcvj6GT2YYXdXww',
  formats: ['mp3', 'opus', 'pcm'],
  speed: [0.7, 1.2],
  maxCharacters: 10_000,
  counts: 'characters',
  read({ body, path, query }) {
    const { text, model_id = '', voice_settings } = Asked.parse(body)
    const voice = decodeURIComponent(/text-to-speech\/([^/]+)/.exec(path)?.[1] ?? '')
    const format = FORMATS[query.get('output_format') as keyof typeof FORMATS]
    if (!format) throw new Error('another output_format')
    return { model: model_id, input: text, voice, format, speed: voice_settings?.speed }
  },
  write: ({ pieces, characters }) => ({
    kind: 'stream',
    pieces,
    headers: { 'content-type': 'audio/mpeg', 'character-cost': String(characters) },
  }),
  error: (status, message) => ({ detail: { status: `error_${status}`, message } }),
}
