import { type ModelFacts, type TranscriptionOptions, WHISPER } from '@headgate/core/provider'

/** Each model has its own host. */
export const TRANSCRIPTION_HOSTS = ['audio-prod.api.fireworks.ai', 'audio-turbo.api.fireworks.ai'] as const

function originOf(model: string): string {
  const [plain, turbo] = TRANSCRIPTION_HOSTS
  return `https://${model.includes('turbo') ? turbo : plain}`
}

/**
 * Whisper in OpenAI's wire. Only `verbose_json` reports the length, so every transcript is read from it.
 * @see https://docs.fireworks.ai/api-reference/audio-transcriptions
 * @see https://docs.fireworks.ai/api-reference/audio-translations
 */
export const transcription: TranscriptionOptions = {
  path: (model) => `${originOf(model)}/v1/audio/transcriptions`,
  translations: (model) => `${originOf(model)}/v1/audio/translations`,
  can: { ...WHISPER, formats: ['verbose_json'], maxBytes: 1_000_000_000, translates: true },
}

const source = 'fireworks.ai/pricing@2026-01-15'

/** Price of a minute in nano-dollars, as nano-dollars per million milliseconds. */
function priced(id: string, perMinute: number): ModelFacts {
  const units = { milliseconds: Math.ceil(perMinute / 0.06) }
  return { id, families: ['transcription'], price: { id: source, input: 0, output: 0, units } }
}

/** @see https://fireworks.ai/pricing */
export const transcribers: readonly ModelFacts[] = [
  priced('whisper-v3', 1_500_000),
  priced('whisper-v3-turbo', 900_000),
]
