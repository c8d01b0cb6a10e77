import {
  type ModelFacts,
  type TranscriptionAbilities,
  type TranscriptionOptions,
  WHISPER,
} from '@headgate/core/provider'

/** Only `verbose_json` reports the length, so every transcript is read from it. Turbo does not translate. */
function abilities(model: string): TranscriptionAbilities {
  const translates = model === 'whisper-large-v3'
  return { ...WHISPER, formats: ['verbose_json'], maxBytes: 100_000_000, translates }
}

/**
 * Whisper in OpenAI's wire.
 * @see https://console.groq.com/docs/speech-to-text
 */
export const transcription: TranscriptionOptions = { translations: '/audio/translations', can: abilities }

const source = 'groq.com/pricing@2026-11-23'

/** Price of an hour in nano-dollars, as nano-dollars per million milliseconds. A request costs at least 10 seconds. */
function priced(id: string, perHour: number): ModelFacts {
  const units = { milliseconds: Math.ceil(perHour / 3.6) }
  const price = { id: source, input: 0, output: 0, units, least: { milliseconds: 10_000 } }
  return { id, families: ['transcription'], price }
}

/** @see https://groq.com/pricing */
export const transcribers: readonly ModelFacts[] = [
  priced('whisper-large-v3', 111_000_000),
  priced('whisper-large-v3-turbo', 40_000_000),
]
