import { type ModelFacts, SPEAKER, type SpeechAbilities } from '@headgate/core/provider'

/**
 * Limits and fields by model. Only the gpt models support instructions and events.
 * @see https://platform.openai.com/docs/api-reference/audio/createSpeech
 */
export function speechAbilities(model: string): SpeechAbilities {
  const isGpt = model.startsWith('gpt-')
  return { ...SPEAKER, maxCharacters: 4_096, instructions: isGpt, sse: isGpt }
}

const source = 'openai.com/pricing@2026-11-23'
const ENDING = { families: ['speech'], deprecated: true } as const

/**
 * Models with their prices in nano-dollars per million characters or tokens. OpenAI ends all of them on 2027-01-06.
 * @see https://platform.openai.com/docs/pricing
 * @see https://platform.openai.com/docs/deprecations
 */
export const speakers: readonly ModelFacts[] = [
  { id: 'tts-1', ...ENDING, price: { id: source, input: 0, output: 0, units: { characters: 15_000_000_000 } } },
  { id: 'tts-1-hd', ...ENDING, price: { id: source, input: 0, output: 0, units: { characters: 30_000_000_000 } } },
  { id: 'gpt-4o-mini-tts', ...ENDING, price: { id: source, input: 600_000_000, output: 12_000_000_000 } },
]
