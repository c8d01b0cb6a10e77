import { formatOf, type SpeechFacts } from '@headgate/conformance'
import { z } from 'zod'

/** @see https://docs.mistral.ai/api/endpoint/audio/speech */
const Asked = z.strictObject({
  model: z.string(),
  input: z.string(),
  voice_id: z.string().optional(),
  ref_audio: z.string().optional(),
  response_format: z.enum(['pcm', 'wav', 'mp3', 'flac', 'opus']).default('mp3'),
  stream: z.boolean().default(false),
})

/** Speech of Voxtral, as Mistral's documentation describes it. Nothing was recorded. */
export const speech: SpeechFacts = {
  model: 'voxtral-mini-tts-3-0',
  path: '/v1/audio/speech',
  voice: 'gb_jane_neutral',
  formats: ['mp3', 'opus', 'flac', 'wav'],
  counts: 'tokens',
  read({ body }) {
    const { model, input, voice_id = '', response_format } = Asked.parse(body)
    return { model, input, voice: voice_id, format: formatOf(response_format) }
  },
  write({ pieces, tokens }, { body }) {
    if (!Asked.parse(body).stream)
      return { kind: 'whole', body: { audio_data: Buffer.concat(pieces).toString('base64') } }
    const usage = { prompt_tokens: tokens.input, completion_tokens: tokens.output, total_tokens: tokens.input + 41 }
    const events = [
      ...pieces.map((piece) => ({ type: 'speech.audio.delta', audio_data: Buffer.from(piece).toString('base64') })),
      { type: 'speech.audio.done', usage },
    ]
    const frames = events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
    return { kind: 'stream', pieces: frames.map((frame) => Buffer.from(frame)) }
  },
}
