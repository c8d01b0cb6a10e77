import type { ModelFacts, SpeechRequest, SpeechSupport } from '@headgate/core/provider'

/** Voices by OpenAI's names. */
const NAMES: Readonly<Record<string, string>> = {
  alloy: 'ara',
  ash: 'rex',
  ballad: 'sal',
  cedar: 'leo',
  coral: 'eve',
  echo: 'rex',
  fable: 'sal',
  marin: 'ara',
  nova: 'eve',
  onyx: 'leo',
  sage: 'ara',
  shimmer: 'eve',
  verse: 'sal',
}

/**
 * Speech. There is one model, which requests do not name. Voices are built in, or ids of own ones.
 * @see https://docs.x.ai/developers/model-capabilities/audio/text-to-speech
 */
export const speech: SpeechSupport = {
  can: { voiceNames: NAMES, formats: ['mp3', 'wav', 'pcm'], speed: [0.7, 1.5], maxCharacters: 15_000 },
  request: (input) => ({ method: 'POST', url: '/tts', body: { json: bodyOf(input) } }),
}

function bodyOf({ input, voice, format, speed }: SpeechRequest): object {
  return {
    text: input,
    voice_id: voice,
    language: 'auto',
    output_format: { codec: format, sample_rate: 24_000 },
    ...(speed !== undefined && { speed }),
  }
}

/**
 * The speech model, with its price in nano-dollars per million characters.
 * @see https://docs.x.ai/developers/models/text-to-speech
 */
export const speakers: readonly ModelFacts[] = [
  {
    id: 'grok-tts',
    families: ['speech'],
    price: { id: 'docs.x.ai@2026-04-15', input: 0, output: 0, units: { characters: 4_200_000_000 } },
  },
]
