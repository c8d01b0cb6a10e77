import { formatOf, type SpeechFacts } from '@headgate/conformance'
import { z } from 'zod'

/** @see https://platform.minimax.io/docs/api-reference/speech-t2a-http */
const Asked = z.strictObject({
  model: z.string(),
  text: z.string().max(20_000),
  stream: z.boolean().default(false),
  stream_options: z.strictObject({ exclude_aggregated_audio: z.boolean().default(false) }).optional(),
  output_format: z.enum(['hex', 'url']).default('hex'),
  voice_setting: z.strictObject({
    voice_id: z.string(),
    speed: z.number().optional(),
    vol: z.number().optional(),
    pitch: z.int().optional(),
    emotion: z.string().optional(),
  }),
  audio_setting: z.strictObject({
    format: z.enum(['mp3', 'pcm', 'flac', 'wav']).default('mp3'),
    sample_rate: z.literal([8_000, 16_000, 22_050, 24_000, 32_000, 44_100]).default(32_000),
    bitrate: z.int().optional(),
    channel: z.literal([1, 2]).default(1),
  }),
})

const OK = { trace_id: '01b8bf9bb7433cc75c18eee6cfa8fe21', base_resp: { status_code: 0, status_msg: 'success' } }

/** Speech of MiniMax, as its documentation describes it. Nothing was recorded. */
export const speech: SpeechFacts = {
  model: 'speech-2.8-turbo',
  path: '/v1/t2a_v2',
  voice: 'English_Graceful_Lady',
  alloy: 'English_expressive_narrator',
  formats: ['mp3', 'flac', 'wav', 'pcm'],
  speed: [0.5, 2],
  maxCharacters: 10_000,
  counts: 'characters',
  read({ body }) {
    const { model, text, stream, voice_setting, audio_setting } = Asked.parse(body)
    const { format, sample_rate, channel } = audio_setting
    if (stream && format === 'wav') throw new Error('wav is not supported in streams')
    if (format === 'pcm' && (sample_rate !== 24_000 || channel !== 1)) throw new Error('pcm of another rate')
    return { model, input: text, voice: voice_setting.voice_id, format: formatOf(format), speed: voice_setting.speed }
  },
  write({ pieces, format, characters }, { body }) {
    const { stream, stream_options } = Asked.parse(body)
    const sound = Buffer.concat(pieces).toString('hex')
    const extra_info = { audio_format: format, usage_characters: characters, audio_sample_rate: 24_000 }
    if (!stream) return { kind: 'whole', body: { data: { audio: sound, status: 2 }, extra_info, ...OK } }
    const whole = stream_options?.exclude_aggregated_audio ? '' : sound
    const events = [
      ...pieces.map((piece) => ({ data: { audio: Buffer.from(piece).toString('hex'), status: 1 }, ...OK })),
      { data: { audio: whole, status: 2 }, extra_info, ...OK },
    ]
    return { kind: 'stream', pieces: events.map((event) => Buffer.from(`data: ${JSON.stringify(event)}\n\n`)) }
  },
}
