import type { ModelFacts } from '@headgate/core/provider'

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
