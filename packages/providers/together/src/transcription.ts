import { type ModelFacts, type TranscriptionOptions, WHISPER } from '@headgate/core/provider'

/**
 * Whisper in OpenAI's wire. `diarize` asks for speakers. Only `verbose_json` reports the length, so every transcript is
 * read from it.
 * @see https://docs.together.ai/reference/audio-transcriptions
 * @see https://docs.together.ai/reference/audio-translations
 */
export const transcription: TranscriptionOptions = {
  translations: '/audio/translations',
  diarize: true,
  can: { ...WHISPER, formats: ['verbose_json'], speakers: true, translates: true },
}

/**
 * Price of a minute: $0.0015, in nano-dollars per million milliseconds.
 * @see https://www.together.ai/pricing
 */
export const transcribers: readonly ModelFacts[] = [
  {
    id: 'openai/whisper-large-v3',
    families: ['transcription'],
    price: { id: 'together.ai/pricing@2026-11-23', input: 0, output: 0, units: { milliseconds: 25_000_000 } },
  },
]
