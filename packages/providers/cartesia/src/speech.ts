import type { SpeechRequest, SpeechSupport } from '@headgate/core/provider'
import { NAMES } from './speech-models.ts'

/** Version of the API. */
const VERSION = '2026-03-01'
const PCM = { encoding: 'pcm_s16le', sample_rate: 24_000 }

const OUTPUTS = {
  mp3: { container: 'mp3', sample_rate: 44_100, bit_rate: 128_000 },
  wav: { container: 'wav', ...PCM },
  pcm: { container: 'raw', ...PCM },
} as const

/** Speech of Sonic, whose response is the sound. */
export const speech: SpeechSupport = {
  can: { voiceNames: NAMES, formats: ['mp3', 'wav', 'pcm'], speed: [0.6, 1.5] },
  request: (input) => ({
    method: 'POST',
    url: '/tts/bytes',
    headers: { 'cartesia-version': VERSION },
    body: { json: bodyOf(input) },
  }),
}

function bodyOf({ model, input, voice, format, speed }: SpeechRequest): object {
  return {
    model_id: model,
    transcript: input,
    voice: { mode: 'id', id: voice },
    output_format: OUTPUTS[format as keyof typeof OUTPUTS],
    ...(speed !== undefined && { generation_config: { speed } }),
  }
}
