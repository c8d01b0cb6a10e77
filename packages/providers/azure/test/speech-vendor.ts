import { formatOf, type Received, type SpeechAnswer, type SpeechFacts, type UpstreamReply } from '@headgate/conformance'
import { z } from 'zod'

/** @see https://learn.microsoft.com/azure/foundry/openai/latest#create-speech */
const Asked = z.strictObject({
  model: z.string(),
  input: z.string(),
  voice: z.union([z.string(), z.strictObject({ id: z.string() })]),
  instructions: z.string().optional(),
  response_format: z.string().optional(),
  speed: z.number().optional(),
  stream_format: z.enum(['audio', 'sse']).optional(),
})

/** Speech of a deployment, as Microsoft's documentation describes it. Nothing was recorded. */
export const speech: SpeechFacts = {
  model: 'gpt-4o-mini-tts',
  path: '/openai/v1/audio/speech',
  voice: 'marin',
  alloy: 'alloy',
  formats: ['mp3', 'opus', 'aac', 'flac', 'wav', 'pcm'],
  speed: [0.25, 4],
  instructions: true,
  maxCharacters: 4_096,
  counts: 'tokens',
  read({ body }) {
    const { voice, response_format = 'mp3', stream_format: _, ...asked } = Asked.parse(body)
    return { ...asked, voice: typeof voice === 'string' ? voice : voice.id, format: formatOf(response_format) }
  },
  write: ({ pieces, tokens, format }: SpeechAnswer, { body }: Received): UpstreamReply => {
    const { stream_format } = Asked.parse(body)
    if (stream_format !== 'sse') return { kind: 'stream', pieces, headers: { 'content-type': `audio/${format}` } }
    const usage = { input_tokens: tokens.input, output_tokens: tokens.output, total_tokens: tokens.input + 41 }
    const events = [
      ...pieces.map((piece) => ({ type: 'speech.audio.delta', audio: Buffer.from(piece).toString('base64') })),
      { type: 'speech.audio.done', usage },
    ]
    return { kind: 'stream', pieces: events.map((event) => Buffer.from(`data: ${JSON.stringify(event)}\n\n`)) }
  },
}
