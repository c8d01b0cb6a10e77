import { type ModelFacts, type TranscriptionAbilities, WHISPER } from '@headgate/core/provider'

/**
 * Formats and fields by model.
 * @see https://platform.openai.com/docs/api-reference/audio/createTranscription
 */
export function transcriptionAbilities(model: string): TranscriptionAbilities {
  const limits = { maxBytes: 25_000_000, prompt: true, temperature: true } as const
  if (model.startsWith('whisper')) return { ...WHISPER, ...limits, translates: true }
  if (model.includes('diarize'))
    return { ...limits, times: 'segment', speakers: true, formats: ['json', 'text', 'diarized_json'] }
  if (model.startsWith('gpt-transcribe')) return { ...limits, keywords: true, formats: ['json', 'text'] }
  return { ...limits, formats: ['json'] }
}

const source = 'openai.com/pricing@2026-11-23'

/**
 * Prices of models that are billed by time, in nano-dollars per million milliseconds, and of moderations, which are free.
 * @see https://platform.openai.com/docs/pricing
 */
export const otherModels: readonly ModelFacts[] = [
  {
    id: 'omni-moderation-latest',
    families: ['moderations'],
    price: { id: source, input: 0, output: 0, units: { moderations: 0 } },
  },
  {
    id: 'whisper-1',
    families: ['transcription'],
    price: { id: source, input: 0, output: 0, units: { milliseconds: 100_000_000 } },
  },
  {
    id: 'gpt-transcribe',
    families: ['transcription'],
    price: { id: source, input: 0, output: 0, units: { milliseconds: 75_000_000 } },
  },
]
