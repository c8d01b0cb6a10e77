import {
  bytesOf,
  isObject,
  type ModelFacts,
  number,
  type SpeechPart,
  type SpeechSupport,
} from '@headgate/core/provider'

/**
 * Speech of Voxtral, as a stream of events. Voices are presets such as `gb_jane_neutral`, or own ones. Its pcm has
 * 32-bit floats, which callers do not expect.
 * @see https://docs.mistral.ai/api/endpoint/audio/speech
 */
export const speech: SpeechSupport = {
  can: { formats: ['mp3', 'opus', 'flac', 'wav'] },
  request: ({ model, input, voice, format }) => ({
    method: 'POST',
    url: '/audio/speech',
    body: { json: { model, input, voice_id: voice, response_format: format, stream: true } },
  }),
  part: readPart,
  hasEnd: true,
}

/** Part of a stream, or a whole response. */
function readPart(data: unknown): SpeechPart {
  if (!isObject(data)) return {}
  const { type, audio_data, usage } = data
  const [input, output] = isObject(usage) ? [number(usage['prompt_tokens']), number(usage['completion_tokens'])] : []
  return {
    bytes: bytesOf(audio_data),
    isLast: type === 'speech.audio.done',
    usage: input === undefined || output === undefined ? undefined : { input, output, audioOutput: output },
  }
}

/**
 * Speech models, with prices in nano-dollars per million characters.
 * @see https://docs.mistral.ai/studio/audio/text-to-speech/overview
 */
export const speakers: readonly ModelFacts[] = [
  {
    id: 'voxtral-mini-tts-3-0',
    families: ['speech'],
    price: { id: 'mistral.ai/pricing@2026-11', input: 0, output: 0, units: { characters: 13_000_000_000 } },
  },
  {
    id: 'voxtral-mini-tts-2603',
    families: ['speech'],
    price: { id: 'mistral.ai/pricing@2026-11', input: 0, output: 0, units: { characters: 16_000_000_000 } },
  },
]
