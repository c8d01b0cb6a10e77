import type { SpeechAbilities, SpeechRequest, SpeechSupport } from '@headgate/core/provider'
import { KOKORO_NAMES, ORPHEUS_NAMES } from './speech-models.ts'

/**
 * Speech in OpenAI's shape, with other names of formats: `raw` is pcm in an encoding. All sounds have 24 kHz.
 * @see https://docs.together.ai/reference/audio-speech
 */
export const speech: SpeechSupport = {
  can(model): SpeechAbilities {
    const voiceNames = /kokoro/i.test(model) ? KOKORO_NAMES : /orpheus/i.test(model) ? ORPHEUS_NAMES : undefined
    return { formats: ['mp3', 'wav', 'pcm'], voiceNames }
  },
  request: (input) => ({ method: 'POST', url: '/audio/speech', body: { json: bodyOf(input) } }),
}

function bodyOf({ model, input, voice, format }: SpeechRequest): object {
  const body = { model, input, voice, sample_rate: 24_000 }
  if (format !== 'pcm') return { ...body, response_format: format }
  return { ...body, response_format: 'raw', response_encoding: 'pcm_s16le' }
}
