import type { SpeechFacts } from '@headgate/conformance'
import { z } from 'zod'

/** @see https://docs.cartesia.ai/api-reference/tts/bytes */
const Rate = z.literal([8_000, 16_000, 22_050, 24_000, 44_100, 48_000])
const Encoding = z.enum(['pcm_f32le', 'pcm_s16le', 'pcm_mulaw', 'pcm_alaw'])
const Asked = z.strictObject({
  model_id: z.string(),
  transcript: z.string(),
  voice: z.strictObject({ mode: z.literal('id'), id: z.string() }),
  output_format: z.discriminatedUnion('container', [
    z.strictObject({ container: z.literal('raw'), encoding: Encoding, sample_rate: Rate }),
    z.strictObject({ container: z.literal('wav'), encoding: Encoding, sample_rate: Rate }),
    z.strictObject({
      container: z.literal('mp3'),
      sample_rate: Rate,
      bit_rate: z.literal([32_000, 64_000, 96_000, 128_000, 192_000]),
    }),
  ]),
  language: z.string().nullish(),
  generation_config: z.strictObject({ speed: z.number().optional(), volume: z.number().optional() }).optional(),
})

/** Cartesia's speech, as its documentation describes it. Nothing was recorded. */
export const speech: SpeechFacts = {
  model: 'sonic-3.5',
  path: '/tts/bytes',
  voice: 'e07c00bc-4134-4eae-9ea4-1a55fb45746b',
  alloy: 'f786b574-daa5-4673-aa0c-cbe3e8534c02',
  formats: ['mp3', 'wav', 'pcm'],
  speed: [0.6, 1.5],
  read({ body }) {
    const { model_id, transcript, voice, output_format, generation_config } = Asked.parse(body)
    const { container, sample_rate } = output_format
    if (container === 'raw' && (output_format.encoding !== 'pcm_s16le' || sample_rate !== 24_000))
      throw new Error('another pcm')
    const format = container === 'raw' ? 'pcm' : container
    return { model: model_id, input: transcript, voice: voice.id, format, speed: generation_config?.speed }
  },
  error: (status, message) => ({ error_code: `e${status}`, title: 'Error', message, request_id: '1' }),
}
