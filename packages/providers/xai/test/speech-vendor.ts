import { formatOf, type SpeechFacts } from '@headgate/conformance'
import { z } from 'zod'

/** @see https://docs.x.ai/developers/model-capabilities/audio/text-to-speech */
const Asked = z.strictObject({
  text: z.string().max(15_000),
  voice_id: z.string().optional(),
  language: z.string(),
  output_format: z.strictObject({
    codec: z.enum(['mp3', 'wav', 'pcm', 'mulaw', 'alaw']),
    sample_rate: z.literal([8_000, 16_000, 22_050, 24_000, 44_100, 48_000]).optional(),
    bit_rate: z.literal([32_000, 64_000, 96_000, 128_000, 192_000]).optional(),
  }),
  speed: z.number().optional(),
})

/** xAI's speech, as its documentation describes it. Nothing was recorded. */
export const speech: SpeechFacts = {
  model: 'grok-tts',
  path: '/v1/tts',
  voice: 'leo',
  alloy: 'ara',
  formats: ['mp3', 'wav', 'pcm'],
  speed: [0.7, 1.5],
  maxCharacters: 15_000,
  read({ body }) {
    const { text, voice_id = 'eve', output_format, speed } = Asked.parse(body)
    const { codec, sample_rate } = output_format
    if (codec === 'pcm' && sample_rate !== 24_000) throw new Error('pcm of another rate')
    return { model: 'grok-tts', input: text, voice: voice_id, format: formatOf(codec), speed }
  },
  write: ({ pieces, format }) => ({
    kind: 'stream',
    pieces,
    headers: { 'content-type': { mp3: 'audio/mpeg', wav: 'audio/wav' }[String(format)] ?? 'application/octet-stream' },
  }),
}
