import type { ModelFacts } from '@headgate/core/provider'

const source = 'elevenlabs.io/pricing/api@2026-11-23'

/**
 * Models with their prices in nano-dollars per million milliseconds: $0.22 an hour, and 20 % more with keywords.
 * @see https://elevenlabs.io/pricing/api
 */
export const models: readonly ModelFacts[] = [
  {
    id: 'scribe_v2',
    families: ['transcription'],
    price: {
      id: source,
      input: 0,
      output: 0,
      units: { milliseconds: 61_111_111, keywordMilliseconds: 12_222_222 },
    },
  },
]
