import type { ModelFacts } from '@headgate/core/provider'

/** Voices by OpenAI's names. */
export const NAMES: Readonly<Record<string, string>> = {
  alloy: 'English_expressive_narrator',
  ash: 'English_magnetic_voiced_man',
  ballad: 'English_Gentle-voiced_man',
  cedar: 'English_Trustworth_Man',
  coral: 'English_Upbeat_Woman',
  echo: 'English_Gentle-voiced_man',
  fable: 'English_Aussie_Bloke',
  marin: 'English_CalmWoman',
  nova: 'English_radiant_girl',
  onyx: 'English_magnetic_voiced_man',
  sage: 'English_CalmWoman',
  shimmer: 'English_compelling_lady1',
  verse: 'English_Diligent_Man',
}

const source = 'platform.minimax.io@2026-08-24'

function speaker(id: string, dollars: number): ModelFacts {
  const characters = dollars * 1_000_000_000
  return { id, families: ['speech'], price: { id: source, input: 0, output: 0, units: { characters } } }
}

/**
 * Speech models, with prices in nano-dollars per million characters: $100 for hd, $60 for turbo.
 * @see https://platform.minimax.io/docs/pricing/overview
 */
export const speakers: readonly ModelFacts[] = [
  speaker('speech-2.8-hd', 100),
  speaker('speech-2.8-turbo', 60),
  speaker('speech-2.6-hd', 100),
  speaker('speech-2.6-turbo', 60),
  speaker('speech-02-hd', 100),
  speaker('speech-02-turbo', 60),
]
