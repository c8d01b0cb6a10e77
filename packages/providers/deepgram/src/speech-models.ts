import type { ModelFacts } from '@headgate/core/provider'

/** Voices by OpenAI's names. */
export const NAMES: Readonly<Record<string, string>> = {
  alloy: 'thalia-en',
  ash: 'orion-en',
  ballad: 'draco-en',
  cedar: 'apollo-en',
  coral: 'aurora-en',
  echo: 'arcas-en',
  fable: 'hyperion-en',
  marin: 'helena-en',
  nova: 'andromeda-en',
  onyx: 'zeus-en',
  sage: 'athena-en',
  shimmer: 'luna-en',
  verse: 'orpheus-en',
}

const source = 'deepgram.com/pricing@2026-11-23'

/**
 * Speech models, with prices in nano-dollars per million characters: $30 and $15.
 * @see https://deepgram.com/pricing
 */
export const speakers: readonly ModelFacts[] = [
  {
    id: 'aura-2',
    families: ['speech'],
    price: { id: source, input: 0, output: 0, units: { characters: 30_000_000_000 } },
  },
  {
    id: 'aura',
    families: ['speech'],
    price: { id: source, input: 0, output: 0, units: { characters: 15_000_000_000 } },
  },
]
